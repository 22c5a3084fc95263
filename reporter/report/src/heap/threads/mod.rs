//! What threads and their frames hold.

mod chains;
mod html;
mod neighbours;
mod text;

use std::collections::HashMap;

use serde::Serialize;
use weighbridge_heapdump::threads::{Holdings, Shared, SharedHolding, Usage};
use weighbridge_heapdump::{Error, Graph, Heap, ObjectIndex, StackFrame, ThreadPart};

use super::names::address;
use super::release::Set;
use super::{DumpedProcess, FORMAT, Facts};
use chains::id;
use neighbours::Neighbours;
pub use neighbours::{ClassNeighbours, Object};

/// Threads in the largest set that ends together, as `heap release` has it by default.
const BEST: usize = 5;

/// The figures of a dump's threads.
#[derive(Debug, Clone, Serialize)]
pub struct ThreadReport {
    format: u32,
    /// The dump.
    pub dump: Facts,
    summary: ThreadSummary,
    /// By serial number.
    pub threads: Vec<Thread>,
    /// Serial numbers of the threads, most first.
    pub rankings: Rankings,
    /// Objects that several frames of one thread hold, most bytes first.
    pub frame_shared: Vec<SharedEntry>,
    /// Objects that several threads hold, most bytes first.
    pub thread_shared: Vec<SharedEntry>,
    #[serde(skip)]
    neighbours: Neighbours,
    /// What ends with each thread, and with the best sets; nothing without a drill-down.
    #[serde(skip)]
    pub sets: Vec<Set>,
}

#[derive(Debug, Clone, Serialize)]
struct ThreadSummary {
    /// Bytes that single threads hold.
    proprietary_bytes: u64,
    /// Bytes that several threads hold and nothing else does, each once.
    shared_bytes: u64,
    threads: u64,
    frame_shared: u64,
    thread_shared: u64,
}

/// Serial numbers of the threads, most first.
#[derive(Debug, Clone, Serialize)]
pub struct Rankings {
    /// By what they hold alone.
    pub proprietary: Vec<u32>,
    /// By what they share.
    pub shared: Vec<u32>,
    /// By both.
    pub total: Vec<u32>,
}

/// A thread, and what it holds.
#[derive(Debug, Clone, Serialize)]
pub struct Thread {
    /// Its serial number in the dump.
    pub thread: u32,
    /// `Thread.getId()`; null if the dump does not have it.
    pub java_id: Option<i64>,
    /// Its name.
    pub name: String,
    /// Freed when it ends.
    pub proprietary_bytes: u64,
    /// Held by other threads too, and by nothing else.
    pub shared_bytes: u64,
    /// Both.
    pub total_bytes: u64,
    /// Its frames from the top of the stack, then what belongs to no frame.
    pub frames: Vec<FrameRow>,
}

/// A frame of a thread, or another part of it.
#[derive(Debug, Clone, Serialize)]
pub struct FrameRow {
    /// Index in the stack, 0 at the top; null if the part is no frame.
    pub index: Option<u32>,
    /// `class.method:line`, or what the part is.
    pub method: String,
    /// `fixed` (system code), `variable` (user code), or `none` if the part is no frame.
    pub kind: &'static str,
    /// Held by this frame alone.
    pub proprietary_bytes: u64,
    /// Ids of entries that it refers to.
    pub frame_shared: Vec<String>,
    /// The same of entries that other threads hold, too.
    pub thread_shared: Vec<String>,
    /// The chains that start at the ids above, the first 20.
    developed: Vec<String>,
}

/// Objects that several frames or threads hold, by the one that dominates the others.
#[derive(Debug, Clone, Serialize)]
pub struct SharedEntry {
    /// `#F1` or `#T1`.
    pub id: String,
    /// Address of the root object.
    pub object: String,
    /// Its class.
    pub class: String,
    /// What the root retains.
    pub shared_bytes: u64,
    /// Ids of entries that it refers to.
    pub frame_shared: Vec<String>,
    /// The same of entries that several threads hold.
    pub thread_shared: Vec<String>,
    /// Serial numbers of the threads that hold it.
    pub threads: Vec<u32>,
    #[serde(skip)]
    root: ObjectIndex,
}

