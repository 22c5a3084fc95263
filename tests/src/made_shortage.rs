//! Decisions in memory shortages, made without a JVM, for tests of readers.

use weighbridge_recording::{Line, ShortageCandidate, ShortageDecision};

const MIB: u64 = 1 << 20;

/// One that cancelled what held most, one that stopped work by force and left memory short, one that cancelled nothing.
pub fn decisions() -> [Line; 3] {
    let first = ShortageDecision {
        dump_ms: Some(120),
        action: Some("cooperative".into()),
        resolved: Some(true),
        candidates: vec![
            candidate("job=report", "worker-1", Some(40 * MIB), None),
            candidate("job=<b>index</b>", "worker-2", Some(9 * MIB), Some("not permitted")),
            candidate("job=mail", "worker-3", Some(200_000), Some("less than 2684354 bytes")),
        ],
        predicted_bytes: Some(40 * MIB),
        freed_bytes: Some(38 * MIB),
        ..chosen(1, "job=report", "worker-1")
    };
    let second = ShortageDecision {
        action: Some("forced".into()),
        resolved: Some(false),
        candidates: vec![candidate("method=com.acme.Report.render", "worker-4", None, None)],
        predicted_bytes: Some(12 * MIB),
        freed_bytes: Some(10 * MIB),
        ..chosen(2, "method=com.acme.Report.render", "worker-4")
    };
    let third = ShortageDecision {
        action: Some("none".into()),
        reason: Some("job=mail: what it holds was not measured".into()),
        unmeasured: Some("the disk of /tmp has too little room for a heap dump".into()),
        resolved: Some(false),
        candidates: vec![candidate("job=mail", "worker-3", None, Some("what it holds was not measured"))],
        delayed: Some(7),
        refused: Some(2),
        ..decision(3)
    };
    [first, second, third].map(|line| Line::Shortage(Box::new(line)))
}

fn decision(number: u64) -> ShortageDecision {
    ShortageDecision {
        at_ms: Some(1_795_132_800_000 + number * 30_000),
        uptime_ms: Some(number * 30_000),
        number: Some(number),
        dry_run: Some(false),
        cause: Some("old_generation".into()),
        used_bytes: Some(120 * MIB),
        limit_bytes: Some(115 * MIB),
        decided_ms: Some(150),
        pause_ms: Some(40),
        candidates_total: Some(3),
        used_before_bytes: Some(124 * MIB),
        delayed: Some(5),
        refused: Some(1),
        ..ShortageDecision::default()
    }
}

fn chosen(number: u64, name: &str, thread: &str) -> ShortageDecision {
    ShortageDecision {
        chosen: Some(name.into()),
        chosen_thread: Some(thread.into()),
        ended: Some(true),
        ended_ms: Some(12),
        ..decision(number)
    }
}

fn candidate(name: &str, thread: &str, held: Option<u64>, refused: Option<&str>) -> ShortageCandidate {
    let what = name.split_once('=').filter(|(key, _)| *key == "method").map_or("scope", |(key, _)| key);
    ShortageCandidate {
        what: Some(what.into()),
        name: Some(name.into()),
        thread: Some(thread.into()),
        age_ms: Some(61_000),
        priority: Some(5),
        allocated_bytes: Some(90 * MIB),
        held_bytes: held,
        refused: refused.map(str::to_owned),
    }
}
