//! That a recording has what traces have found. `traces/` shows it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use weighbridge_table::units::elapsed;

/// A run of traces.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TracedRun {
    /// Index of the JVM.
    #[serde(default)]
    pub jvm: usize,
    /// Its name.
    pub name: String,
    /// What was traced.
    pub what: Vec<String>,
    /// `stop`, `time`, `cost`, or how the JVM or the session ended.
    pub ended_by: Option<String>,
    /// How long it lasted.
    pub lasted_ms: Option<u64>,
}

impl TracedRun {
    /// Of a recording's line; none if it has no name.
    pub(crate) fn of_line(keys: &Map<String, Value>) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let traces = keys.get("traces").and_then(Value::as_array).into_iter().flatten();
        Some(TracedRun {
            jvm: 0,
            name: keys.get("name").and_then(text)?,
            what: traces.filter_map(|trace| text(&trace["what"])).collect(),
            ended_by: keys.get("ended_by").and_then(text),
            lasted_ms: keys.get("lasted_ms").and_then(Value::as_u64),
        })
    }

    /// For people.
    pub fn sentence(&self) -> String {
        let lasted = self.lasted_ms.map_or_else(String::new, |ms| format!(" for {}", elapsed(ms)));
        let what = self.what.join(", ");
        format!("The run {0} has traced {what}{lasted}: `weighbridge trace show RECORDING {0}` shows it.", self.name)
    }
}
