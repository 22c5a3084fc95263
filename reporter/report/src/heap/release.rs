//! What ends with sets of threads.

use std::io::{self, Write};

use serde::Serialize;
use weighbridge_heapdump::threads::Holdings;
use weighbridge_heapdump::{Error, Graph, Heap};

use super::{FORMAT, Facts};
use crate::text::TextOptions;
use weighbridge_table::page::{Page, escaped};
use weighbridge_table::sheet::{SheetCell, SheetTable};
use weighbridge_table::units::count;
use weighbridge_table::{Column, Rows, Sheet, TableRow};

/// The figures of sets of threads.
#[derive(Debug, Clone, Serialize)]
pub struct ReleaseReport {
    format: u32,
    dump: Facts,
    sets: Vec<Set>,
    /// What threads add to those that run, if asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    growth: Vec<Growth>,
}

/// A set of threads, and what their end frees.
#[derive(Debug, Clone, Serialize)]
pub struct Set {
    /// `asked`, `single`, or `best`: a greedy choice of threads that frees much.
    pub why: &'static str,
    /// Serial numbers.
    pub threads: Vec<u32>,
    /// Their names, in the same order.
    pub names: Vec<String>,
    /// Held by single threads of the set.
    pub proprietary_bytes: u64,
    /// Held by several threads of the set and by nothing else, each byte once.
    pub shared_bytes: u64,
    /// What their end frees.
    pub total_bytes: u64,
}

impl Set {
    fn from_threads(
        holdings: &Holdings,
        why: &'static str,
        threads: Vec<u32>,
        names: &[String],
        serials: &[u32],
    ) -> Set {
        let release = holdings.release(&threads);
        Set {
            why,
            names: threads.iter().map(|thread| names[*thread as usize].clone()).collect(),
            threads: threads.into_iter().map(|thread| serials[thread as usize]).collect(),
            proprietary_bytes: release.proprietary,
            shared_bytes: release.shared,
            total_bytes: release.total(),
        }
    }

    /// Each thread, most freed first, then the sets of 2 to `best` threads whose end together frees much.
    pub(super) fn overview(holdings: &Holdings, names: &[String], serials: &[u32], best: usize) -> Vec<Set> {
        let set = |why: &'static str, threads: Vec<u32>| Set::from_threads(holdings, why, threads, names, serials);
        let mut sets: Vec<Set> = (0..serials.len() as u32).map(|thread| set("single", vec![thread])).collect();
        sets.sort_by_key(|set| std::cmp::Reverse(set.total_bytes));
        let best = holdings.best(best);
        sets.extend((2..=best.len()).map(|most| {
            let mut threads = best[..most].to_vec();
            threads.sort_unstable();
            set("best", threads)
        }));
        sets
    }
}

#[derive(Debug, Clone, Serialize)]
struct Growth {
    thread: u32,
    name: String,
    running: Vec<u32>,
    bytes: u64,
}

/// Threads of a dump as arguments name them.
#[derive(Debug, Clone)]
pub enum ThreadName {
    /// By serial number.
    Serial(u32),
    /// By name; several threads may have it.
    Name(String),
}

/// What to compute.
pub struct ReleaseRequest<'a> {
    /// Sets of threads that end.
    pub sets: &'a [Vec<ThreadName>],
    /// Threads in the largest set that is chosen.
    pub best: usize,
    /// Threads that start.
    pub start: &'a [ThreadName],
    /// Threads that run by then; all others if none are named.
    pub running: &'a [ThreadName],
}

/// The name of a thread that is not in the dump, as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown(pub String);

impl ReleaseReport {
    /// Computes them. Copies the graph once.
    ///
    /// # Errors
    /// Names of threads are read from the dump's file, which may be gone. The inner error is a name that no thread has.
    pub fn from_graph(
        heap: &Heap,
        graph: &Graph,
        facts: Facts,
        wanted: &ReleaseRequest<'_>,
    ) -> Result<Result<Self, Unknown>, Error> {
        let names = heap.thread_names(graph.threads())?;
        let serials: Vec<u32> = graph.threads().iter().map(|thread| thread.serial).collect();
        let find = |asked: &[ThreadName]| -> Result<Vec<u32>, Unknown> {
            let mut found = Vec::new();
            for name in asked {
                let before = found.len();
                found.extend((0..).zip(&serials).zip(&names).filter_map(|((thread, serial), known)| match name {
                    ThreadName::Serial(asked) => (asked == serial).then_some(thread),
                    ThreadName::Name(asked) => (asked == known).then_some(thread),
                }));
                if found.len() == before {
                    return Err(Unknown(match name {
                        ThreadName::Serial(serial) => format!("#{serial}"),
                        ThreadName::Name(name) => name.clone(),
                    }));
                }
            }
            found.sort_unstable();
            found.dedup();
            Ok(found)
        };
        let found = || {
            let asked = wanted.sets.iter().map(|set| find(set)).collect::<Result<Vec<_>, _>>()?;
            Ok((asked, find(wanted.start)?, find(wanted.running)?))
        };
        let (asked, started, running) = match found() {
            Ok(found) => found,
            Err(unknown) => return Ok(Err(unknown)),
        };
        let holdings = Holdings::from_heap(heap, graph);
        let sets: Vec<Set> = match (asked.is_empty(), started.is_empty()) {
            (true, true) => Set::overview(&holdings, &names, &serials, wanted.best),
            _ => asked
                .into_iter()
                .map(|threads| Set::from_threads(&holdings, "asked", threads, &names, &serials))
                .collect(),
        };
        let growth = started.into_iter().map(|thread| {
            let others = || (0..serials.len() as u32).filter(|other| *other != thread).collect();
            let running = if wanted.running.is_empty() { others() } else { running.clone() };
            Growth {
                thread: serials[thread as usize],
                name: names[thread as usize].clone(),
                bytes: holdings.growth(thread, &running),
                running: running.into_iter().map(|thread| serials[thread as usize]).collect(),
            }
        });
        Ok(Ok(ReleaseReport { format: FORMAT, dump: facts, sets, growth: growth.collect() }))
    }

