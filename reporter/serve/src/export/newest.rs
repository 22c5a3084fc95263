//! The newest figures of a recording.

use std::collections::BTreeMap;

use weighbridge_recording::{ClassLine, Line};
use weighbridge_reporter::{Aggregate, Aggregator, Folded, ShortageCounts};

/// The lines that give the figures of a JVM's last snapshot.
#[derive(Default)]
pub(super) struct Newest {
    header: Option<Line>,
    classes: BTreeMap<u64, ClassLine>,
    snapshot: Option<Line>,
    footer: Option<Line>,
    /// Of all its decisions: there may be many.
    shortages: ShortageCounts,
}

impl Newest {
    pub(super) fn line(&mut self, line: Line) {
        match line {
            Line::Header(_) => *self = Newest { header: Some(line), ..Newest::default() },
            Line::Class(class) => {
                self.classes.insert(class.id, class);
            }
            Line::Snapshot(_) => self.snapshot = Some(line),
            Line::Shortage(decision) => self.shortages.add(&decision),
            Line::Footer(_) => self.footer = Some(line),
            _ => {}
        }
    }

    /// `name`: of the recording.
    pub(super) fn aggregate(&self, name: &str) -> Option<Aggregate> {
        let header = self.header.clone()?;
        let classes = self.classes.values().cloned().map(Line::Class);
        let rest = self.snapshot.iter().chain(&self.footer).cloned();
        let mut aggregator = Aggregator::new();
        let lines = std::iter::once(header).chain(classes).chain(rest);
        aggregator.add(Folded::of_lines(name, lines));
        Some(Aggregate { shortage_counts: self.shortages, ..aggregator.finish() })
    }
}
