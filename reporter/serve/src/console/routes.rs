//! Which address asks what (docs/console.md lists them).

use std::sync::Arc;

use hyper::body::{Bytes, Incoming};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use super::answer::{self, Refusal, Sent, in_json};
use super::events;
use super::guard::Guard;
use super::holds::Console;
use super::processes::Measured;
use super::question::{self, Attach, Begin, Measure, Set, Start, StopRun, in_query};
use crate::listening::TimedResponse;

/// What the server needs for an answer.
pub(super) struct Routes {
    pub(super) console: Arc<Console>,
    pub(super) guard: Guard,
    pub(super) page: Bytes,
}

impl Routes {
    pub(super) async fn handle_request(self: std::rc::Rc<Self>, request: Request<Incoming>) -> TimedResponse<Sent> {
        let (asked, body) = request.into_parts();
        let answer = match self.guard.check(&asked) {
            Ok(()) => self.checked(&asked, body).await,
            Err(refusal) => Err(refusal),
        };
        answer.unwrap_or_else(|refusal| answer::build_error_response(&refusal))
    }

    async fn checked(&self, asked: &Parts, body: Incoming) -> Result<TimedResponse<Sent>, Refusal> {
        let path: Vec<&str> = asked.uri.path().trim_start_matches('/').split('/').collect();
        let get = asked.method == Method::GET;
        let post = asked.method == Method::POST;
        match path.as_slice() {
            [""] if get => Ok(answer::page(self.page.clone())),
            ["api", "events"] if get => Ok(events::open_stream(Arc::clone(&self.console))),
            ["api", "sources", id] if get => {
                let id = id.parse().map_err(|_| not_found())?;
                self.blocking(move |console| console.sources.page(id)).await
            }
            ["api", "console"] if get => Ok(answer::ready(in_json(&self.console.describe_console())?)),
            ["api", "jvms"] if get => self.blocking(|console| console.processes.list()).await,
            ["api", "jvms", pid, rest @ ..] if get || post => {
                let pid = pid.parse().map_err(|_| not_found())?;
                let query = asked.uri.query().map(str::to_owned);
                if get { self.handle_get(pid, rest, query).await } else { self.act(pid, rest, body).await }
            }
            _ => Err(not_found()),
        }
    }

    /// Changes nothing.
    async fn handle_get(&self, pid: u32, what: &[&str], query: Option<String>) -> Result<TimedResponse<Sent>, Refusal> {
        match what {
            [] => self.blocking(move |console| console.processes.fetch_state(pid)).await,
            ["traces", name] => {
                let name = (*name).to_owned();
                self.blocking(move |console| console.processes.traced(pid, &name)).await
            }
            ["dump"] => self.blocking(move |console| console.dumps.histogram(pid)).await,
            ["dump", "path"] => {
                let class = in_query(query.as_deref(), "class");
                let class = class.ok_or_else(|| Refusal::new(StatusCode::BAD_REQUEST, "of which class?"))?;
                self.blocking(move |console| console.dumps.path(pid, &class)).await
            }
            _ => Err(not_found()),
        }
    }

    async fn act(&self, pid: u32, what: &[&str], body: Incoming) -> Result<TimedResponse<Sent>, Refusal> {
        let command = match what {
            ["attach"] => {
                let wanted: Attach = question::body(body).await?;
                return self.blocking(move |console| console.attach(pid, &wanted)).await;
            }
            ["watch"] => return self.blocking(move |console| console.watch(pid)).await,
            ["detach"] => return self.blocking(move |console| console.processes.detach(pid)).await,
            ["dump"] => return self.blocking(move |console| console.dumps.take(pid, &console.processes.pace)).await,
            ["stop"] => {
                let command = question::body::<StopRun>(body).await?.command();
                return self.blocking(move |console| in_json(&console.processes.end_of(pid, &command)?)).await;
            }
            ["traces", name, "stop"] => {
                let name = (*name).to_owned();
                return self.blocking(move |console| console.processes.end_of_trace(pid, &name)).await;
            }
            ["measure"] => question::body::<Measure>(body).await?.command(),
            ["start"] => question::body::<Start>(body).await?.command(),
            ["set"] => question::body::<Set>(body).await?.command(),
            ["traces"] => question::body::<Begin>(body).await?.command()?,
            _ => return Err(not_found()),
        };
        self.blocking(move |console| console.processes.request_costly_reply(pid, &command)).await
    }

    /// Does it in a thread of its own: others are answered meanwhile.
    async fn blocking(
        &self,
        act: impl FnOnce(&Console) -> Result<Bytes, Refusal> + Send + 'static,
    ) -> Result<TimedResponse<Sent>, Refusal> {
        let console = Arc::clone(&self.console);
        let done = spawn_blocking(move || act(&console)).await;
        let done = done.map_err(|_| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "the console ends"))?;
        done.map(answer::ready)
    }
}

impl Console {
    /// What the page may offer.
    fn describe_console(&self) -> Value {
        let config = self.config.as_ref().map(|(file, _)| file.display().to_string());
        json!({ "version": env!("CARGO_PKG_VERSION"), "config": config })
    }

    /// Measures a JVM, and shows what it sends.
    fn attach(&self, pid: u32, wanted: &Attach) -> Result<Bytes, Refusal> {
        let measured = match &self.config {
            Some((_, measured)) if wanted.config => measured.clone(),
            None if wanted.config => {
                return Err(Refusal::new(StatusCode::BAD_REQUEST, "the console was started without --config"));
            }
            _ => Measured::by_patterns(&wanted.include)?,
        };
        let measured = measured.with_pause(wanted.pause.as_deref());
        let measured = measured.map_err(|why| Refusal::new(StatusCode::BAD_REQUEST, format!("pause: {why}")))?;
        let (file, left_out) = self.processes.attach(pid, &measured)?;
        let id = self.sources.add_attached(pid, &file)?;
        in_json(&json!({ "source": id, "left_out": left_out }))
    }

    /// Shows a JVM that is measured by somebody else.
    fn watch(&self, pid: u32) -> Result<Bytes, Refusal> {
        let id = self.sources.add_process(pid)?;
        in_json(&json!({ "source": id }))
    }
}

fn not_found() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "there is nothing here")
}