/// What to compute.
pub struct ThreadRequest<'a> {
    /// Whether a class's methods are system code, by its dotted name.
    pub fixed: &'a dyn Fn(&str) -> bool,
    /// Entries whose neighbours are looked up for a drill-down; 0 for none, and for no sets of threads.
    pub drill: usize,
}

impl ThreadReport {
    /// Computes them. Copies the graph once.
    ///
    /// # Errors
    /// Names of threads are read from the dump's file, which may be gone.
    pub fn from_graph(heap: &Heap, graph: &Graph, facts: Facts, wanted: &ThreadRequest<'_>) -> Result<Self, Error> {
        let holdings = Holdings::from_heap(heap, graph);
        let names = heap.thread_names(graph.threads())?;
        let java_ids = heap.thread_java_ids(graph.threads())?;
        let usage = holdings.usage();
        let serial = |thread: u32| graph.threads()[thread as usize].serial;
        let serials: Vec<u32> = graph.threads().iter().map(|thread| thread.serial).collect();
        let sets = match wanted.drill {
            0 => Vec::new(),
            _ => Set::overview(&holdings, &names, &serials, BEST),
        };
        let mut threads: Vec<Thread> = graph
            .threads()
            .iter()
            .zip(names)
            .zip(java_ids)
            .zip(&usage)
            .map(|(((thread, name), java_id), usage)| Thread {
                thread: thread.serial,
                java_id,
                name,
                proprietary_bytes: usage.proprietary,
                shared_bytes: usage.shared,
                total_bytes: usage.total(),
                frames: Vec::new(),
            })
            .collect();
        let traces: Vec<Vec<StackFrame>> =
            graph.threads().iter().map(|thread| heap.dump().trace(thread.trace)).collect();
        for (number, part) in (0..).zip(holdings.parts()) {
            let row = holdings.row(number);
            let (index, method, kind) = described(part.part, &traces[part.thread as usize], wanted.fixed);
            threads[part.thread as usize].frames.push(FrameRow {
                index,
                method,
                kind,
                proprietary_bytes: row.bytes,
                frame_shared: frame_ids(&row.refers),
                thread_shared: thread_ids(&row.refers),
                developed: chains::follow_chains(&holdings, &row.refers),
            });
        }
        let entry = |entry: SharedHolding, name: String, threads: Vec<u32>| {
            let root = entry.object();
            SharedEntry {
                id: name,
                object: address(heap, root),
                class: heap.classes().get(heap.class_of(root)).name.clone(),
                shared_bytes: entry.bytes,
                frame_shared: frame_ids(&entry.refers),
                thread_shared: thread_ids(&entry.refers),
                threads,
                root,
            }
        };
        let mut frame_shared: Vec<SharedEntry> = (0..holdings.counts()[0])
            .map(|number| {
                let thread = serial(holdings.thread_of_frame_shared(number));
                entry(holdings.frame_shared(number), id(false, number), vec![thread])
            })
            .collect();
        let mut thread_shared: Vec<SharedEntry> = (0..holdings.counts()[1])
            .map(|number| {
                let threads = holdings.threads_of(number).into_iter().map(serial).collect();
                entry(holdings.thread_shared(number), id(true, number), threads)
            })
            .collect();
        let summary = ThreadSummary {
            proprietary_bytes: usage.iter().map(|usage| usage.proprietary).sum(),
            shared_bytes: holdings.release(&(0..graph.threads().len() as u32).collect::<Vec<_>>()).shared,
            threads: graph.threads().len() as u64,
            frame_shared: frame_shared.len() as u64,
            thread_shared: thread_shared.len() as u64,
        };
        for entries in [&mut frame_shared, &mut thread_shared] {
            entries.sort_by_key(|entry| std::cmp::Reverse(entry.shared_bytes));
        }
        let ranked = |figure: fn(&Usage) -> u64| {
            let mut order: Vec<usize> = (0..usage.len()).collect();
            order.sort_by_key(|thread| std::cmp::Reverse(figure(&usage[*thread])));
            order.into_iter().map(|thread| serial(thread as u32)).collect()
        };
        let rankings = Rankings {
            proprietary: ranked(|usage| usage.proprietary),
            shared: ranked(|usage| usage.shared),
            total: ranked(|usage| usage.total()),
        };
        let shown = frame_shared.iter().take(wanted.drill).chain(thread_shared.iter().take(wanted.drill));
        let neighbours = Neighbours::from_graph(heap, graph, shown.map(|entry| entry.root));
        Ok(ThreadReport {
            format: FORMAT,
            dump: facts,
            summary,
            threads,
            rankings,
            frame_shared,
            thread_shared,
            neighbours,
            sets,
        })
    }

