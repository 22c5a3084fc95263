//! Tables of objects, allocations and references.

use std::collections::BTreeMap;

use super::run::{AllocationSite, RunTrace};
use weighbridge_table::sheet::{SheetCell, SheetTable, share};
use weighbridge_table::units::{bytes, count_with_noun, elapsed};

pub(super) fn objects(trace: &RunTrace) -> Vec<SheetTable> {
    let mut sites: Vec<&AllocationSite> = trace.sites.iter().flatten().collect();
    sites.sort_by_key(|site| std::cmp::Reverse((site.live, site.made)));
    let made: u64 = sites.iter().map(|site| site.made).sum();
    let all_bytes: u64 = sites.iter().map(|site| site.made.saturating_mul(site.bytes_each)).sum();
    let rows = sites.iter().map(|site| {
        vec![
            SheetCell::text(&site.class),
            SheetCell::text(site.frames.first().map_or("", String::as_str)),
            SheetCell::Count(site.made),
            SheetCell::Bytes(site.made.saturating_mul(site.bytes_each)),
            SheetCell::Count(site.live),
            SheetCell::Count(site.died),
            SheetCell::text(average(site)),
            SheetCell::text(if site.died == 0 { String::new() } else { elapsed(site.longest_ms) }),
        ]
    });
    let mut lines = vec![
        format!(
            "{} were made, {} without what they refer to",
            count_with_noun(made, "object", "objects"),
            bytes(all_bytes)
        ),
        "exact; an age ends when a collection has found the object dead, so live ones may be garbage".to_owned(),
    ];
    let not_followed: u64 = sites.iter().map(|site| site.not_followed).sum();
    if not_followed > 0 {
        lines.push(format!(
            "{} were only counted: their lives are not known",
            count_with_noun(not_followed, "object", "objects")
        ));
    }
    let by_site = SheetTable {
        title: "Objects by allocation site".to_owned(),
        lines,
        head: vec!["class", "made by", "made", "of", "live", "died", "average life", "longest"],
        rows: rows.collect(),
        may_be_cut: true,
        none: "no object was made",
        ..SheetTable::default()
    };
    let stacks = sites.iter().filter(|site| site.frames.len() > 1).flat_map(|site| {
        let of = share(site.live.saturating_mul(site.bytes_each), all_bytes);
        let first = vec![SheetCell::text(&site.class), SheetCell::Count(site.live), SheetCell::text(of)];
        let frames =
            site.frames.iter().map(|frame| vec![SheetCell::text(frame), SheetCell::Nothing, SheetCell::text("")]);
        std::iter::once((0, first)).chain(frames.map(|row| (1, row)))
    });
    let (levels, rows): (Vec<usize>, Vec<Vec<SheetCell>>) = stacks.unzip();
    let by_stack = SheetTable {
        title: "Their stacks".to_owned(),
        head: vec!["class and calls", "live", "bytes of live ones, of all made"],
        rows,
        may_be_cut: true,
        levels,
        ..SheetTable::default()
    };
    let rows = trace.oldest.iter().flatten().map(|object| {
        let (class, made_by) = names(trace, object.site);
        vec![
            SheetCell::text(class),
            SheetCell::Count(object.object),
            SheetCell::text(elapsed(object.age_ms)),
            SheetCell::text(made_by),
        ]
    });
    let oldest = SheetTable {
        title: "The oldest that live".to_owned(),
        head: vec!["class", "object", "age", "made by"],
        rows: rows.collect(),
        may_be_cut: true,
        ..SheetTable::default()
    };
    std::iter::once(by_site).chain([by_stack, oldest].into_iter().filter(|table| !table.rows.is_empty())).collect()
}

/// The class of an allocation site, and the call that made its objects.
fn names(trace: &RunTrace, number: u64) -> (&str, &str) {
    let site = trace.sites.iter().flatten().find(|site| site.number == number);
    site.map_or(("", ""), |site| (&site.class, site.frames.first().map_or("", String::as_str)))
}

/// Live objects by the time since their last use, and those that nobody has used for the longest time.
pub(super) fn uses(trace: &RunTrace) -> Vec<SheetTable> {
    const WITHIN: [u64; 3] = [2, 16, 128];
    let mut sites: Vec<&AllocationSite> = trace.sites.iter().flatten().filter(|site| site.live > 0).collect();
    let longer = |site: &AllocationSite| -> [u64; 4] {
        let mut objects = [0; 4];
        for unused in site.unused.iter().flatten() {
            objects[WITHIN.iter().take_while(|within| unused.below_s > **within).count()] += unused.objects;
        }
        objects
    };
    sites.sort_by_key(|site| {
        let [used, short, long, longest] = longer(site);
        std::cmp::Reverse((longest, long, short, used))
    });
    let rows = sites.iter().map(|site| {
        let mut row = vec![
            SheetCell::text(&site.class),
            SheetCell::text(site.frames.first().map_or("", String::as_str)),
            SheetCell::Count(site.live),
        ];
        row.extend(longer(site).map(|objects| match site.not_judged {
            true => SheetCell::text("not judged"),
            false => SheetCell::Count(objects),
        }));
        row
    });
    let by_site = SheetTable {
        title: "Live objects by the time since their last use".to_owned(),
        lines: vec![
            "a use is a call of one of its methods, or a field that a traced class reads or writes; to the second"
                .to_owned(),
            "live ones may be garbage that no collection has found".to_owned(),
        ],
        head: vec!["class", "made by", "live", "used in 2 s", "2 to 16 s ago", "16 to 128 s", "longer"],
        rows: rows.collect(),
        may_be_cut: true,
        none: "no object lives",
        ..SheetTable::default()
    };
    let rows = trace.unused.iter().flatten().map(|object| {
        let (class, made_by) = names(trace, object.site);
        let age = object.age_ms.map_or_else(|| "from before".to_owned(), elapsed);
        vec![
            SheetCell::text(class),
            SheetCell::Count(object.object),
            SheetCell::text(elapsed(object.unused_s * 1000)),
            SheetCell::text(age),
            SheetCell::text(made_by),
        ]
    });
    let unused = SheetTable {
        title: "Not used for the longest time".to_owned(),
        head: vec!["class", "object", "not used for", "age", "made by"],
        rows: rows.collect(),
        may_be_cut: true,
        ..SheetTable::default()
    };
    std::iter::once(by_site).chain(Some(unused).filter(|table| !table.rows.is_empty())).collect()
}

