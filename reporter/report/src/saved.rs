//! A JSON report read back. Comparisons and budgets use it for recordings and for saved reports.

use std::fmt;

use serde::Deserialize;

use crate::aggregate::Aggregate;
use crate::component_growth::ComponentGrowth;
use crate::figures::{ClassFigures, ComponentFigures};
use crate::growth::Growth;
use crate::history::Point;
use crate::json::{self, ReportSummary};
use crate::judged::NotJudged;
use crate::origins::TagFigures;
use crate::round_trips::RoundTrip;

/// The part of a JSON report (docs/report-json.md) that is compared, in the rows of the report itself. Unknown keys are
/// ignored; a missing key means not measured.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SavedReport {
    /// The JVMs, as far as they are compared.
    pub jvms: Vec<SavedJvm>,
    /// The figures of all JVMs together.
    pub summary: ReportSummary,
    /// One row per class and component.
    pub classes: Vec<ClassFigures>,
    /// One row per component.
    pub components: Vec<ComponentFigures>,
    /// One row per tag.
    pub tags: Vec<TagFigures>,
    /// The snapshots of all JVMs.
    pub history: Vec<Point>,
    /// Classes that grow to the end of the run.
    pub growth: Vec<Growth>,
    /// Components that hold ever more bytes to the end of the run; `None` in reports of versions without it.
    pub component_growth: Option<Vec<ComponentGrowth>>,
    /// Operations that were done again and again; `None` in reports of versions without it.
    pub round_trips: Option<Vec<RoundTrip>>,
    /// JVMs whose recordings cannot show what grows; `None` in reports of versions without it.
    pub suspects_not_judged: Option<Vec<NotJudged>>,
}

/// A JVM of a report.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SavedJvm {
    /// When it started, milliseconds since the Unix epoch.
    pub started_ms: Option<u64>,
    /// Its session id.
    pub session: Option<String>,
}

/// Why a text was refused as a report.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SavedError {
    /// It is no JSON report of this program. Has the parser's reason.
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

/// The keys that distinguish a report from other JSON.
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
    /// Writes and parses the JSON report, so that a recording and its saved report are always the same.
    fn from(aggregate: &Aggregate) -> Self {
        let mut text = Vec::new();
        let written = json::write(aggregate, &mut text);
        written.ok().and_then(|()| SavedReport::parse(&text).ok()).unwrap_or_default()
    }
}
