//! The text after `-agentpath:libweighbridge.so=`: `config=FILE,key=value,...`.

use std::path::Path;
use std::sync::Arc;

use weighbridge_config::Config;

/// What to measure, and how.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) config: Arc<Config>,
    /// The runtime's options, `key=value` with commas between.
    pub(crate) runtime: String,
    /// Whether clients can ask (docs/control.md).
    pub(crate) control: bool,
    /// Whether objects that exist already are taken in.
    pub(crate) seed: bool,
    /// Whether the session ends with the client that attached.
    pub(crate) ends_with_client: bool,
}

/// Names the file to which an attach writes whether it worked.
const ANSWER: &str = "answer";

/// The file that `answer=FILE` names.
pub(crate) fn answer(text: &str) -> Option<&Path> {
    text.split(',').find_map(|option| option.strip_prefix(ANSWER)?.strip_prefix('=')).map(Path::new)
}

impl Options {
    /// Reads the options and the configuration that they name; a reason if that is not possible.
    pub(crate) fn parse(text: &str) -> Result<Options, String> {
        let (mut config, mut runtime) = (None, Vec::new());
        let (mut control, mut seed, mut ends_with_client) = (true, true, false);
        for option in text.split(',') {
            match option.split_once('=') {
                Some(("config", file)) => config = Some(file),
                Some(("control", "on")) => control = true,
                Some(("control", "off")) => control = false,
                Some(("seed", "on")) => seed = true,
                Some(("seed", "off")) => seed = false,
                Some(("end", "client")) => ends_with_client = true,
                Some((ANSWER, _)) => {}
                _ => runtime.push(option),
            }
        }
        let file = config.ok_or("the agent has no option config=FILE")?;
        let config = Config::read(Path::new(file)).map_err(|error| error.to_string())?;
        Ok(Options { config: Arc::new(config), runtime: runtime.join(","), control, seed, ends_with_client })
    }
}
