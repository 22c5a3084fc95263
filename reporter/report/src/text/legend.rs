//! What the columns mean and how each figure was got. Leaves out marks that do not occur.

use crate::aggregate::Aggregate;
use weighbridge_table::section::Section;

pub(super) fn section(aggregate: &Aggregate) -> Section {
    let lines = sentences(aggregate).into_iter().map(str::to_owned).collect();
    Section { faint: true, ..Section::lines("Legend", lines) }
}

pub(crate) fn sentences(aggregate: &Aggregate) -> Vec<&'static str> {
    let mut lines = vec![
        "Allocated: exact; objects whose constructor returned normally. Copies by Object.clone count where a rewritten class makes them; deserialized objects, which run no constructor, are not seen.",
    ];
    if aggregate.classes.iter().any(|row| row.exact == Some(true)) {
        lines.push("Live: exact; every live object is tracked. What lived at the last full marking of the heap (a full collection, or a cycle of a concurrent collector).");
    }
    if aggregate.classes.iter().any(|row| row.exact == Some(false)) {
        lines.push("Live with \u{b1}: estimated from a sample without bias; \u{b1} is half of the 95 % interval (1.96 standard errors).");
    }
    if aggregate.classes.iter().any(|row| row.not_collected.is_some_and(|all| row.live != Some(all))) {
        lines.push("Not collected: what no collection has removed, dead objects among them: no more can live.");
    }
    if aggregate.totals.marked == Some(false) {
        lines.push("\u{2264}: an upper bound; no full marking of the heap is known, so dead objects may be among those counted, and what they hold in the bytes.");
    }
    if aggregate.classes.iter().any(|row| row.live.is_none()) {
        lines.push("-: not measured; classes with `track = \"count\"` have an allocation count only.");
    }
    if aggregate.classes.iter().any(|row| row.peak_live.is_some()) {
        lines.push("Peak: the largest figure of any snapshot; between snapshots it may have been higher, and a snapshot without a full marking counts objects that were dead but not collected yet: a peak may be garbage. Over several JVMs the sum of their peaks.");
    }
    if aggregate.classes.iter().any(|row| row.ages.is_some()) {
        lines.push("Oldest: collections, young and full, that the oldest tracked object survived.");
    }
    if aggregate.classes.iter().any(|row| row.ages.as_ref().is_some_and(|ages| !ages.buckets.is_empty())) {
        lines.push("By age: live objects by the collections, young and full, that they survived since they were registered. Of a class that is sampled, those of the tracked objects, scaled; it is left out if fewer than 30 are tracked. Generations: different ages among the tracked objects, at the first snapshot and now; a class that leaks has ever more.");
    }
    if aggregate.classes.iter().any(|row| row.holders.is_some()) {
        lines.push("Why alive: for up to 1,000 live objects of a class, the fields from the nearest registered object that holds them; list nodes are one step. One chain is told of each object, there may be more.");
    }
    if !aggregate.threads.is_empty() {
        lines.push("By thread: groups by name, numbers replaced by *; allocated is exact. Live figures of sampled classes are estimates.");
    }
    if !aggregate.tags.is_empty() {
        lines.push("By tag: what was constructed while the program had the tag in force; an object counts for each of its tags. Tasks carry tags to other threads only if they were wrapped.");
    }
    lines.extend([
        "Shallow: the live objects alone. Deep: everything they reach, each object once per row; rows overlap, so the column does not add up.",
        "Exclusive: reached from no other row of its table. Shared: the rest. All exclusive bytes plus the shared ones once are the measured bytes.",
        "Used heap: the JVM's own figure, garbage included. 1 KiB = 1,024 bytes; exact bytes are in the JSON report.",
    ]);
    if aggregate.components.iter().any(|row| row.own_bytes.is_some()) {
        lines.push("Own: held without passing an object of another row's, hubs aside (containers, class loaders, thread pools, loggers), and by no other row so; rows do not overlap. Tables are sorted by it.");
    }
    let sampled_once = |point: &crate::Point| point.components.iter().any(|component| component.exact == Some(false));
    if aggregate.deep_is_lower_bound() || aggregate.history.iter().any(sampled_once) {
        lines.push("\u{2265}: a lower bound; objects that are not tracked or cannot be entered may reach more. ~: may err either way for the same reason.");
    }
    if aggregate.jvms.iter().any(|jvm| jvm.header.sizes.as_deref() == Some("formula")) {
        lines.push("~ on bytes: sizes come from the layout formula, not from the JVM.");
    }
    lines
}