    /// As tables.
    pub fn sheet(&self) -> Sheet {
        let sets = TABLES.iter().filter_map(|(key, title, why)| {
            let sets: Vec<Set> = self.sets.iter().filter(|set| set.why == *why).cloned().collect();
            (!sets.is_empty()).then(|| Rows(sets).table(key, title))
        });
        let growth = (!self.growth.is_empty()).then(|| SheetTable {
            key: "growth",
            title: "What threads add to those that run".to_owned(),
            head: vec!["thread", "running", "bytes"],
            rows: self
                .growth
                .iter()
                .map(|growth| {
                    vec![
                        SheetCell::text(thread_label(&growth.name, growth.thread)),
                        SheetCell::Count(growth.running.len() as u64),
                        SheetCell::Bytes(growth.bytes),
                    ]
                })
                .collect(),
            ..SheetTable::default()
        });
        Sheet {
            title: "What ends with threads",
            lines: self.dump.lines().into_iter().chain([MEANING.to_owned()]).collect(),
            tables: sets.chain(growth).collect(),
        }
    }

    /// Writes one page that needs no other file: the sets by each of the three figures.
    pub fn html(&self, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
        let mut page = Page::new("What ends with threads");
        page.lines(self.dump.lines().into_iter().chain([MEANING.to_owned()]));
        let sets: Vec<&Set> = self.sets.iter().collect();
        rankings(&mut page, &sets, options, &|set| escaped(&members(set)));
        if !self.growth.is_empty() {
            let cells = self.growth.iter().map(|growth| {
                vec![
                    escaped(&thread_label(&growth.name, growth.thread)),
                    count(growth.running.len() as u64),
                    count(growth.bytes),
                ]
            });
            page.table("What threads add to those that run", &["thread", "running", "bytes"], cells.collect());
        }
        page.write(output)
    }
}

/// The tables of a page: sets by each of the three figures. `members` gives the HTML of a set's threads.
pub(super) fn rankings(page: &mut Page, sets: &[&Set], options: &TextOptions, members: &dyn Fn(&Set) -> String) {
    type Figure = fn(&Set) -> u64;
    let figures: [(&str, Figure); 3] = [
        ("Sets by what they hold alone", |set| set.proprietary_bytes),
        ("Sets by what their threads share", |set| set.shared_bytes),
        ("Sets by both", |set| set.total_bytes),
    ];
    for (title, figure) in figures {
        let mut sets = sets.to_vec();
        sets.sort_by_key(|set| std::cmp::Reverse(figure(set)));
        let cells = options.top_rows(&sets).iter().map(|set| {
            let bytes = [set.proprietary_bytes, set.shared_bytes, set.total_bytes].map(count);
            [vec![members(set), set.why.to_owned()], bytes.to_vec()].concat()
        });
        page.table(title, &["threads", "why", "proprietary bytes", "shared bytes", "total bytes"], cells.collect());
    }
}

const MEANING: &str = "shared: held by several threads of the set and by nothing else, each byte once";

impl TableRow for Set {
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("threads", "threads", |set: &Self| SheetCell::text(members(set))),
        Column::new("proprietary_bytes", "proprietary", |set: &Self| SheetCell::Bytes(set.proprietary_bytes)),
        Column::new("shared_bytes", "shared", |set: &Self| SheetCell::Bytes(set.shared_bytes)),
        Column::new("total_bytes", "total", |set: &Self| SheetCell::Bytes(set.total_bytes)),
    ];
}

/// The tables of sets: key, title, and which sets.
const TABLES: [(&str, &str, &str); 3] = [
    ("asked", "Sets", "asked"),
    ("single", "Single threads", "single"),
    ("best", "Threads whose end together frees much (greedy choice)", "best"),
];

pub(super) fn thread_label(name: &str, serial: u32) -> String {
    format!("{} #{serial}", if name.is_empty() { "(without a name)" } else { name })
}

fn members(set: &Set) -> String {
    let all = set.names.iter().zip(&set.threads).map(|(name, serial)| thread_label(name, *serial));
    all.collect::<Vec<_>>().join(", ")
}
