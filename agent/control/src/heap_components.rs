//! What components held in a heap dump: the arguments of a command, and keys of the recording's line (docs/recording-format.md).

use serde::{Deserialize, Serialize};

/// A heap dump's components, the largest of them, each before its parts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeapComponents {
    /// When the dump was taken, milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// How long the dump stopped the program, by the JVM's own count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_ms: Option<u64>,
    /// Bytes of all reachable objects.
    pub reachable_bytes: u64,
    /// The frameworks whose shipped rules were used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frameworks: Vec<String>,
    /// How many components there were.
    pub components_total: u64,
    /// Those that fit into a line of the protocol.
    pub components: Vec<HeapComponent>,
}

/// A component of a heap dump.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeapComponent {
    /// Its whole name.
    pub component: String,
    /// How many components are above it.
    pub depth: u64,
    /// Objects that a rule assigned to it, without those of its parts.
    pub instances: u64,
    /// Bytes under it in the semantic tree, including those of its parts.
    pub semantic_bytes: u64,
    /// Bytes that would be freed if its objects and those of its parts were gone.
    pub true_bytes: u64,
}

impl HeapComponents {
    /// Bytes of rows: a line has 64 KiB, and the rest of it is short.
    const MOST_BYTES: usize = 60 << 10;

    /// Keeps the components with the most semantic bytes that fit into a line, in their order. No part stays without the
    /// component that it is of, which has as many bytes or more.
    pub fn fit(&mut self) {
        let rows = &self.components;
        let mut largest: Vec<usize> = (0..rows.len()).collect();
        largest.sort_by_key(|&at| std::cmp::Reverse(rows[at].semantic_bytes));
        let mut left = Self::MOST_BYTES;
        let fits = |&at: &usize| {
            let text = serde_json::to_string(&rows[at]).map_or(usize::MAX, |text| text.len() + 1);
            left.checked_sub(text).map(|less| left = less).is_some()
        };
        let mut kept: Vec<usize> = largest.into_iter().take_while(fits).collect();
        kept.sort_unstable();
        self.components = kept.into_iter().map(|at| std::mem::take(&mut self.components[at])).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, Request, ServerLimits};

    fn component(name: String, depth: u64, semantic_bytes: u64) -> HeapComponent {
        HeapComponent { component: name, depth, instances: 1, semantic_bytes, true_bytes: semantic_bytes }
    }

    #[test]
    fn the_largest_stay_in_their_order_and_the_line_is_one_that_the_agent_takes() {
        let long = "\"\u{e9}".repeat(100);
        let mut components = Vec::new();
        for context in 0..100u64 {
            components.push(component(format!("{context}{long}"), 0, 1000 + context));
            components.extend(
                (0..9).map(|bean| component(format!("{context}.{bean}{long}"), 1, (1000 + context) / (bean + 1))),
            );
        }
        let mut found =
            HeapComponents { components_total: 1000, components: components.clone(), ..HeapComponents::default() };
        found.fit();
        let request = Request { id: u64::MAX, command: Command::HeapComponents(found.clone()) };
        assert!(request.to_line().len() < ServerLimits::default().line);
        let kept = &found.components;
        assert!(kept.len() > 50 && kept.len() < 1000, "{}", kept.len());
        let smallest = kept.iter().map(|one| one.semantic_bytes).min().expect("some");
        assert!(components.iter().filter(|one| one.semantic_bytes > smallest).all(|one| kept.contains(one)));
        let mut positions = kept.iter().map(|one| components.iter().position(|other| other == one));
        assert!(positions.clone().zip(positions.by_ref().skip(1)).all(|(one, next)| one < next));
        for part in kept.iter().filter(|one| one.depth == 1) {
            let context = part.component.split_once('.').expect("a part").0;
            assert!(kept.iter().any(|one| one.depth == 0 && one.component == format!("{context}{long}")));
        }
    }
}
