//! A run of traces as tables.

use std::collections::BTreeMap;

use super::run::{Call, Class, Place, Run, Trace};
use crate::sheet::{Cell, Sheet, Table, share};
use crate::units::{bytes, counted, elapsed, moment, percent};

impl Run {
    /// As tables.
    pub fn sheet(&self) -> Sheet {
        let mut lines = vec![format!(
            "run {}, {}, from {}{}",
            self.name,
            elapsed(self.lasted_ms),
            moment(self.since_ms),
            match self.ended_by.as_deref() {
                Some("cost") => ", ended because it took too much of the CPU",
                Some("time") => ", ended when its time was over",
                Some(_) => "",
                None => ", running",
            }
        )];
        let mut asked = self.of.clone();
        asked.extend(self.scopes.iter().map(|scope| format!("scope {scope}")));
        asked.extend(self.thread.iter().map(|thread| format!("thread {thread}")));
        lines.push(asked.join(", "));
        lines.push(format!(
            "{} got probes in {}, the longest batch took {}",
            counted(self.probed.classes, "loaded class", "loaded classes"),
            milliseconds(self.probed.us),
            milliseconds(self.probed.longest_us)
        ));
        Sheet { title: "Traces", lines, tables: self.traces.iter().flat_map(|trace| self.tables(trace)).collect() }
    }

    /// What its traces took, in a line.
    pub fn cost_of_all(&self) -> String {
        self.traces.iter().map(|trace| self.cost(trace)).collect::<Vec<_>>().join("; ")
    }

    fn tables(&self, trace: &Trace) -> Vec<Table> {
        let mut tables = match trace.what.as_str() {
            "methods" => vec![methods(trace)],
            "calls" => vec![calls(trace)],
            "coverage" => vec![coverage(trace)],
            "uses" => uses(trace),
            "scopes" => vec![scopes(trace)],
            "references" => vec![references(trace)],
            "samples" => samples(trace),
            _ => objects(trace),
        };
        if let Some(first) = tables.first_mut() {
            first.lines.push(self.cost(trace));
            let without = trace.without.first().map(|first| {
                let classes = counted(trace.classes_without, "class", "classes");
                format!("{classes} stayed without probes, such as {}: {}", first.class, first.reason)
            });
            first.lines.extend(without);
            first.lines.extend(trace.thinned.map(|_| {
                "what happened most was left out from some time on: else the trace had taken too much of the CPU"
                    .to_owned()
            }));
        }
        tables
    }

    /// What the trace took, as far as it was measured.
    fn cost(&self, trace: &Trace) -> String {
        if trace.references.is_some() || trace.samples.is_some() {
            return format!("{}, cost not known", counted(trace.events.unwrap_or(0), "event", "events"));
        }
        let classes = match trace.classes_with_probes {
            0 => return "no class that matches was loaded".to_owned(),
            classes => counted(classes, "class", "classes"),
        };
        match (trace.events, trace.ns_per_event, self.cpu_us) {
            (Some(events), Some(ns), Some(cpu)) => {
                let took =
                    percent(events.saturating_mul(ns) / 1000, cpu).unwrap_or_else(|| "an unknown part".to_owned());
                format!(
                    "{classes} with probes; cost: {} of {ns} ns, some {took} of the program's CPU time",
                    counted(events, "event", "events")
                )
            }
            (Some(events), ..) => {
                format!("{classes} with probes; {}, cost not known", counted(events, "event", "events"))
            }
            (None, ..) => format!("{classes} with probes; cost not measured: a place that was reached is only marked"),
        }
    }
}

fn milliseconds(us: u64) -> String {
    format!("{}.{} ms", us / 1000, us % 1000 / 100)
}

