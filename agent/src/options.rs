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
}

impl Options {
    /// Reads the options and the configuration that they name; a reason if that is not possible.
    pub(crate) fn parse(text: &str) -> Result<Options, String> {
        let (mut config, mut runtime) = (None, Vec::new());
        for option in text.split(',') {
            match option.strip_prefix("config=") {
                Some(file) => config = Some(file),
                None => runtime.push(option),
            }
        }
        let file = config.ok_or("the agent has no option config=FILE")?;
        let config = Config::read(Path::new(file)).map_err(|error| error.to_string())?;
        Ok(Options { config: Arc::new(config), runtime: runtime.join(",") })
    }
}
