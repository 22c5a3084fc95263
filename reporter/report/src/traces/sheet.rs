//! A run of traces as tables.

use super::memory_sheet::{objects, references, samples, uses};
use super::run::{CoveredClass, Run, RunTrace, TracedCall};
use weighbridge_table::sheet::{Sheet, SheetCell, SheetTable};
use weighbridge_table::units::{count_with_noun, elapsed, moment, percent};

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
        lines.extend(Some(asked.join(", ")).filter(|asked| !asked.is_empty()));
        lines.push(format!(
            "{} got probes in {}, the longest batch took {}",
            count_with_noun(self.probed.classes, "loaded class", "loaded classes"),
            milliseconds(self.probed.us),
            milliseconds(self.probed.longest_us)
        ));
        lines.extend(self.probed.left_out.clone());
        Sheet { title: "Traces", lines, tables: self.traces.iter().flat_map(|trace| self.tables(trace)).collect() }
    }

    /// What its traces took, in a line.
    pub fn cost_of_all(&self) -> String {
        self.traces.iter().map(|trace| self.cost(trace)).collect::<Vec<_>>().join("; ")
    }

    fn tables(&self, trace: &RunTrace) -> Vec<SheetTable> {
        if let Some(reason) = &trace.refused {
            let title = format!("Trace of {}", trace.what);
            return vec![SheetTable {
                title,
                lines: vec![reason.clone()],
                none: "nothing was traced",
                ..SheetTable::default()
            }];
        }
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
                let classes = count_with_noun(trace.classes_without, "class", "classes");
                format!("{classes} stayed without probes, such as {}: {}", first.class, first.reason)
            });
            first.lines.extend(without);
            first.lines.extend(trace.left_out.clone());
            first.lines.extend(trace.thinned.map(|_| {
                "what happened most was left out from some time on: else the trace had taken too much of the CPU"
                    .to_owned()
            }));
        }
        tables
    }

    /// What the trace took, as far as it was measured.
    fn cost(&self, trace: &RunTrace) -> String {
        if trace.refused.is_some() {
            return format!("{} not traced", trace.what);
        }
        if trace.references.is_some() || trace.samples.is_some() {
            return format!("{}, cost not known", count_with_noun(trace.events.unwrap_or(0), "event", "events"));
        }
        let classes = match trace.classes_with_probes {
            0 => return "no class that matches was loaded".to_owned(),
            classes => count_with_noun(classes, "class", "classes"),
        };
        match (trace.events, trace.ns_per_event, self.cpu_us) {
            (Some(events), Some(ns), Some(cpu)) => {
                let took =
                    percent(events.saturating_mul(ns) / 1000, cpu).unwrap_or_else(|| "an unknown part".to_owned());
                format!(
                    "{classes} with probes; cost: {} of {ns} ns, some {took} of the program's CPU time",
                    count_with_noun(events, "event", "events")
                )
            }
            (Some(events), ..) => {
                format!("{classes} with probes; {}, cost not known", count_with_noun(events, "event", "events"))
            }
            (None, ..) => format!("{classes} with probes; cost not measured: what was reached is only marked"),
        }
    }
}

fn milliseconds(us: u64) -> String {
    format!("{}.{} ms", us / 1000, us % 1000 / 100)
}