fn methods(trace: &Trace) -> Table {
    let mut methods: Vec<_> = trace.methods.iter().flatten().collect();
    methods.sort_by_key(|row| std::cmp::Reverse(row.total_ns));
    let rows = methods.iter().map(|row| {
        let title = row.method.title() + if row.left_out { " (until it was left out)" } else { "" };
        vec![
            Cell::text(title),
            Cell::Count(row.calls),
            Cell::Count(row.thrown),
            Cell::Span(row.total_ns),
            Cell::text(span(row.total_ns / row.calls.max(1))),
            Cell::text(span(row.quantile(0.5))),
            Cell::text(span(row.quantile(0.99))),
            Cell::text(span(row.longest_ns)),
        ]
    });
    Table {
        title: "Methods".to_owned(),
        lines: vec![
            "exact, of the calls that ended meanwhile; times include what a method calls".to_owned(),
            "half and 99 % of the calls were no slower than these times, which are up to twice too large".to_owned(),
        ],
        head: vec!["method", "calls", "thrown", "total ms", "average", "50 %", "99 %", "longest"],
        rows: rows.collect(),
        may_be_cut: true,
        none: "no method was called",
        ..Table::default()
    }
}

/// A time in the unit that fits.
fn span(ns: u64) -> String {
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{}.{} us", ns / 1_000, ns % 1_000 / 100),
        1_000_000..1_000_000_000 => format!("{}.{} ms", ns / 1_000_000, ns % 1_000_000 / 100_000),
        _ => format!("{}.{} s", ns / 1_000_000_000, ns % 1_000_000_000 / 100_000_000),
    }
}

fn calls(trace: &Trace) -> Table {
    let mut lines = vec![match (trace.slow, trace.slower_ns.unwrap_or(0)) {
        (Some(slow), slower) if slower > 0 => format!(
            "{}; {} took {} or more; the slowest of them",
            counted(trace.outermost.unwrap_or(0), "outermost call", "outermost calls"),
            counted(slow, "call", "calls"),
            span(slower)
        ),
        _ => format!(
            "{}; the slowest of them",
            counted(trace.outermost.unwrap_or(0), "outermost call", "outermost calls")
        ),
    }];
    let more: u64 = trace.trees.iter().flatten().map(|tree| tree.more).sum();
    if more > 0 {
        lines.push(format!("{} within them had no room", counted(more, "call", "calls")));
    }
    let mut rows = Vec::new();
    let mut levels = Vec::new();
    for tree in trace.trees.iter().flatten() {
        for call in &tree.calls {
            let of_tree = (call.level == 0).then(|| format!("{}, {}", tree.thread, moment(tree.at_ms)));
            rows.push(vec![
                Cell::text(title(call)),
                Cell::text(span(call.total_ns)),
                Cell::text(percent(call.total_ns, tree.total_ns).unwrap_or_default()),
                Cell::text(of_tree.unwrap_or_default()),
            ]);
            levels.push(usize::try_from(call.level).unwrap_or(0));
        }
    }
    Table {
        title: "Calls".to_owned(),
        lines,
        head: vec!["call", "took", "share", "thread, and when it began"],
        rows,
        may_be_cut: true,
        none: "no call ended that was slow enough",
        levels,
    }
}

fn title(call: &Call) -> String {
    let arguments = match call.arguments.is_empty() {
        true => String::new(),
        false => format!("({})", call.arguments.join(", ")),
    };
    format!("{}{arguments}{}", call.method.title(), if call.thrown { " (thrown)" } else { "" })
}

