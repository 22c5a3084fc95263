//! A run of traces, as the agent tells it (docs/control.md).

use serde::{Deserialize, Serialize};

/// Version of the JSON keys, raised if the meaning of a key changes.
const FORMAT: u32 = 1;

/// A run and its traces.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Run {
    #[serde(default = "format")]
    format: u32,
    pub(super) name: String,
    /// `running` or `ended`.
    pub(super) state: String,
    /// `stop`, `time`, `cost` or `detach`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ended_by: Option<String>,
    /// Milliseconds since the Unix epoch.
    pub(super) since_ms: u64,
    pub(super) lasted_ms: u64,
    /// Patterns, `class=com.acme.**`.
    pub(super) of: Vec<String>,
    /// `key=value` each.
    pub(super) scopes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thread: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) for_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_cpu_permille: Option<u64>,
    /// What it took to give probes to the classes that were loaded.
    pub(super) probed: Probed,
    /// CPU time of the program while the run lasted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cpu_us: Option<u64>,
    pub(super) traces: Vec<RunTrace>,
}

fn format() -> u32 {
    FORMAT
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Probed {
    pub(super) classes: u64,
    pub(super) us: u64,
    /// The longest time of one batch of classes: no thread of the program runs for a part of it.
    pub(super) longest_us: u64,
    /// Classes that got none, because it would have stopped the program for too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) left_out: Option<String>,
}

/// One trace of a run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct RunTrace {
    /// `methods`, `calls`, `coverage`, `objects`, `uses`, `scopes`, `references` or `samples`.
    pub(super) what: String,
    /// Why it could not begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) refused: Option<String>,
    /// What is missing, because it would have stopped the program for too long.
    pub(super) left_out: Option<String>,
    /// How often something was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) events: Option<u64>,
    /// What recording one took, measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ns_per_event: Option<u64>,
    /// How often something was left out from then on, because the trace took too much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thinned: Option<u64>,
    #[serde(default)]
    pub(super) classes_with_probes: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) classes_without: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) without: Vec<Without>,
    /// Of `methods`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) methods: Option<Vec<TracedMethod>>,
    /// Of `calls`: calls that no other traced call has made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) outermost: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) slower_ns: Option<u64>,
    /// How many of them took as long as was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) slow: Option<u64>,
    /// The slowest ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) trees: Option<Vec<OutermostCall>>,
    /// Of `coverage`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) classes: Option<Vec<CoveredClass>>,
    /// Of `objects` and `uses`.
    #[serde(rename = "places", skip_serializing_if = "Option::is_none")]
    pub(super) sites: Option<Vec<AllocationSite>>,
    /// Objects that live and were made first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) oldest: Option<Vec<Object>>,
    /// Of `scopes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scopes: Option<Vec<Scoped>>,
    /// Of `scopes`: tasks that carried nothing, because there were too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) not_carried: Option<u64>,
    /// Of `samples`: one in so many bytes, on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) every_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) samples: Option<Vec<Sampled>>,
    /// Of `references`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) references: Option<Vec<Referring>>,
    /// Of `references`: those that were there before and were freed meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) freed_from_before: Option<u64>,
    /// Of `uses`: objects that live and were not used for the longest time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unused: Option<Vec<UnusedObject>>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A class that stayed as it was.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Without {
    pub(super) class: String,
    pub(super) reason: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct TracedMethod {
    #[serde(flatten)]
    pub(super) method: Named,
    /// Calls that have ended.
    pub(super) calls: u64,
    /// Of these, by an exception.
    pub(super) thrown: u64,
    /// With what it has called.
    pub(super) total_ns: u64,
    pub(super) longest_ns: u64,
    /// It was called too often: later calls are not counted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) left_out: bool,
    /// Calls by the power of two that their times are below, and not below the one before.
    pub(super) within: Vec<Within>,
}