fn methods(trace: &RunTrace) -> SheetTable {
    let mut methods: Vec<_> = trace.methods.iter().flatten().collect();
    methods.sort_by_key(|row| std::cmp::Reverse(row.total_ns));
    let rows = methods.iter().map(|row| {
        let title = row.method.title() + if row.left_out { " (until it was left out)" } else { "" };
        vec![
            SheetCell::text(title),
            SheetCell::Count(row.calls),
            SheetCell::Count(row.thrown),
            SheetCell::Span(row.total_ns),
            SheetCell::text(span(row.total_ns / row.calls.max(1))),
            SheetCell::text(span(row.quantile(0.5))),
            SheetCell::text(span(row.quantile(0.99))),
            SheetCell::text(span(row.longest_ns)),
        ]
    });
    SheetTable {
        title: "Methods".to_owned(),
        lines: vec![
            "exact, of the calls that ended meanwhile; times include what a method calls".to_owned(),
            "half and 99 % of the calls were no slower than these times, which are up to twice too large".to_owned(),
        ],
        head: vec!["method", "calls", "thrown", "total ms", "average", "50 %", "99 %", "longest"],
        rows: rows.collect(),
        may_be_cut: true,
        none: "no method was called",
        ..SheetTable::default()
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

fn calls(trace: &RunTrace) -> SheetTable {
    let mut lines = vec![match (trace.slow, trace.slower_ns.unwrap_or(0)) {
        (Some(slow), slower) if slower > 0 => format!(
            "{}; {} took {} or more; the slowest of them",
            count_with_noun(trace.outermost.unwrap_or(0), "outermost call", "outermost calls"),
            count_with_noun(slow, "call", "calls"),
            span(slower)
        ),
        _ => format!(
            "{}; the slowest of them",
            count_with_noun(trace.outermost.unwrap_or(0), "outermost call", "outermost calls")
        ),
    }];
    let more: u64 = trace.trees.iter().flatten().map(|tree| tree.more).sum();
    if more > 0 {
        lines.push(format!("{} within them had no room", count_with_noun(more, "call", "calls")));
    }
    let mut rows = Vec::new();
    let mut levels = Vec::new();
    for tree in trace.trees.iter().flatten() {
        for call in &tree.calls {
            let of_tree = (call.level == 0).then(|| format!("{}, {}", tree.thread, moment(tree.at_ms)));
            rows.push(vec![
                SheetCell::text(title(call)),
                SheetCell::text(span(call.total_ns)),
                SheetCell::text(percent(call.total_ns, tree.total_ns).unwrap_or_default()),
                SheetCell::text(of_tree.unwrap_or_default()),
            ]);
            levels.push(usize::try_from(call.level).unwrap_or(0));
        }
    }
    SheetTable {
        title: "Calls".to_owned(),
        lines,
        head: vec!["call", "took", "share", "thread, and when it began"],
        rows,
        may_be_cut: true,
        none: "no call ended that was slow enough",
        levels,
        ..SheetTable::default()
    }
}

fn title(call: &TracedCall) -> String {
    let arguments = match call.arguments.is_empty() {
        true => String::new(),
        false => format!("({})", call.arguments.join(", ")),
    };
    format!("{}{arguments}{}", call.method.title(), if call.thrown { " (thrown)" } else { "" })
}

fn coverage(trace: &RunTrace) -> SheetTable {
    let mut all = [0; 4];
    let mut rows = Vec::new();
    for class in trace.classes.iter().flatten() {
        let [entered, methods, reached, lines] = of_class(class);
        all = [all[0] + entered, all[1] + methods, all[2] + reached, all[3] + lines];
        rows.push((
            lines - reached,
            vec![
                SheetCell::text(&class.class),
                SheetCell::Count(reached),
                SheetCell::Count(lines),
                SheetCell::text(percent(reached, lines).unwrap_or_default()),
                SheetCell::Count(entered),
                SheetCell::Count(methods),
            ],
        ));
    }
    rows.sort_by_key(|(missed, _)| std::cmp::Reverse(*missed));
    let [entered, methods, reached, lines] = all;
    let sum = |part, whole, what| match percent(part, whole) {
        Some(percent) => format!("{percent} of {whole} {what}"),
        None => format!("no {what}"),
    };
    SheetTable {
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
        ..SheetTable::default()
    }
}

/// Methods entered, methods, lines reached, lines.
pub(super) fn of_class(class: &CoveredClass) -> [u64; 4] {
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

fn scopes(trace: &RunTrace) -> SheetTable {
    let mut scopes: Vec<_> = trace.scopes.iter().flatten().collect();
    scopes.sort_by_key(|row| std::cmp::Reverse(row.total_ns));
    let rows = scopes.iter().map(|row| {
        vec![
            SheetCell::text(row.scopes.join(", ")),
            SheetCell::Count(row.calls),
            SheetCell::Count(row.thrown),
            SheetCell::Span(row.total_ns),
            SheetCell::text(span(row.total_ns / row.calls.max(1))),
            SheetCell::text(span(row.longest_ns)),
            SheetCell::Bytes(row.allocated_bytes),
        ]
    });
    let mut lines = vec![
        "exact, of the calls that ended meanwhile; an inner entry's time and bytes are in the outer one's, too"
            .to_owned(),
        "bytes are what the thread allocated in the call; virtual threads do not tell".to_owned(),
    ];
    let not_carried = trace.not_carried.map(|tasks| count_with_noun(tasks, "task", "tasks"));
    lines.extend(not_carried.map(|tasks| format!("{tasks} carried no scopes, because too many did at once")));
    SheetTable {
        title: "Entries by the scopes that they open".to_owned(),
        lines,
        head: vec!["scopes", "calls", "thrown", "total ms", "average", "longest", "allocated"],
        rows: rows.collect(),
        may_be_cut: true,
        none: "no entry was called",
        ..SheetTable::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::text::TextOptions;

    use super::*;

    #[test]
    fn what_the_jvm_refuses_is_not_told_as_found_empty() {
        let run: Run = serde_json::from_str(
            "{\"name\":\"a\",\"state\":\"ended\",\"since_ms\":0,\"lasted_ms\":1,\"of\":[],\"scopes\":[],\
             \"probed\":{\"classes\":1,\"us\":1,\"longest_us\":1},\
             \"traces\":[{\"what\":\"samples\",\"refused\":\"the JVM does not sample\"}]}",
        )
        .unwrap();
        let mut text = Vec::new();
        run.sheet().text(&TextOptions::default(), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.ends_with("\nTrace of samples\n  the JVM does not sample\n  nothing was traced\n"), "{text}");
        assert_eq!(run.cost_of_all(), "samples not traced");
    }
}