    /// The threads in the order of a ranking.
    fn ranked<'a>(&'a self, ranking: &'a [u32]) -> impl Iterator<Item = &'a Thread> {
        let by_serial: HashMap<u32, &Thread> = self.threads.iter().map(|thread| (thread.thread, thread)).collect();
        ranking.iter().filter_map(move |serial| by_serial.get(serial).copied())
    }

    /// What the dump cost the program, what the figures are, and the sums.
    pub fn describe_dump(&self) -> Vec<String> {
        let process = self.dump.process.iter().flat_map(DumpedProcess::lines);
        process.chain([self.statement()]).chain(self.dump.warnings.iter().cloned()).collect()
    }

    /// The thread of a serial number.
    pub fn thread(&self, serial: u32) -> Option<&Thread> {
        self.threads.iter().find(|thread| thread.thread == serial)
    }

    /// The entry of an id.
    pub fn entry_of(&self, id: &str) -> Option<&SharedEntry> {
        self.frame_shared.iter().chain(&self.thread_shared).find(|entry| entry.id == id)
    }

    /// The neighbours of an entry's object and of its class; `None` if they were not looked up.
    pub fn around(&self, entry: &SharedEntry) -> Option<(&Object, &ClassNeighbours)> {
        let name = entry.name();
        let object = self.neighbours.objects.iter().find(|object| object.name == name)?;
        Some((object, self.neighbours.classes.iter().find(|class| class.name == entry.class)?))
    }

    /// How the figures are to be read.
    const MEANING: [&str; 2] = [
        "proprietary: freed when the thread ends; shared: held by other threads too, and by nothing else",
        "what static fields, class loaders or native code hold as well belongs to no thread",
    ];
}

impl SharedEntry {
    /// The name of its object among the neighbours.
    fn name(&self) -> String {
        format!("{} at {}", self.class, self.object)
    }
}

/// A part's index in the stack, method and kind.
fn described(
    part: ThreadPart,
    trace: &[StackFrame],
    fixed: &dyn Fn(&str) -> bool,
) -> (Option<u32>, String, &'static str) {
    let depth = match part {
        ThreadPart::Frame(depth) => depth,
        ThreadPart::Native => return (None, "(native code outside any frame)".to_owned(), "none"),
        ThreadPart::Own => return (None, "(the thread itself: its object, task and thread locals)".to_owned(), "none"),
    };
    let Some(frame) = trace.get(depth as usize) else {
        return (Some(depth), "(not in the dump's stack trace)".to_owned(), "none");
    };
    let line = frame.line.map_or(String::new(), |line| format!(":{line}"));
    let class = if frame.class.is_empty() { String::new() } else { format!("{}.", frame.class) };
    let kind = if fixed(&frame.class) { "fixed" } else { "variable" };
    (Some(depth), format!("{class}{}{line}", frame.method), kind)
}

fn frame_ids(shared: &Shared) -> Vec<String> {
    shared.frame.iter().map(|&number| id(false, number)).collect()
}

fn thread_ids(shared: &Shared) -> Vec<String> {
    shared.thread.iter().map(|&number| id(true, number)).collect()
}
