//! The configuration: which classes register their objects, and how they are measured (docs/configuration.md).

mod budget;
mod components;
mod document;
mod entries;
mod error;
mod frameworks;
mod hubs;
mod matcher;
mod method;
mod named;
mod pattern;
mod position;
mod reader;
mod round_trip;
mod schedule;
mod schema;
mod select;
mod settings;
#[cfg(test)]
mod shape;
mod shortage;
mod trace;

use std::path::Path;

use sha2::{Digest, Sha256};

pub use budget::{Figure, Increase, MemoryBudget, Subject};
pub use components::{ComponentRule, Components, Suspend};
pub use document::{Nested, Track};
pub use entries::{EntryPoint, entry_names, read_entries, ready_entries};
pub use error::{ConfigErrorKind, Error, Result};
pub use frameworks::{Framework, frameworks};
pub use hubs::default_hubs;
pub use matcher::PatternSet;
pub use method::MethodPatterns;
pub use pattern::Pattern;
pub use round_trip::RoundTrip;
pub use schedule::{Schedule, format_duration, parse_duration, parse_pause};
pub use schema::SCHEMA;
pub use select::{Choice, RUNTIME, Selector};
pub use settings::parse_size;
pub use shortage::ShortageConfig;
pub use trace::{TracePatterns, TraceRequest};
pub use weighbridge_contract::{TraceKind, TraceSubject};

use document::{ConfigDocument, VersionOnly};
use named::NamedComponent;
use reader::Reader;

/// The version of the configuration that this version of the program reads.
pub const VERSION: i64 = 1;

/// A valid configuration.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// `instrument.include`: classes that register their objects.
    pub include: PatternSet,
    /// `instrument.exclude`: classes that never do; wins over everything else.
    pub exclude: PatternSet,
    /// `instrument.annotated`: annotation types that select the classes that carry them.
    pub annotated: PatternSet,
    /// `instrument.extends`: supertypes that select the classes below them.
    pub extends: PatternSet,
    /// `instrument.nested`: which archives in archives are opened.
    pub nested: Nested,
    /// `[[target]]`, in the order of the file.
    pub targets: Vec<Target>,
    /// The class pattern of each of `targets`, in the same order.
    pub target_classes: PatternSet,
    /// `[components]`.
    pub components: Components,
    /// `frameworks`: whether heap dumps are also read by the shipped rules of [`frameworks`].
    pub frameworks: bool,
    /// `[[budget]]`, in the order of the file.
    pub budgets: Vec<MemoryBudget>,
    /// `[[round_trip]]`, in the order of the file.
    pub round_trips: Vec<RoundTrip>,
    /// `[shortage]`, if the file has it.
    pub shortage: Option<ShortageConfig>,
    /// `[[trace]]`, in the order of the file.
    pub traces: Vec<TraceRequest>,
    /// The components that `[[budget]]` and `[[round_trip]]` name, in the order of the file.
    named_components: Vec<NamedComponent>,
    settings: Vec<(&'static str, String)>,
    digest: String,
}

/// A `[[target]]`: options for the classes that a pattern selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Measure only what these fields reach; everything if empty.
    pub fields: Vec<String>,
    /// What is kept about the objects.
    pub track: Track,
}

impl Config {
    /// Reads a configuration file.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if the file cannot be read, otherwise those of [`Config::parse`]. They name the path.
    pub fn read(path: &Path) -> Result<Config> {
        Config::read_with_text(path).map(|(config, _)| config)
    }

    /// Reads a configuration file, and gives its text, too.
    ///
    /// # Errors
    /// Those of [`Config::read`].
    pub fn read_with_text(path: &Path) -> Result<(Config, String)> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Error::new(ConfigErrorKind::Io, "cannot be read").in_file(&file).because(error))?;
        let config = Config::parse(&text).map_err(|error| error.in_file(&file))?;
        Ok((config, text))
    }

    /// True if no key names a class that is to register its objects: a file may have `[shortage]` or budgets alone.
    pub fn selects_no_class(&self) -> bool {
        self.include.is_empty() && self.annotated.is_empty() && self.extends.is_empty() && self.targets.is_empty()
    }

    /// Parses a configuration text.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] or [`ErrorKind::Pattern`]. The message starts with line and column; for an unknown key it
    /// names the nearest known one.
    pub fn parse(text: &str) -> Result<Config> {
        let of_toml = |error: toml::de::Error| position::from_toml(text, &error);
        let version: VersionOnly = toml::from_str(text).map_err(of_toml)?;
        check_version(text, version.version)?;
        let document: ConfigDocument = toml::from_str(text).map_err(of_toml)?;
        let reader = Reader { text, lines: position::line_starts(text) };
        let mut config = Config {
            include: reader.patterns(&document.instrument.include)?,
            exclude: reader.patterns(&document.instrument.exclude)?,
            annotated: reader.patterns(&document.instrument.annotated)?,
            extends: reader.patterns(&document.instrument.extends)?,
            nested: document.instrument.nested,
            components: reader.components(&document.components)?,
            shortage: document.shortage.as_ref().map(|given| reader.shortage(given)).transpose()?,
            traces: reader.traces(&document.trace)?,
            settings: reader.settings(&document)?,
            named_components: reader.named_components(&document),
            frameworks: document.frameworks.unwrap_or(true),
            budgets: reader.budgets(document.budget)?,
            round_trips: reader.round_trips(document.round_trip)?,
            digest: hex::encode(Sha256::digest(text)),
            ..Config::default()
        };
        let mut classes = Vec::new();
        for target in document.target {
            classes.push(reader.pattern(&target.class)?);
            let fields = target.fields.into_iter().map(|field| reader.field(field)).collect::<Result<_>>()?;
            config.targets.push(Target { fields, track: target.track });
        }
        config.target_classes = PatternSet::new(classes);
        Ok(config)
    }

    /// SHA-256 of the text, in hexadecimal. Recordings and caches name the configuration by it.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The runtime options that the configuration sets, by the names of docs/configuration.md, "Runtime options".
    ///
    /// Options that it does not set are absent: the runtime has their defaults.
    pub fn runtime_settings(&self) -> &[(&'static str, String)] {
        &self.settings
    }
}

fn check_version(text: &str, version: Option<toml::Spanned<i64>>) -> Result<()> {
    let Some(version) = version else {
        let message = format!("the first key must be `version = {VERSION}`");
        return Err(position::fault(text, 0..0, ConfigErrorKind::Config, &message));
    };
    let message = match *version.get_ref() {
        VERSION => return Ok(()),
        newer if newer > VERSION => format!("version {newer} is newer than this program reads ({VERSION})"),
        unknown => format!("version {unknown} does not exist; this program reads {VERSION}"),
    };
    Err(position::fault(text, version.span(), ConfigErrorKind::Config, &message))
}
