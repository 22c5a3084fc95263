//! A JSON report read back: what comparisons and budgets look at, of a recording as of a saved report.

use std::fmt;

use serde::Deserialize;

use crate::aggregate::Aggregate;
use crate::json;

/// The figures of a JSON report (docs/report-json.md) that are compared. Keys that it does not know are ignored; a
/// missing key is `None`, not measured.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct SavedReport {
    /// What all JVMs together say.
    #[serde(default)]
    pub summary: SavedSummary,
    /// One row per class and component.
    #[serde(default)]
    pub classes: Vec<SavedClass>,
    /// One row per component.
    #[serde(default)]
    pub components: Vec<SavedComponent>,
    /// One row per tag.
    #[serde(default)]
    pub tags: Vec<SavedTag>,
    /// The snapshots of all JVMs.
    #[serde(default)]
    pub history: Vec<SavedPoint>,
    /// Classes that grow to the end of the run.
    #[serde(default)]
    pub growth: Vec<SavedGrowth>,
    /// Components that reach ever more bytes to the end of the run; `None` in reports of versions that did not tell.
    pub component_growth: Option<Vec<SavedComponentGrowth>>,
    /// JVMs of which nothing can be told that grows; `None` in reports of versions that did not tell.
    pub suspects_not_judged: Option<Vec<SavedNotJudged>>,
}

/// Why of a JVM nothing can be told that grows.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SavedNotJudged {
    /// What is missing.
    pub reason: String,
}

/// The summary of a report.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SavedSummary {
    /// JVMs that add up.
    pub jvms: u64,
    /// Of them, those that loaded no rewritten class.
    pub jvms_without_rewritten_classes: u64,
    /// Whether a full collection was forced right before every JVM's last snapshot.
    pub collected: Option<bool>,
    /// Heap reached from registered objects, each object once, bytes.
    pub measured_bytes: Option<u64>,
}

/// A class in a component.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SavedClass {
    /// Dotted binary name.
    pub class: String,
    /// Its component.
    pub component: Option<String>,
    /// Objects constructed: exact.
    pub allocated: Option<u64>,
    /// The figures that it shares with components.
    #[serde(flatten)]
    pub figures: SavedFigures,
    /// Ages of its live objects.
    pub age: Option<SavedAge>,
}

/// Ages of live objects.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SavedAge {
    /// Collections that the oldest tracked object survived.
    pub max: Option<u64>,
}

/// A component.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SavedComponent {
    /// Its name.
    pub component: String,
    /// The figures that it shares with classes.
    #[serde(flatten)]
    pub figures: SavedFigures,
    /// The largest deep bytes of any snapshot.
    pub peak_deep_bytes: Option<u64>,
}

/// A tag.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SavedTag {
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: String,
    /// Its figures; a tag has none of the deep and exclusive ones.
    #[serde(flatten)]
    pub figures: SavedFigures,
}

/// Figures of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SavedFigures {
    /// Live objects.
    pub live: Option<u64>,
    /// One standard error of `live`, objects.
    pub live_error: Option<f64>,
    /// Whether every live object is tracked; if not, deep figures are lower bounds.
    pub exact: Option<bool>,
    /// Weak references behind the row.
    pub tracked: Option<u64>,
    /// Shallow bytes of the live objects.
    pub shallow_bytes: Option<u64>,
    /// Held without passing an object of another row, and by no other row so, bytes.
    pub own_bytes: Option<u64>,
    /// Everything reached from the tracked objects, bytes.
    pub deep_bytes: Option<u64>,
    /// Part of it reached from nowhere else.
    pub exclusive_bytes: Option<u64>,
    /// The largest `live` of any snapshot.
    pub peak_live: Option<u64>,
}

/// One snapshot of one JVM.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SavedPoint {
    /// Index of the JVM.
    pub jvm: usize,
    /// Milliseconds since the JVM started.
    pub uptime_ms: Option<u64>,
    /// Whether a full collection was forced right before.
    pub collected: Option<bool>,
    /// The components at that moment.
    pub components: Vec<SavedComponentPoint>,
}

/// One component in one snapshot.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SavedComponentPoint {
    /// Its name.
    pub component: String,
    /// Held by it and no other component, bytes.
    pub own_bytes: Option<u64>,
    /// Bytes reached from its tracked objects.
    pub deep_bytes: Option<u64>,
}

/// A class that grows to the end of its JVM's run.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SavedGrowth {
    /// Dotted binary name.
    pub class: String,
    /// Its component.
    pub component: Option<String>,
    /// Objects more in each minute.
    pub live_per_minute: f64,
    /// One standard error of it.
    pub live_per_minute_error: f64,
    /// Own bytes more in each minute.
    pub own_bytes_per_minute: Option<f64>,
    /// Deep bytes more in each minute.
    pub deep_bytes_per_minute: Option<f64>,
    /// Beginning of the growth that was seen, milliseconds since the JVM started.
    pub from_uptime_ms: u64,
    /// Its end.
    pub to_uptime_ms: u64,
}

/// A component that holds ever more bytes to the end of its JVM's run.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SavedComponentGrowth {
    /// Its name.
    pub component: String,
    /// Which bytes: `own_bytes` or `deep_bytes`. Reports that knew only the latter do not say.
    #[serde(default = "deep_bytes")]
    pub figure: String,
    /// Bytes more in each minute; a lower bound if not exact.
    #[serde(alias = "deep_bytes_per_minute")]
    pub bytes_per_minute: f64,
    /// One standard error of it.
    #[serde(alias = "deep_bytes_per_minute_error")]
    pub bytes_per_minute_error: f64,
    /// Beginning of the growth that was seen, milliseconds since the JVM started.
    pub from_uptime_ms: u64,
    /// Its end.
    pub to_uptime_ms: u64,
}

fn deep_bytes() -> String {
    "deep_bytes".to_owned()
}

/// Why a text was refused as a report.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SavedError {
    /// It is no JSON report of this program; with the parser's reason.
    NotAReport(String),
    /// It was written by a newer version.
    NewerFormat(u64),
}

impl fmt::Display for SavedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SavedError::NotAReport(reason) => write!(f, "neither a recording nor a JSON report: {reason}"),
            SavedError::NewerFormat(found) => write!(
                f,
                "report format {found} is newer than the newest this version reads ({}); use a newer weighbridge",
                json::FORMAT
            ),
        }
    }
}

impl std::error::Error for SavedError {}

/// The keys by which a report is told from any other JSON.
#[derive(Deserialize)]
struct Recognised {
    format: u64,
    #[serde(rename = "jvms")]
    _jvms: Vec<serde::de::IgnoredAny>,
    #[serde(rename = "summary")]
    _summary: serde::de::IgnoredAny,
}

impl SavedReport {
    /// Reads what `report -o json` wrote.
    ///
    /// # Errors
    /// The text is no such report, or one of a newer format.
    pub fn parse(text: &[u8]) -> Result<SavedReport, SavedError> {
        let refused = |error: serde_json::Error| SavedError::NotAReport(error.to_string());
        let recognised: Recognised = serde_json::from_slice(text).map_err(refused)?;
        if recognised.format > u64::from(json::FORMAT) {
            return Err(SavedError::NewerFormat(recognised.format));
        }
        serde_json::from_slice(text).map_err(refused)
    }
}

impl From<&Aggregate> for SavedReport {
    /// By way of the JSON report, so that a recording and its saved report are always the same.
    fn from(aggregate: &Aggregate) -> Self {
        let mut text = Vec::new();
        let written = json::write(aggregate, &mut text);
        written.ok().and_then(|()| SavedReport::parse(&text).ok()).unwrap_or_default()
    }
}