fn coverage(trace: &Trace) -> Table {
    let mut all = [0; 4];
    let mut rows = Vec::new();
    for class in trace.classes.iter().flatten() {
        let [entered, methods, reached, lines] = of_class(class);
        all = [all[0] + entered, all[1] + methods, all[2] + reached, all[3] + lines];
        rows.push((
            lines - reached,
            vec![
                Cell::text(&class.class),
                Cell::Count(reached),
                Cell::Count(lines),
                Cell::text(percent(reached, lines).unwrap_or_default()),
                Cell::Count(entered),
                Cell::Count(methods),
            ],
        ));
    }
    rows.sort_by_key(|(missed, _)| std::cmp::Reverse(*missed));
    let [entered, methods, reached, lines] = all;
    let sum = |part, whole, what| match percent(part, whole) {
        Some(percent) => format!("{percent} of {whole} {what}"),
        None => format!("no {what}"),
    };
    Table {
        title: "Coverage".to_owned(),
        lines: vec![
            format!("reached: {}, {}", sum(reached, lines, "lines"), sum(entered, methods, "methods")),
            "of classes that were loaded; what most lines are missing of comes first; branches are not judged"
                .to_owned(),
        ],
        head: vec!["class", "lines reached", "lines", "share", "methods entered", "methods"],
        rows: rows.into_iter().map(|(_, row)| row).collect(),
        may_be_cut: true,
        none: "no class with lines was loaded",
        ..Table::default()
    }
}

/// Methods entered, methods, lines reached, lines.
pub(super) fn of_class(class: &Class) -> [u64; 4] {
    let entered = class.methods.iter().filter(|method| method.entered).count();
    let mut lines: Vec<(u64, bool)> = (class.methods.iter())
        .flat_map(|method| method.lines.iter().map(|line| (line.line, line.reached > 0)))
        .collect();
    // Two methods may share a line; it is reached if one of them reached it.
    lines.sort_unstable_by_key(|&(line, reached)| (line, !reached));
    lines.dedup_by_key(|(line, _)| *line);
    let reached = lines.iter().filter(|(_, reached)| *reached).count();
    [entered, class.methods.len(), reached, lines.len()].map(|number| number as u64)
}

fn objects(trace: &Trace) -> Vec<Table> {
    let mut places: Vec<&Place> = trace.places.iter().flatten().collect();
    places.sort_by_key(|place| std::cmp::Reverse((place.live, place.made)));
    let made: u64 = places.iter().map(|place| place.made).sum();
    let all_bytes: u64 = places.iter().map(|place| place.made.saturating_mul(place.bytes_each)).sum();
    let rows = places.iter().map(|place| {
        vec![
            Cell::text(&place.class),
            Cell::text(place.frames.first().map_or("", String::as_str)),
            Cell::Count(place.made),
            Cell::Bytes(place.made.saturating_mul(place.bytes_each)),
            Cell::Count(place.live),
            Cell::Count(place.died),
            Cell::text(average(place)),
            Cell::text(if place.died == 0 { String::new() } else { elapsed(place.longest_ms) }),
        ]
    });
    let mut lines = vec![
        format!("{} were made, {} without what they refer to", counted(made, "object", "objects"), bytes(all_bytes)),
        "exact; an age ends when a collection has found the object dead, so live ones may be garbage".to_owned(),
    ];
    let not_followed: u64 = places.iter().map(|place| place.not_followed).sum();
    if not_followed > 0 {
        lines.push(format!(
            "{} were only counted: their lives are not known",
            counted(not_followed, "object", "objects")
        ));
    }
    let by_place = Table {
        title: "Objects by the place where they were made".to_owned(),
        lines,
        head: vec!["class", "made by", "made", "of", "live", "died", "average life", "longest"],
        rows: rows.collect(),
        may_be_cut: true,
        none: "no object was made",
        ..Table::default()
    };
    let stacks = places.iter().filter(|place| place.frames.len() > 1).flat_map(|place| {
        let of = share(place.live.saturating_mul(place.bytes_each), all_bytes);
        let first = vec![Cell::text(&place.class), Cell::Count(place.live), Cell::text(of)];
        let frames = place.frames.iter().map(|frame| vec![Cell::text(frame), Cell::Nothing, Cell::text("")]);
        std::iter::once((0, first)).chain(frames.map(|row| (1, row)))
    });
    let (levels, rows): (Vec<usize>, Vec<Vec<Cell>>) = stacks.unzip();
    let by_stack = Table {
        title: "Their stacks".to_owned(),
        head: vec!["class and calls", "live", "bytes of live ones, of all made"],
        rows,
        may_be_cut: true,
        levels,
        ..Table::default()
    };
    let rows = trace.oldest.iter().flatten().map(|object| {
        let (class, made_by) = names(trace, object.place);
        vec![Cell::text(class), Cell::Count(object.object), Cell::text(elapsed(object.age_ms)), Cell::text(made_by)]
    });
    let oldest = Table {
        title: "The oldest that live".to_owned(),
        head: vec!["class", "object", "age", "made by"],
        rows: rows.collect(),
        may_be_cut: true,
        ..Table::default()
    };
    std::iter::once(by_place).chain([by_stack, oldest].into_iter().filter(|table| !table.rows.is_empty())).collect()
}

