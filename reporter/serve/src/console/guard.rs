//! Who may ask: whoever knows the token, from this machine, and from the console's own page.

use hyper::header::{AUTHORIZATION, HOST, ORIGIN};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use subtle::ConstantTimeEq;
use weighbridge_ending::Failure;

use super::answer::Refusal;

/// Bytes of a token: nobody guesses it.
const TOKEN: usize = 32;

/// The token, and the names by which a browser may call the server.
pub(super) struct Guard {
    token: String,
    hosts: [String; 3],
}

impl Guard {
    /// A new token for a server at this port.
    pub(super) fn new(port: u16) -> Result<Guard, Failure> {
        let mut bytes = [0; TOKEN];
        getrandom::fill(&mut bytes)
            .map_err(|error| Failure::input(format!("the system gives no random bytes: {error}")))?;
        Ok(Guard::from_token(hex::encode(bytes), port))
    }

    fn from_token(token: String, port: u16) -> Guard {
        Guard { token, hosts: ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}")) }
    }

    /// The address of the page.
    pub(super) fn address(&self) -> String {
        format!("http://{}/?token={}", self.hosts[0], self.token)
    }

    /// Refuses who may not ask.
    ///
    /// A name that is not one of ours is that of a foreign page that was made to lead here (DNS rebinding). There is no cookie,
    /// which a browser would send to every port of this machine: the token is in the address, or in a header that only our page
    /// sets. What changes something has to come from our page, too.
    pub(super) fn check(&self, asked: &Parts) -> Result<(), Refusal> {
        let header = |name| asked.headers.get(name).and_then(|value| value.to_str().ok());
        let host = header(HOST).unwrap_or_default();
        if !self.hosts.iter().any(|own| own == host) || asked.headers.get_all(HOST).iter().count() > 1 {
            return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, "this server has another name"));
        }
        let bearer = header(AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
        let in_address = || asked.uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="));
        let token = bearer.or_else(in_address).unwrap_or_default();
        if !bool::from(token.as_bytes().ct_eq(self.token.as_bytes())) {
            let why = "the token is missing or wrong: open the address that `weighbridge console` printed";
            return Err(Refusal::new(StatusCode::FORBIDDEN, why));
        }
        let own = header(ORIGIN).is_some_and(|origin| origin.strip_prefix("http://") == Some(host));
        // In an address a token may come from anywhere that saw it.
        if asked.method == Method::POST && !(own && bearer.is_some()) {
            return Err(Refusal::new(StatusCode::FORBIDDEN, "only the console's own page may change something"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    fn asked(method: &str, path: &str, headers: &[(&str, &str)]) -> Result<(), u16> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        Guard::from_token("secret".to_owned(), 7171).check(&parts).map_err(|refusal| refusal.status().as_u16())
    }

    #[test]
    fn only_who_knows_the_token_and_calls_the_server_by_its_own_name_may_ask() {
        let host = ("host", "127.0.0.1:7171");
        assert_eq!(asked("GET", "/?token=secret", &[host]), Ok(()));
        assert_eq!(asked("GET", "/api/events?token=secret", &[("host", "localhost:7171")]), Ok(()));
        assert_eq!(asked("GET", "/", &[("host", "[::1]:7171"), ("authorization", "Bearer secret")]), Ok(()));
        for path in ["/", "/?token=", "/?token=secre", "/?token=secrets", "/?token=Secret", "/?x=token=secret"] {
            assert_eq!(asked("GET", path, &[host]), Err(403), "{path}");
        }
        assert_eq!(asked("GET", "/?token=secret", &[]), Err(421));
        for name in ["evil.example:7171", "127.0.0.1", "127.0.0.1:80", "localhost.evil.example:7171"] {
            assert_eq!(asked("GET", "/?token=secret", &[("host", name)]), Err(421), "{name}");
        }
        assert_eq!(asked("GET", "/?token=secret", &[host, ("host", "evil.example")]), Err(421));
    }

    #[test]
    fn what_changes_something_comes_from_the_own_page_with_the_token_in_a_header() {
        let host = ("host", "127.0.0.1:7171");
        let bearer = ("authorization", "Bearer secret");
        assert_eq!(asked("POST", "/api/x", &[host, bearer, ("origin", "http://127.0.0.1:7171")]), Ok(()));
        assert_eq!(asked("POST", "/api/x", &[host, bearer]), Err(403), "without an origin");
        for origin in ["http://evil.example", "null", "https://127.0.0.1:7171", "http://localhost:7171"] {
            assert_eq!(asked("POST", "/api/x", &[host, bearer, ("origin", origin)]), Err(403), "{origin}");
        }
        let own = ("origin", "http://127.0.0.1:7171");
        assert_eq!(asked("POST", "/api/x?token=secret", &[host, own]), Err(403), "a token in the address");
    }

    #[test]
    fn every_console_has_another_token_in_its_address() {
        let [one, other] = [7171, 7171].map(|port| Guard::new(port).expect("random bytes").address());
        assert!(one.starts_with("http://127.0.0.1:7171/?token=") && one.len() == 29 + 2 * TOKEN, "{one}");
        assert_ne!(one, other);
    }
}
