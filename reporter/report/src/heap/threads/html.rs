//! The page of `heap threads`: from a thread to its frames, the entries that they share, objects and classes.

use std::collections::HashSet;
use std::io::{self, Write};

use super::super::release::{Set, rankings as rankings_of_sets, thread_label};
use super::neighbours::{ClassNeighbours, MOST, Object};
use super::text::title;
use super::{SharedEntry, Thread, ThreadReport};
use crate::text::TextOptions;
use weighbridge_table::page::{Page, escaped};
use weighbridge_table::units::count;

impl ThreadReport {
    /// Writes one page that needs no other file.
    pub fn html(&self, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
        let top = options.top.unwrap_or(usize::MAX);
        let mut page = Page::new("Heap by thread");
        page.lines(self.dump.lines().into_iter().chain(Self::MEANING.map(str::to_owned)).chain([self.statement()]));
        let rankings = [
            ("Threads by what they hold alone", &self.rankings.proprietary),
            ("Threads by what they share", &self.rankings.shared),
            ("Threads by both", &self.rankings.total),
        ];
        // Every thread of a list has a table of its own, if it holds anything.
        let listed = rankings.iter().flat_map(|(_, ranking)| self.ranked(ranking).take(top));
        let listed = listed.filter(|thread| thread.total_bytes > 0).map(|thread| thread.thread);
        let shown = LinkTargets {
            threads: listed.collect(),
            entries: [&self.frame_shared, &self.thread_shared]
                .into_iter()
                .flat_map(|entries| entries.iter().take(top).map(|entry| entry.id.as_str()))
                .collect(),
        };
        for (title, ranking) in rankings {
            page.table(title, &THREADS, self.ranked(ranking).take(top).map(|thread| shown.row(thread)).collect());
        }
        if !self.sets.is_empty() {
            page.heading("What ends with threads");
            let sets: Vec<&Set> = self.sets.iter().collect();
            rankings_of_sets(&mut page, &sets, options, &|set| shown.members(set));
        }
        for thread in self.ranked(&self.rankings.total).filter(|thread| shown.threads.contains(&thread.thread)) {
            page.raw(&format!("<span id=thread-{}></span>", thread.thread));
            page.table(&title(thread), &ROWS, rows(thread, &shown));
        }
        for (title, entries) in
            [("Shared by frames of one thread", &self.frame_shared), ("Shared by threads", &self.thread_shared)]
        {
            if !entries.is_empty() {
                page.table(title, &ENTRIES, entries.iter().take(top).map(|entry| self.entry(entry, &shown)).collect());
            }
        }
        for object in &self.neighbours.objects {
            page.raw(&format!("<span id=\"{}\"></span>", anchor(&object.name)));
            page.table(&object.name, &AROUND_OBJECT, around_object(object));
        }
        for class in &self.neighbours.classes {
            page.raw(&format!("<span id=\"{}\"></span>", anchor(&class.name)));
            let title = format!("{}: {} instances, {} bytes", class.name, count(class.instances), count(class.bytes));
            page.table(&title, &AROUND_CLASS, around_class(class));
        }
        page.write(output)
    }

    fn entry(&self, entry: &SharedEntry, shown: &LinkTargets<'_>) -> Vec<String> {
        let has_table = self.around(entry).is_some();
        let link = |target: &str, text: &str| match has_table {
            true => format!("<a href=\"#{}\">{}</a>", anchor(target), escaped(text)),
            false => escaped(text),
        };
        let threads = entry.threads.iter().take(MOST).map(|thread| shown.thread(*thread, &thread.to_string()));
        vec![
            format!("<span id=\"{0}\">{0}</span>", escaped(&entry.id).trim_start_matches('#')),
            link(&entry.name(), &entry.object),
            link(&entry.class, &entry.class),
            count(entry.shared_bytes),
            threads.collect::<Vec<_>>().join(" "),
            shown.links(&entry.frame_shared),
            shown.links(&entry.thread_shared),
        ]
    }
}

/// What has an anchor on the page, to which a link can lead.
struct LinkTargets<'a> {
    threads: HashSet<u32>,
    entries: HashSet<&'a str>,
}