fn samples(trace: &Trace) -> Vec<Table> {
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
            Cell::text(class),
            Cell::Count(samples),
            Cell::Bytes(bytes),
            Cell::Bytes(error),
            Cell::text(share(bytes, sum)),
        ]
    });
    let by_class = Table {
        title: "Allocations by class".to_owned(),
        lines: vec![
            format!(
                "estimated from {}, one in {} on average",
                counted(trace.events.unwrap_or(0), "sample", "samples"),
                bytes(every)
            ),
            "95 times of 100 the true number is within the error; rows of a few samples say little".to_owned(),
        ],
        head: vec!["class", "samples", "bytes", "error", "of all"],
        rows: rows.collect(),
        may_be_cut: true,
        none: "nothing was sampled",
        ..Table::default()
    };
    let rows = all.iter().flat_map(|row| {
        let first = vec![
            Cell::text(row.frames.first().map_or("(no Java frame)", String::as_str)),
            Cell::text(&row.class),
            Cell::Count(row.samples),
            Cell::Bytes(row.bytes),
        ];
        let frames = row.frames.iter().skip(1);
        let frames = frames.map(|frame| vec![Cell::text(frame), Cell::text(""), Cell::Nothing, Cell::Nothing]);
        std::iter::once((0, first)).chain(frames.map(|row| (1, row)))
    });
    let (levels, rows): (Vec<usize>, Vec<Vec<Cell>>) = rows.unzip();
    let by_stack = Table {
        title: "Allocations by stack".to_owned(),
        head: vec!["allocated by", "class", "samples", "bytes"],
        rows,
        may_be_cut: true,
        levels,
        ..Table::default()
    };
    std::iter::once(by_class).chain(Some(by_stack).filter(|table| !table.rows.is_empty())).collect()
}

fn references(trace: &Trace) -> Table {
    let mut stacks: Vec<_> = trace.references.iter().flatten().collect();
    stacks.sort_by_key(|row| std::cmp::Reverse((row.live, row.created)));
    let mut rows = Vec::new();
    let mut levels = Vec::new();
    for row in stacks {
        let first = row.frames.first().map_or("(no Java frame)", String::as_str);
        let counts = [row.created, row.weak, row.freed, row.live].map(Cell::Count);
        rows.push(std::iter::once(Cell::text(first)).chain(counts).collect());
        levels.push(0);
        for frame in row.frames.iter().skip(1) {
            rows.push(vec![Cell::text(frame), Cell::Nothing, Cell::Nothing, Cell::Nothing, Cell::Nothing]);
            levels.push(1);
        }
    }
    let before = trace.freed_from_before.unwrap_or(0);
    Table {
        title: "Global references of JNI by the stack that creates them".to_owned(),
        lines: vec![format!(
            "exact, of native code; those of the JVM itself are not seen; {} from before {} freed",
            counted(before, "reference", "references"),
            if before == 1 { "was" } else { "were" }
        )],
        head: vec!["created by", "created", "weak ones", "freed", "live"],
        rows,
        may_be_cut: true,
        none: "native code has created none",
        levels,
    }
}

