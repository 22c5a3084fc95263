//! What a recording says beside the truth, for people.

use super::beside::{Beside, ClassBeside, SnapshotBeside};
use super::tables::share;
use weighbridge_table::sheet::{SheetCell, SheetTable};
use weighbridge_table::units::{bytes, count, count_with_noun, percent};

/// Tables of all snapshots, after one of the whole.
pub(super) fn tables(beside: &Beside) -> Vec<SheetTable> {
    let mut lines = vec![format!(
        "{}: {} marked in the trace, {} not",
        beside.file,
        count_with_noun(beside.snapshots.len() as u64, "snapshot is", "snapshots are"),
        count(beside.snapshots_without_mark)
    )];
    lines.push(match percent(beside.within, beside.judged) {
        Some(share) => format!(
            "of {} that claim how exact they are, {} ({share}) are as exact as they claim; intervals claim 95 %",
            count_with_noun(beside.judged, "figure", "figures"),
            count(beside.within)
        ),
        None => "no figure could be judged: that takes a snapshot right after a full collection, marked in the trace"
            .to_owned(),
    });
    let mut classes = beside.snapshots.iter().flat_map(|snapshot| &snapshot.classes).peekable();
    if classes.peek().is_some() && classes.all(|class| class.true_live == 0) {
        lines.push("none of its classes lived in the trace: is the recording of the same run?".to_owned());
    }
    lines.push(match beside.ages_apart {
        Some(apart) => format!(
            "of {} with recorded ages, {} are in the bucket of their true age, in collections survived",
            count_with_noun(beside.aged, "live object", "live objects"),
            share(Some(1.0 - apart))
        ),
        None => "no ages are compared: that takes recorded ages, and as many collections in the trace as in the recording (concurrent \
                 cycles have more)"
            .to_owned(),
    });
    if let Some(peak) = &beside.peak {
        let known = |figure: Option<u64>| figure.map_or_else(|| "unknown".to_owned(), bytes);
        lines.push(format!(
            "peak by {} (mode {}, source {}): {}, proven ceiling {}; true peak of the objects in the trace {}{}",
            count_with_noun(peak.counts, "count", "counts"),
            peak.mode.as_deref().unwrap_or("unknown"),
            peak.source.as_deref().unwrap_or("unknown"),
            known(peak.peak_bytes),
            known(peak.ceiling_bytes),
            bytes(peak.true_peak_bytes),
            if peak.ceiling_holds == Some(false) { ", which is above the ceiling" } else { "" }
        ));
        lines.push("a count of the whole heap includes objects that the trace never saw".to_owned());
    }
    lines.extend(beside.damaged.as_ref().map(|damage| format!("the recording is damaged: {damage}")));
    let whole = SheetTable { title: "The recording beside the truth".to_owned(), lines, ..SheetTable::default() };
    std::iter::once(whole).chain(beside.snapshots.iter().map(snapshot)).collect()
}

fn snapshot(snapshot: &SnapshotBeside) -> SheetTable {
    let row = |class: &ClassBeside| {
        let judged = match class.within {
            Some(true) => "yes",
            Some(false) => "no",
            None => "not judged",
        };
        vec![
            SheetCell::text(&class.class),
            SheetCell::Count(class.live),
            SheetCell::text(class.claim.as_deref().unwrap_or("no bound")),
            SheetCell::Count(class.true_live),
            SheetCell::MoreObjects(class.error),
            SheetCell::text(judged),
            SheetCell::text(class.ages.as_ref().map_or_else(String::new, |ages| share(Some(1.0 - ages.apart)))),
            class.shallow_bytes.map_or(SheetCell::Nothing, SheetCell::Bytes),
            SheetCell::Bytes(class.true_bytes),
        ]
    };
    let how = match snapshot.collected {
        Some(true) => format!(
            "right after a full collection; {} of {} figures are as exact as they claim",
            count(snapshot.within),
            count(snapshot.judged)
        ),
        _ => "without a full collection: what no collection has found dead counts as live in the recording, so claims are \
              not judged"
            .to_owned(),
    };
    SheetTable {
        title: format!("Snapshot {} of the recording", snapshot.snapshot),
        lines: vec![format!("after event {}, {how}", count(snapshot.event))],
        head: vec!["class", "live", "claim", "truly live", "error", "holds", "ages right", "shallow", "true bytes"],
        rows: snapshot.classes.iter().map(row).collect(),
        may_be_cut: true,
        none: "the snapshot has no class",
        ..SheetTable::default()
    }
}