impl LinkTargets<'_> {
    /// A thread's text, with a link if there is one.
    fn thread(&self, serial: u32, text: &str) -> String {
        match self.threads.contains(&serial) {
            true => format!("<a href=#thread-{serial}>{}</a>", escaped(text)),
            false => escaped(text),
        }
    }

    fn row(&self, thread: &Thread) -> Vec<String> {
        vec![
            self.thread(thread.thread, &title(thread)),
            thread.thread.to_string(),
            count(thread.proprietary_bytes),
            count(thread.shared_bytes),
            count(thread.total_bytes),
        ]
    }

    fn members(&self, set: &Set) -> String {
        let all =
            set.names.iter().zip(&set.threads).map(|(name, serial)| self.thread(*serial, &thread_label(name, *serial)));
        all.collect::<Vec<_>>().join(", ")
    }

    /// Links to at most [`MOST`] entries. Their ids, such as `#F1`, are fragments.
    fn links(&self, ids: &[String]) -> String {
        let links = ids.iter().take(MOST).map(|id| match self.entries.contains(id.as_str()) {
            true => format!("<a href=\"{id}\">{id}</a>"),
            false => id.clone(),
        });
        let mut links = links.collect::<Vec<_>>().join(" ");
        if ids.len() > MOST {
            links += &format!(" and {} more", ids.len() - MOST);
        }
        links
    }
}

fn rows(thread: &Thread, shown: &LinkTargets<'_>) -> Vec<Vec<String>> {
    let cells = thread.frames.iter().map(|row| {
        vec![
            row.index.map_or(String::new(), |index| index.to_string()),
            escaped(&row.method),
            row.kind.to_owned(),
            count(row.proprietary_bytes),
            shown.links(&row.frame_shared),
            shown.links(&row.thread_shared),
            unfolding(&row.developed),
        ]
    });
    cells.collect()
}

const THREADS: [&str; 5] = ["thread", "number", "proprietary bytes", "shared bytes", "total bytes"];
const ROWS: [&str; 7] = ["frame", "method", "kind", "proprietary bytes", "frame-shared", "thread-shared", "developed"];
const ENTRIES: [&str; 7] = ["entry", "object", "class", "bytes", "threads", "frame-shared", "thread-shared"];
const AROUND_OBJECT: [&str; 3] = ["direction", "object", "bytes"];
const AROUND_CLASS: [&str; 3] = ["direction", "class", "references"];

fn around_object(object: &Object) -> Vec<Vec<String>> {
    let mut rows = vec![vec!["itself".to_owned(), escaped(&object.name), count(object.bytes)]];
    for (direction, list, total) in [
        ("refers to", &object.referents, object.referents_total),
        ("is referred to by", &object.referrers, object.referrers_total),
    ] {
        rows.extend(list.iter().map(|(name, bytes)| vec![direction.to_owned(), escaped(name), count(*bytes)]));
        let left = total - list.len() as u64;
        if left > 0 {
            rows.push(vec![direction.to_owned(), format!("{} more", count(left)), String::new()]);
        }
    }
    rows
}

fn around_class(class: &ClassNeighbours) -> Vec<Vec<String>> {
    let lists = [("refers to", &class.referents), ("is referred to by", &class.referrers)];
    let rows = lists.into_iter().flat_map(|(direction, list)| {
        list.iter().map(move |(name, references)| vec![direction.to_owned(), escaped(name), count(*references)])
    });
    rows.collect()
}

/// Chains, a line each, that unfold below their number.
fn unfolding(chains: &[String]) -> String {
    if chains.is_empty() {
        return String::new();
    }
    let lines = chains.iter().map(|chain| format!("<p>{}</p>", escaped(&chain.replace("->", " \u{2192} "))));
    let word = if chains.len() == 1 { "chain" } else { "chains" };
    format!("<details><summary>{} {word}</summary>{}</details>", chains.len(), lines.collect::<String>())
}

/// A name as the fragment of a link.
fn anchor(name: &str) -> String {
    escaped(name).replace([' ', '"', '\''], "_")
}
