//! Where metrics are sent and how: `--otlp` and the variables of the OpenTelemetry specification.
//! <https://opentelemetry.io/docs/specs/otel/protocol/exporter/>

use std::fs;
use std::time::Duration;

use anyhow::Context;
use percent_encoding::percent_decode_str;
use ureq::Agent;
use ureq::http::{HeaderName, HeaderValue, Uri};
use ureq::tls::{ClientCert, PemItem, PrivateKey, RootCerts, TlsConfig, parse_pem};
use weighbridge_ending::Failure;
use weighbridge_ending::input::check_input;

/// The endpoint if none is given.
const ENDPOINT: &str = "http://localhost:4318";
/// Appended to an endpoint that is not for metrics alone.
const PATH: &str = "/v1/metrics";
/// For one attempt, from the connection to the whole answer: the default of the exporters of OpenTelemetry.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How requests are sent.
pub(super) struct OtlpOptions {
    pub(super) agent: Agent,
    /// May hold credentials.
    pub(super) url: String,
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
    pub(super) gzip: bool,
}

impl OtlpOptions {
    /// `endpoint` is a URL, or `env` for that of the variables. The variables always give the other options.
    pub(super) fn new(endpoint: &str) -> Result<Self, Failure> {
        let url = if endpoint == "env" { url_of_environment()? } else { with_path(endpoint) };
        let uri: Uri = url.parse().map_err(|e| Failure::usage(format!("{}: not a URL: {e}", mask_secrets(&url))))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.host().is_none() {
            return Err(Failure::usage(format!(
                "{}: not of the form http://HOST:PORT or https://HOST",
                mask_secrets(&url)
            )));
        }
        let gzip = match setting("COMPRESSION") {
            None => false,
            Some((name, value)) => match value.as_str() {
                "gzip" => true,
                "none" => false,
                _ => return Err(Failure::usage(format!("{name}: {value}: neither `gzip` nor `none`"))),
            },
        };
        let timeout = match setting("TIMEOUT") {
            None => TIMEOUT,
            Some((name, value)) => match value.parse() {
                Ok(ms @ 1..) => Duration::from_millis(ms),
                _ => return Err(Failure::usage(format!("{name}: {value}: not a number of milliseconds"))),
            },
        };
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(timeout))
            // No other server may get the metrics and the headers.
            .max_redirects(0)
            .tls_config(tls()?)
            .user_agent(concat!("weighbridge/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(OtlpOptions { agent: config.into(), url, headers: headers()?, gzip })
    }
}

/// A variable for metrics, else the one for all signals; an empty one is not set.
fn setting(name: &str) -> Option<(String, String)> {
    ["METRICS_", ""].iter().find_map(|signal| {
        let name = format!("OTEL_EXPORTER_OTLP_{signal}{name}");
        let value = std::env::var(&name).ok()?.trim().to_owned();
        (!value.is_empty()).then_some((name, value))
    })
}

fn url_of_environment() -> Result<String, Failure> {
    if let Some((name, protocol)) = setting("PROTOCOL")
        && protocol != "http/protobuf"
    {
        return Err(Failure::usage(format!("{name}: {protocol}: only http/protobuf is spoken")));
    }
    Ok(match setting("ENDPOINT") {
        Some((name, url)) if name.contains("METRICS") => url,
        Some((_, url)) => with_path(&url),
        None => with_path(ENDPOINT),
    })
}

fn with_path(endpoint: &str) -> String {
    format!("{}{PATH}", endpoint.trim_end_matches('/'))
}

/// `NAME=VALUE,NAME=VALUE`, percent-encoded (<https://www.w3.org/TR/baggage/>). Values are secrets: no message shows one.
fn headers() -> Result<Vec<(HeaderName, HeaderValue)>, Failure> {
    let Some((variable, all)) = setting("HEADERS") else { return Ok(Vec::new()) };
    let header = |(index, entry): (usize, &str)| {
        let wrong = |what: &str| Failure::usage(format!("{variable}: entry {} {what}", index + 1));
        let (name, value) = entry.split_once('=').ok_or_else(|| wrong("is not of the form NAME=VALUE"))?;
        let name = name.trim().parse().map_err(|_| wrong("has no name of a header"))?;
        let value = percent_decode_str(value.trim()).decode_utf8();
        let value = value.ok().and_then(|value| HeaderValue::from_str(&value).ok());
        Ok((name, value.ok_or_else(|| wrong("has a value that no header can have"))?))
    };
    all.split(',').filter(|entry| !entry.trim().is_empty()).enumerate().map(header).collect()
}

/// The certificates of the system or of a file, and the client's certificate that a collector may ask for.
fn tls() -> Result<TlsConfig, Failure> {
    let roots = match setting("CERTIFICATE") {
        None => RootCerts::PlatformVerifier,
        Some(file) => RootCerts::new_with_certs(&certificates(&file)?),
    };
    let client = match (setting("CLIENT_CERTIFICATE"), setting("CLIENT_KEY")) {
        (None, None) => None,
        (Some(chain), Some(key)) => {
            let (name, path) = &key;
            let key = PrivateKey::from_pem(&read(&key)?);
            let key = key.map_err(|_| Failure::input(format!("{path}: holds no private key in PEM ({name})")))?;
            Some(ClientCert::new_with_certs(&certificates(&chain)?, key))
        }
        _ => return Err(Failure::usage("a client's certificate and its key belong together: one of them is not set")),
    };
    Ok(TlsConfig::builder().root_certs(roots).client_cert(client).build())
}

fn certificates(file: &(String, String)) -> Result<Vec<ureq::tls::Certificate<'static>>, Failure> {
    let text = read(file)?;
    let certificates: Vec<_> = parse_pem(&text)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    if certificates.is_empty() {
        let (name, path) = file;
        return Err(Failure::input(format!("{path}: holds no certificate in PEM ({name})")));
    }
    Ok(certificates)
}

fn read((name, path): &(String, String)) -> Result<Vec<u8>, Failure> {
    check_input(path.as_ref())?;
    Ok(fs::read(path).with_context(|| format!("{path}: cannot be read ({name})"))?)
}

/// A URL without the parts that may be secret: user and password before `@`, and the query.
pub(super) fn mask_secrets(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").map_or(("", url), |(scheme, rest)| (&url[..scheme.len() + 3], rest));
    let (user, rest) = rest.rsplit_once('@').map_or(("", rest), |(_, rest)| ("***@", rest));
    let (path, query) = rest.split_once('?').map_or((rest, ""), |(path, _)| (path, "?***"));
    format!("{scheme}{user}{path}{query}")
}
