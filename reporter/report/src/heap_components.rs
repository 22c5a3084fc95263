//! Components in heap dumps of a program that was recorded: what `heap components PID --record` wrote into the recording.

use std::collections::HashMap;

use serde::Serialize;
use weighbridge_recording::HeapComponents as Line;

use weighbridge_table::units::{count_with_noun, elapsed};

/// The components in the last heap dump of a JVM, beside those in its first one.
#[derive(Debug, Clone, Serialize)]
pub struct HeapComponents {
    /// Index of the JVM in the report.
    pub jvm: usize,
    /// Dumps of which the recording tells.
    pub dumps: u64,
    /// When the first one was taken, milliseconds since the JVM started.
    pub first_uptime_ms: Option<u64>,
    /// When the last one was taken.
    pub uptime_ms: Option<u64>,
    /// How long the last one stopped the program, by the JVM's own count.
    pub stopped_ms: Option<u64>,
    /// Bytes of all objects that were reachable in the last one.
    pub reachable_bytes: Option<u64>,
    /// The frameworks whose shipped rules were used in the last one.
    pub frameworks: Vec<String>,
    /// How many components the last one had; the recording may have only the largest.
    pub components_total: Option<u64>,
    /// The components in the last one, the most semantic bytes first.
    pub components: Vec<HeapComponent>,
}

/// A component in a heap dump.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeapComponent {
    /// Its whole name.
    pub component: String,
    /// How many components are above it.
    pub depth: Option<u64>,
    /// Objects that a rule assigned to it, without those of its parts.
    pub instances: Option<u64>,
    /// Bytes under it in the semantic tree, including those of its parts.
    pub semantic_bytes: Option<u64>,
    /// Bytes that would be freed if its objects and those of its parts were gone.
    pub true_bytes: Option<u64>,
    /// Semantic bytes in the first dump; `null` if the recording does not have the component there.
    pub first_semantic_bytes: Option<u64>,
}

/// The lines of a JVM so far.
#[derive(Clone, Default)]
pub(crate) struct HeapComponentLines {
    dumps: u64,
    /// The first and the last line.
    ends: Option<(Line, Line)>,
}

impl HeapComponentLines {
    pub(crate) fn add(&mut self, line: Line) {
        self.dumps += 1;
        match &mut self.ends {
            Some((_, last)) => *last = line,
            none => *none = Some((line.clone(), line)),
        }
    }

    pub(crate) fn finish(self, jvm: usize) -> Option<HeapComponents> {
        let (first, last) = self.ends?;
        let before: HashMap<&str, Option<u64>> =
            first.components.iter().filter_map(|one| Some((one.component.as_deref()?, one.semantic_bytes))).collect();
        let row = |one: weighbridge_recording::HeapComponent| {
            let component = one.component?;
            Some(HeapComponent {
                first_semantic_bytes: before.get(component.as_str()).copied().flatten(),
                depth: one.depth,
                instances: one.instances,
                semantic_bytes: one.semantic_bytes,
                true_bytes: one.true_bytes,
                component,
            })
        };
        let mut components: Vec<HeapComponent> = last.components.into_iter().filter_map(row).collect();
        components.sort_by_key(|one| std::cmp::Reverse(one.semantic_bytes));
        Some(HeapComponents {
            jvm,
            dumps: self.dumps,
            first_uptime_ms: first.uptime_ms,
            uptime_ms: last.uptime_ms,
            stopped_ms: last.stopped_ms,
            reachable_bytes: last.reachable_bytes,
            frameworks: last.frameworks,
            components_total: last.components_total,
            components,
        })
    }
}

impl HeapComponents {
    /// What is to be known of the dumps, for people.
    pub fn sentence(&self) -> String {
        let mut text = match self.dumps {
            1 => "One heap dump".to_owned(),
            dumps => format!("The last of {}", count_with_noun(dumps, "heap dump", "heap dumps")),
        };
        if let Some(uptime) = self.uptime_ms {
            text += &format!(", taken {} after the JVM started", elapsed(uptime));
        }
        if let Some(stopped) = self.stopped_ms {
            text += &format!("; it stopped the program for {}", elapsed(stopped));
        }
        if !self.frameworks.is_empty() {
            text += &format!("; rules for {}", self.frameworks.join(", "));
        }
        let left_out = self.components_total.unwrap_or(0).saturating_sub(self.components.len() as u64);
        if left_out > 0 {
            text += &format!(
                "; {} not recorded",
                count_with_noun(left_out, "component that holds less is", "components that hold less are")
            );
        }
        text + "."
    }
}