fn average(site: &AllocationSite) -> String {
    match site.lived_ms.checked_div(site.died) {
        Some(ms) => elapsed(ms),
        None => String::new(),
    }
}

pub(super) fn samples(trace: &RunTrace) -> Vec<SheetTable> {
    let mut all: Vec<_> = trace.samples.iter().flatten().collect();
    all.sort_by_key(|row| std::cmp::Reverse(row.bytes));
    let every = trace.every_bytes.unwrap_or(0);
    let sum: u64 = all.iter().map(|row| row.bytes).sum();
    let mut classes: BTreeMap<&str, (u64, u64, f64)> = BTreeMap::new();
    for row in &all {
        let class = classes.entry(&row.class).or_default();
        class.0 += row.samples;
        class.1 += row.bytes;
        class.2 += (row.error_bytes as f64).powi(2);
    }
    let mut by_class: Vec<_> = classes.into_iter().collect();
    by_class.sort_by_key(|(_, (_, bytes, _))| std::cmp::Reverse(*bytes));
    let rows = by_class.into_iter().map(|(class, (samples, bytes, square))| {
        let error = square.sqrt().round() as u64;
        vec![
            SheetCell::text(class),
            SheetCell::Count(samples),
            SheetCell::Bytes(bytes),
            SheetCell::Bytes(error),
            SheetCell::text(share(bytes, sum)),
        ]
    });
    let by_class = SheetTable {
        title: "Allocations by class".to_owned(),
        lines: vec![
            format!(
                "estimated from {}, one in {} on average",
                count_with_noun(trace.events.unwrap_or(0), "sample", "samples"),
                bytes(every)
            ),
            "95 times of 100 the true number is within the error; rows of a few samples say little".to_owned(),
        ],
        head: vec!["class", "samples", "bytes", "error", "of all"],
        rows: rows.collect(),
        may_be_cut: true,
        none: "nothing was sampled",
        ..SheetTable::default()
    };
    let rows = all.iter().flat_map(|row| {
        let first = vec![
            SheetCell::text(row.frames.first().map_or("(no Java frame)", String::as_str)),
            SheetCell::text(&row.class),
            SheetCell::Count(row.samples),
            SheetCell::Bytes(row.bytes),
        ];
        let frames = row.frames.iter().skip(1);
        let frames = frames
            .map(|frame| vec![SheetCell::text(frame), SheetCell::text(""), SheetCell::Nothing, SheetCell::Nothing]);
        std::iter::once((0, first)).chain(frames.map(|row| (1, row)))
    });
    let (levels, rows): (Vec<usize>, Vec<Vec<SheetCell>>) = rows.unzip();
    let by_stack = SheetTable {
        title: "Allocations by stack".to_owned(),
        head: vec!["allocated by", "class", "samples", "bytes"],
        rows,
        may_be_cut: true,
        levels,
        ..SheetTable::default()
    };
    std::iter::once(by_class).chain(Some(by_stack).filter(|table| !table.rows.is_empty())).collect()
}

pub(super) fn references(trace: &RunTrace) -> SheetTable {
    let mut stacks: Vec<_> = trace.references.iter().flatten().collect();
    stacks.sort_by_key(|row| std::cmp::Reverse((row.live, row.created)));
    let mut rows = Vec::new();
    let mut levels = Vec::new();
    for row in stacks {
        let first = row.frames.first().map_or("(no Java frame)", String::as_str);
        let counts = [row.created, row.weak, row.freed, row.live].map(SheetCell::Count);
        rows.push(std::iter::once(SheetCell::text(first)).chain(counts).collect());
        levels.push(0);
        for frame in row.frames.iter().skip(1) {
            rows.push(vec![
                SheetCell::text(frame),
                SheetCell::Nothing,
                SheetCell::Nothing,
                SheetCell::Nothing,
                SheetCell::Nothing,
            ]);
            levels.push(1);
        }
    }
    let before = trace.freed_from_before.unwrap_or(0);
    let not_followed: u64 = trace.references.iter().flatten().map(|row| row.not_followed).sum();
    let beyond = match not_followed {
        0 => None,
        _ => Some(format!(
            "{} beyond the most that are followed at once: only counted",
            count_with_noun(not_followed, "reference was", "references were")
        )),
    };
    SheetTable {
        title: "Global references of JNI by the stack that creates them".to_owned(),
        lines: std::iter::once(format!(
            "exact, of native code; those of the JVM itself are not seen; {} from before {} freed",
            count_with_noun(before, "reference", "references"),
            if before == 1 { "was" } else { "were" }
        ))
        .chain(beyond)
        .collect(),
        head: vec!["created by", "created", "weak ones", "freed", "live"],
        rows,
        may_be_cut: true,
        none: "native code has created none",
        levels,
        ..SheetTable::default()
    }
}
