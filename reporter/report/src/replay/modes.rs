//! What mark-and-count would have made of the run, had it run in one of its modes (US 7,444,484).
//!
//! Every rule looks at allocations only, as the source does; `runtime/control/MarkAndCount` is how the runtime implements
//! them. The exact curve says what each count would have found, and how far the last count was from the truth.

use serde::Serialize;

/// When to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CountingRule {
    /// Mode 1: at every event. Only a trace of every event can.
    EveryEvent,
    /// Mode 2 as its flow chart has it: all bytes ever allocated exceed the peak, which is always so. The greatest count is
    /// kept.
    EveryAllocation,
    /// Mode 2 as the runtime has it: what the last count left and what was allocated since exceed the peak.
    PeakOnly,
    /// Mode 2 as its summary has it: the bytes allocated since the last count exceed the peak. It can miss peaks.
    PeakOnlySkipping,
    /// Mode 3: more than the tolerance was allocated since the last count.
    Threshold,
    /// Mode 4: the last count and what was allocated since exceed the peak by more than the tolerance.
    PeakWithTolerance,
}

impl CountingRule {
    /// Whether the reported peak is proven to be within the tolerance of the true one.
    pub fn is_sound(self) -> bool {
        self != CountingRule::PeakOnlySkipping
    }
}

/// A rule at work.
#[derive(Debug, Clone)]
pub(super) struct Counting {
    rule: CountingRule,
    tolerance: u64,
    /// Bytes since the last count (X), the last count (Y), the greatest one (Z).
    since: u64,
    last: u64,
    greatest: u64,
    counts: u64,
    most_above: u64,
    most_below: u64,
}

/// What a rule would have made of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModeFigures {
    /// Its number in the source.
    pub mode: u8,
    /// When it counts.
    pub rule: CountingRule,
    /// The tolerance, bytes; of modes 3 and 4.
    pub tolerance_bytes: Option<u64>,
    /// How often it would have counted.
    pub counts: u64,
    /// The greatest count.
    pub peak_bytes: u64,
    /// How much less that is than the true peak.
    pub peak_error_bytes: u64,
    /// Whether the error is proven to be at most the tolerance (0 without one).
    pub sound: bool,
    /// By how much the last count was above the truth at most, after any event.
    pub most_above_bytes: u64,
    /// By how much it was below.
    pub most_below_bytes: u64,
}

impl ModeFigures {
    /// Mode 1, which is the truth.
    pub(super) fn of_every_event(events: u64, true_peak: u64) -> Self {
        ModeFigures {
            counts: events,
            peak_bytes: true_peak,
            peak_error_bytes: 0,
            ..Counting::new(CountingRule::EveryEvent, 0).figures(true_peak)
        }
    }
}

impl Counting {
    pub(super) fn new(rule: CountingRule, tolerance: u64) -> Self {
        Counting { rule, tolerance, since: 0, last: 0, greatest: 0, counts: 0, most_above: 0, most_below: 0 }
    }

    /// An event: so many bytes were allocated by it, and so many live after it.
    pub(super) fn event(&mut self, allocated: u64, live: u64) {
        self.since = self.since.saturating_add(allocated);
        if allocated > 0 && self.must_count() {
            self.counts += 1;
            self.since = 0;
            self.last = live;
            self.greatest = self.greatest.max(live);
        }
        self.most_above = self.most_above.max(self.last.saturating_sub(live));
        self.most_below = self.most_below.max(live.saturating_sub(self.last));
    }

    fn must_count(&self) -> bool {
        let bound = self.last.saturating_add(self.since);
        match self.rule {
            CountingRule::EveryEvent | CountingRule::EveryAllocation => true,
            CountingRule::PeakOnly => bound > self.greatest,
            CountingRule::PeakOnlySkipping => self.since > self.greatest,
            CountingRule::Threshold => self.since > self.tolerance,
            CountingRule::PeakWithTolerance => bound > self.greatest.saturating_add(self.tolerance),
        }
    }

    /// The last count: what its user takes for the live bytes.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// The greatest count.
    pub(super) fn greatest(&self) -> u64 {
        self.greatest
    }

    pub(super) fn figures(&self, true_peak: u64) -> ModeFigures {
        let (mode, has_tolerance) = match self.rule {
            CountingRule::EveryEvent => (1, false),
            CountingRule::EveryAllocation | CountingRule::PeakOnly | CountingRule::PeakOnlySkipping => (2, false),
            CountingRule::Threshold => (3, true),
            CountingRule::PeakWithTolerance => (4, true),
        };
        ModeFigures {
            mode,
            rule: self.rule,
            tolerance_bytes: has_tolerance.then_some(self.tolerance),
            counts: self.counts,
            peak_bytes: self.greatest,
            peak_error_bytes: true_peak.saturating_sub(self.greatest),
            sound: self.rule.is_sound(),
            most_above_bytes: self.most_above,
            most_below_bytes: self.most_below,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use weighbridge_tests::root;

    use super::*;

    /// What a rule makes of the trace of the oracle: counts, greatest count, most above, most below.
    fn of_the_oracle(oracle: &Value, rule: CountingRule, tolerance: u64) -> [u64; 4] {
        let mut counting = Counting::new(rule, tolerance);
        let mut before = 0;
        for after in oracle["truth"].as_array().expect("the truth") {
            let [live, total] = ["live", "total_alloc"].map(|key| after[key].as_u64().expect("bytes"));
            counting.event(total - before, live);
            before = total;
        }
        let figures = counting.figures(1_088);
        assert_eq!(figures.peak_error_bytes, 1_088 - figures.peak_bytes);
        [figures.counts, figures.peak_bytes, figures.most_above_bytes, figures.most_below_bytes]
    }

    #[test]
    fn every_rule_makes_of_the_oracle_what_the_oracle_says() {
        let text = std::fs::read_to_string(root().join("tests/fixtures/mark-and-count.json")).expect("the oracle");
        let oracle: Value = serde_json::from_str(&text).expect("JSON");
        for (rule, tolerance, name) in [
            (CountingRule::EveryAllocation, 0, "2-flowchart-literal"),
            (CountingRule::PeakOnly, 0, "4-peak-tolerance-0"),
            (CountingRule::PeakOnlySkipping, 0, "2-summary-literal"),
            (CountingRule::Threshold, 256, "3-threshold-256"),
            (CountingRule::PeakWithTolerance, 256, "4-peak-tolerance-256"),
            (CountingRule::PeakWithTolerance, 0, "4-peak-tolerance-0"),
        ] {
            let expected = ["measurements", "reported_peak", "max_over_report", "max_under_report"]
                .map(|key| oracle["embodiments"][name][key].as_u64().expect("a figure"));
            assert_eq!(of_the_oracle(&oracle, rule, tolerance), expected, "{name}");
        }
    }
}