fn scopes(trace: &Trace) -> Table {
    let mut scopes: Vec<_> = trace.scopes.iter().flatten().collect();
    scopes.sort_by_key(|row| std::cmp::Reverse(row.total_ns));
    let rows = scopes.iter().map(|row| {
        vec![
            Cell::text(row.scopes.join(", ")),
            Cell::Count(row.calls),
            Cell::Count(row.thrown),
            Cell::Span(row.total_ns),
            Cell::text(span(row.total_ns / row.calls.max(1))),
            Cell::text(span(row.longest_ns)),
            Cell::Bytes(row.allocated_bytes),
        ]
    });
    let mut lines = vec![
        "exact, of the calls that ended meanwhile; an inner entry's time and bytes are in the outer one's, too"
            .to_owned(),
        "bytes are what the thread allocated in the call; virtual threads do not tell".to_owned(),
    ];
    let not_carried = trace.not_carried.map(|tasks| counted(tasks, "task", "tasks"));
    lines.extend(not_carried.map(|tasks| format!("{tasks} carried no scopes, because too many did at once")));
    Table {
        title: "Entries by the scopes that they open".to_owned(),
        lines,
        head: vec!["scopes", "calls", "thrown", "total ms", "average", "longest", "allocated"],
        rows: rows.collect(),
        may_be_cut: true,
        none: "no entry was called",
        ..Table::default()
    }
}

/// The class of a place, and the call that made its objects.
fn names(trace: &Trace, number: u64) -> (&str, &str) {
    let place = trace.places.iter().flatten().find(|place| place.place == number);
    place.map_or(("", ""), |place| (&place.class, place.frames.first().map_or("", String::as_str)))
}

/// Live objects by the time since their last use, and those that nobody has used for the longest time.
fn uses(trace: &Trace) -> Vec<Table> {
    const WITHIN: [u64; 3] = [2, 16, 128];
    let mut places: Vec<&Place> = trace.places.iter().flatten().filter(|place| place.live > 0).collect();
    let longer = |place: &Place| -> [u64; 4] {
        let mut objects = [0; 4];
        for unused in place.unused.iter().flatten() {
            objects[WITHIN.iter().take_while(|within| unused.below_s > **within).count()] += unused.objects;
        }
        objects
    };
    places.sort_by_key(|place| {
        let [used, short, long, longest] = longer(place);
        std::cmp::Reverse((longest, long, short, used))
    });
    let rows = places.iter().map(|place| {
        let mut row = vec![
            Cell::text(&place.class),
            Cell::text(place.frames.first().map_or("", String::as_str)),
            Cell::Count(place.live),
        ];
        row.extend(longer(place).map(|objects| match place.not_judged {
            true => Cell::text("not judged"),
            false => Cell::Count(objects),
        }));
        row
    });
    let by_place = Table {
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
        ..Table::default()
    };
    let rows = trace.unused.iter().flatten().map(|object| {
        let (class, made_by) = names(trace, object.place);
        let age = object.age_ms.map_or_else(|| "from before".to_owned(), elapsed);
        vec![
            Cell::text(class),
            Cell::Count(object.object),
            Cell::text(elapsed(object.unused_s * 1000)),
            Cell::text(age),
            Cell::text(made_by),
        ]
    });
    let unused = Table {
        title: "Not used for the longest time".to_owned(),
        head: vec!["class", "object", "not used for", "age", "made by"],
        rows: rows.collect(),
        may_be_cut: true,
        ..Table::default()
    };
    std::iter::once(by_place).chain(Some(unused).filter(|table| !table.rows.is_empty())).collect()
}

fn average(place: &Place) -> String {
    match place.lived_ms.checked_div(place.died) {
        Some(ms) => elapsed(ms),
        None => String::new(),
    }
}
