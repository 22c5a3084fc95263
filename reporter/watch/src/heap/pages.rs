//! The pages of a dump: for each subject a title and rows.

use weighbridge_reporter::heap::release::Set;
use weighbridge_reporter::heap::threads::{SharedEntry, Thread};
use weighbridge_reporter::units::{count, count_with_noun};

use super::{PageSubject, RankCriterion, View};
use crate::cells::short_bytes;

/// Entries listed below a frame, or beside an entry; there may be thousands.
const MOST: usize = 50;

/// The table of a subject.
pub(super) struct Page {
    pub(super) title: String,
    /// The first column takes what the others leave.
    pub(super) head: Vec<Head>,
    pub(super) rows: Vec<PageRow>,
}

/// A column's title, its width, and whether its cells are numbers.
pub(super) type Head = (&'static str, u16, bool);

pub(super) struct PageRow {
    pub(super) cells: Vec<String>,
    /// Where Enter leads.
    pub(super) opens: Option<PageSubject>,
}

const BYTES: u16 = 11;

impl View {
    pub(super) fn page(&self) -> Page {
        match self.subject() {
            PageSubject::Threads => self.threads(),
            PageSubject::Sets => self.sets(),
            PageSubject::Set(index) => self.members(*index),
            PageSubject::Thread(serial) => self.thread(*serial),
            PageSubject::Entry(id) => self.entry(id),
        }
    }

    fn threads(&self) -> Page {
        let rankings = &self.figures.rankings;
        let (title, ranking) = match self.by {
            RankCriterion::Proprietary => ("Threads by what they hold alone", &rankings.proprietary),
            RankCriterion::Shared => ("Threads by what they share", &rankings.shared),
            RankCriterion::Total => ("Threads by both", &rankings.total),
        };
        let rows = ranking.iter().filter_map(|serial| self.figures.thread(*serial)).map(of_thread).collect();
        Page { title: title.to_owned(), head: make_heads("Thread").into(), rows }
    }

    fn sets(&self) -> Page {
        let figure = |set: &Set| match self.by {
            RankCriterion::Proprietary => set.proprietary_bytes,
            RankCriterion::Shared => set.shared_bytes,
            RankCriterion::Total => set.total_bytes,
        };
        let mut sets: Vec<(usize, &Set)> = self.figures.sets.iter().enumerate().collect();
        sets.sort_by_key(|(_, set)| std::cmp::Reverse(figure(set)));
        let rows = sets.into_iter().map(|(index, set)| {
            let names = set.names.iter().zip(&set.threads).map(|(name, serial)| format_thread(name, *serial));
            let bytes = [set.proprietary_bytes, set.shared_bytes, set.total_bytes].map(short_bytes);
            let opens = match set.threads.as_slice() {
                [one] => PageSubject::Thread(*one),
                _ => PageSubject::Set(index),
            };
            let cells = [names.collect::<Vec<_>>().join(", "), set.why.to_owned()].into_iter().chain(bytes).collect();
            PageRow { cells, opens: Some(opens) }
        });
        let title = match self.by {
            RankCriterion::Proprietary => "What ends with threads, by what they hold alone",
            RankCriterion::Shared => "What ends with threads, by what they share",
            RankCriterion::Total => "What ends with threads, by both",
        };
        let [thread, bytes @ ..] = make_heads("Threads");
        let head = [thread, ("Why", 7, false)].into_iter().chain(bytes).collect();
        Page { title: title.to_owned(), head, rows: rows.collect() }
    }

    fn members(&self, index: usize) -> Page {
        let threads = self.figures.sets.get(index).map_or(&[][..], |set| &set.threads);
        let rows = threads.iter().filter_map(|serial| self.figures.thread(*serial)).map(of_thread).collect();
        let title =
            format!("{} whose end together frees much", count_with_noun(threads.len() as u64, "thread", "threads"));
        Page { title, head: make_heads("Thread").into(), rows }
    }

    fn thread(&self, serial: u32) -> Page {
        let mut rows = Vec::new();
        let mut title = String::new();
        if let Some(thread) = self.figures.thread(serial) {
            title = format!("Frames of {}, and what they share", format_thread(&thread.name, serial));
            for frame in &thread.frames {
                let index = frame.index.map_or_else(String::new, |index| index.to_string());
                let cells = vec![
                    format!("{index:>3} {}", frame.method),
                    frame.kind.to_owned(),
                    short_bytes(frame.proprietary_bytes),
                ];
                rows.push(PageRow { cells, opens: None });
                rows.extend(
                    self.entries(&[("frame-shared", &frame.frame_shared), ("thread-shared", &frame.thread_shared)]),
                );
            }
        }
        let head = vec![("Frame, and its entries", 0, false), ("Kind", 13, false), ("Bytes", BYTES, true)];
        Page { title, head, rows }
    }

    fn entry(&self, id: &str) -> Page {
        let head = vec![("Object or class", 0, false), ("Is", 22, false), ("Bytes", BYTES, true)];
        let Some(entry) = self.figures.entry_of(id) else {
            return Page { title: String::new(), head, rows: Vec::new() };
        };
        let title = format!("{id}: {} at {} holds {}", entry.class, entry.object, short_bytes(entry.shared_bytes));
        let row =
            |name: String, is: &str, figure: String| PageRow { cells: vec![name, is.to_owned(), figure], opens: None };
        let mut rows = Vec::new();
        for thread in entry.threads.iter().take(MOST).filter_map(|serial| self.figures.thread(*serial)) {
            let opens = Some(PageSubject::Thread(thread.thread));
            rows.push(PageRow {
                opens,
                ..row(format_thread(&thread.name, thread.thread), "a thread that holds it", String::new())
            });
        }
        let refers = [("an entry it refers to", &entry.frame_shared), ("an entry it refers to", &entry.thread_shared)];
        rows.extend(self.entries(&refers));
        let Some((object, class)) = self.figures.around(entry) else {
            rows.push(row("(only of the largest entries)".to_owned(), "neighbours", String::new()));
            return Page { title, head, rows };
        };
        for (list, total, is) in [
            (&object.referents, object.referents_total, "referred to by it"),
            (&object.referrers, object.referrers_total, "referring to it"),
        ] {
            rows.extend(list.iter().map(|(name, bytes)| row(name.clone(), is, short_bytes(*bytes))));
            rows.extend(more(total.saturating_sub(list.len() as u64)).map(|text| row(text, is, String::new())));
        }
        let instances = format!("{}: {}", class.name, count_with_noun(class.instances, "instance", "instances"));
        rows.push(row(instances, "its class", short_bytes(class.bytes)));
        for (list, is) in [(&class.referents, "referred to by them"), (&class.referrers, "referring to them")] {
            let references = |n: u64| count_with_noun(n, "ref", "refs");
            rows.extend(list.iter().map(|(name, n)| row(name.clone(), is, references(*n))));
        }
        Page { title, head, rows }
    }

    /// Rows of entries; `kinds` says what those of each list are.
    fn entries(&self, kinds: &[(&'static str, &Vec<String>)]) -> Vec<PageRow> {
        let mut rows = Vec::new();
        for (kind, ids) in kinds {
            let shown = ids.iter().take(MOST).filter_map(|id| self.figures.entry_of(id));
            rows.extend(shown.map(|entry| PageRow {
                cells: vec![of_entry(entry), (*kind).to_owned(), short_bytes(entry.shared_bytes)],
                opens: Some(PageSubject::Entry(entry.id.clone())),
            }));
            let more = more(ids.len().saturating_sub(MOST) as u64);
            rows.extend(more.map(|text| PageRow { cells: vec![text, (*kind).to_owned(), String::new()], opens: None }));
        }
        rows
    }
}

fn make_heads(first: &'static str) -> [Head; 4] {
    [(first, 0, false), ("Proprietary", BYTES, true), ("Shared", BYTES, true), ("Total", BYTES, true)]
}

fn of_thread(thread: &Thread) -> PageRow {
    let bytes = [thread.proprietary_bytes, thread.shared_bytes, thread.total_bytes].map(short_bytes);
    let cells = [format_thread(&thread.name, thread.thread)].into_iter().chain(bytes).collect();
    PageRow { cells, opens: Some(PageSubject::Thread(thread.thread)) }
}

fn of_entry(entry: &SharedEntry) -> String {
    format!("      {} {} at {}", entry.id, entry.class, entry.object)
}

fn format_thread(name: &str, serial: u32) -> String {
    format!("{} #{serial}", if name.is_empty() { "(without a name)" } else { name })
}

fn more(left: u64) -> Option<String> {
    (left > 0).then(|| format!("      ... and {} more", count(left)))
}