impl TracedMethod {
    /// The time that this part of the calls was not above, in nanoseconds: up to twice too large.
    pub(super) fn quantile(&self, part: f64) -> u64 {
        let wanted = (self.calls as f64 * part).ceil() as u64;
        let mut calls = 0;
        for within in &self.within {
            calls += within.calls;
            if calls >= wanted {
                return within.below_ns.min(self.longest_ns);
            }
        }
        self.longest_ns
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Named {
    pub(super) class: String,
    pub(super) method: String,
    pub(super) descriptor: String,
    /// The first line of its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u64>,
}

impl Named {
    pub(super) fn title(&self) -> String {
        format!("{}.{}", self.class, self.method)
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Within {
    pub(super) below_ns: u64,
    pub(super) calls: u64,
}

/// An outermost call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OutermostCall {
    pub(super) thread: String,
    /// Milliseconds since the Unix epoch.
    pub(super) at_ms: u64,
    pub(super) total_ns: u64,
    /// Calls in it for which there was no room.
    pub(super) more: u64,
    /// In the order of their beginnings.
    pub(super) calls: Vec<TracedCall>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct TracedCall {
    #[serde(flatten)]
    pub(super) method: Named,
    /// 0 for the outermost one.
    pub(super) level: u64,
    /// Classes of the arguments that are objects, the first ones; `null` for null.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) arguments: Vec<String>,
    /// After the beginning of the outermost one.
    pub(super) after_ns: u64,
    pub(super) total_ns: u64,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) thrown: bool,
}

/// A class with probes, covered or not.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CoveredClass {
    pub(super) class: String,
    pub(super) source: Option<String>,
    pub(super) methods: Vec<Covered>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Covered {
    pub(super) method: String,
    pub(super) descriptor: String,
    pub(super) line: Option<u64>,
    pub(super) entered: bool,
    pub(super) lines: Vec<CoveredLine>,
}

/// A line, which has one probe site or several at which it begins. `[line, sites, reached]` in JSON: there are many.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(from = "[u64; 3]", into = "[u64; 3]")]
pub(super) struct CoveredLine {
    pub(super) line: u64,
    pub(super) sites: u64,
    pub(super) reached: u64,
}

impl From<[u64; 3]> for CoveredLine {
    fn from([line, sites, reached]: [u64; 3]) -> Self {
        CoveredLine { line, sites, reached }
    }
}

impl From<CoveredLine> for [u64; 3] {
    fn from(CoveredLine { line, sites, reached }: CoveredLine) -> Self {
        [line, sites, reached]
    }
}

/// Objects of a class that were made by the same stack.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct AllocationSite {
    /// By which `oldest` names it.
    #[serde(rename = "place")]
    pub(super) number: u64,
    pub(super) class: String,
    /// Innermost first.
    pub(super) frames: Vec<String>,
    pub(super) made: u64,
    pub(super) bytes_each: u64,
    /// Found dead by a collection.
    pub(super) died: u64,
    /// Not found dead so far.
    pub(super) live: u64,
    /// Objects that were only counted: there were too many.
    pub(super) not_followed: u64,
    /// Of all that have died.
    pub(super) lived_ms: u64,
    pub(super) longest_ms: u64,
    pub(super) lives: Vec<Lives>,
    /// Of `uses`: the live ones, by the time since their last use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unused: Option<Vec<Unused>>,
    /// Of `uses`: the live ones that were not used in the second half of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unused_half: Option<u64>,
    /// Of `uses`: the class was used too often.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) not_judged: bool,
}

/// Allocations of one class with the same stack.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Sampled {
    pub(super) class: String,
    /// Innermost first.
    pub(super) frames: Vec<String>,
    pub(super) samples: u64,
    /// Estimated.
    pub(super) bytes: u64,
    /// 95 times of 100 the true number is not farther away.
    pub(super) error_bytes: u64,
}

/// Global references that were created with the same stack.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Referring {
    /// Innermost first: mostly a native method.
    pub(super) frames: Vec<String>,
    pub(super) created: u64,
    /// Of these, weak ones.
    pub(super) weak: u64,
    pub(super) freed: u64,
    pub(super) live: u64,
    /// Those that the agent only counted, because too many were live.
    #[serde(default)]
    pub(super) not_followed: u64,
}

/// Calls of entries with the same scopes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Scoped {
    /// `key=value` each, those of outer entries and of the program included.
    pub(super) scopes: Vec<String>,
    /// Calls that have ended.
    pub(super) calls: u64,
    /// Of these, by an exception.
    pub(super) thrown: u64,
    pub(super) total_ns: u64,
    pub(super) longest_ns: u64,
    /// What their threads allocated meanwhile; virtual threads do not tell.
    pub(super) allocated_bytes: u64,
}

/// Objects by the power of two that their seconds without use are below, and not below the one before.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Unused {
    pub(super) below_s: u64,
    pub(super) objects: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct UnusedObject {
    /// As that of [`Object`].
    pub(super) object: u64,
    /// The number of its allocation site.
    #[serde(rename = "place")]
    pub(super) site: u64,
    /// Absent for one that was there before the trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) age_ms: Option<u64>,
    pub(super) unused_s: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Lives {
    pub(super) below_ms: u64,
    pub(super) objects: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Object {
    /// In the order of construction, from 1; it stays.
    pub(super) object: u64,
    /// The number of its allocation site.
    #[serde(rename = "place")]
    pub(super) site: u64,
    pub(super) age_ms: u64,
}

/// What the runtime says of objects that were there before a trace, instead of a stack.
const BEFORE: &str = "(there before the trace)";

impl AllocationSite {
    /// Whether its objects were there before the trace.
    pub(super) fn was_before(&self) -> bool {
        self.frames.first().is_some_and(|frame| frame == BEFORE)
    }
}

impl Run {
    /// Whether it has coverage.
    pub fn has_coverage(&self) -> bool {
        self.classes().next().is_some()
    }

    pub(super) fn classes(&self) -> impl Iterator<Item = &CoveredClass> {
        self.traces.iter().flat_map(|trace| trace.classes.iter().flatten())
    }
}
