//! The tables of `heap threads` for people.

use std::io::{self, Write};

use weighbridge_outside::printable;

use super::{SharedEntry, Thread, ThreadReport, ThreadSummary};
use crate::text::TextOptions;
use weighbridge_table::Sheet;
use weighbridge_table::section::{heading, opening};
use weighbridge_table::sheet::{SheetCell, SheetTable};
use weighbridge_table::text_table::{TextColumn, more, render};
use weighbridge_table::units::{ByteUnit, bytes, count_with_noun};

/// Ids shown in a cell.
const MOST_IDS: usize = 4;

impl ThreadReport {
    /// Writes tables for people.
    pub fn text(&self, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
        opening("Heap by thread", self.lines(), options, output)?;
        let ranked: Vec<&Thread> = self.ranked(&self.rankings.total).collect();
        let shown = options.top_rows(&ranked);
        writeln!(output)?;
        heading("Threads", options, output)?;
        writeln!(output, "{}{}", threads(shown, options), more(ranked.len(), shown.len()))?;
        for thread in shown.iter().filter(|thread| thread.total_bytes > 0) {
            writeln!(output)?;
            heading(&format!("Frames of {}", printable(&title(thread))), options, output)?;
            writeln!(output, "{}", rows(thread, options))?;
        }
        for (title, entries) in
            [("Shared by frames of one thread", &self.frame_shared), ("Shared by threads", &self.thread_shared)]
        {
            if entries.is_empty() {
                continue;
            }
            let shown = options.top_rows(entries);
            writeln!(output)?;
            heading(title, options, output)?;
            writeln!(output, "{}{}", shared(shown, options), more(entries.len(), shown.len()))?;
        }
        Ok(())
    }

    /// As tables, the frames of all threads in one.
    pub fn sheet(&self) -> Sheet {
        let cells = |texts: &[&str]| -> Vec<SheetCell> { texts.iter().map(|text| SheetCell::text(*text)).collect() };
        let number = |number: u32| SheetCell::Count(number.into());
        let threads = self.ranked(&self.rankings.total).map(|thread| {
            let bytes = [thread.proprietary_bytes, thread.shared_bytes, thread.total_bytes].map(SheetCell::Bytes);
            [vec![SheetCell::text(thread.name.as_str()), number(thread.thread)], bytes.to_vec()].concat()
        });
        let frames = self.ranked(&self.rankings.total).flat_map(|thread| {
            thread.frames.iter().map(move |row| {
                let index = row.index.map_or(SheetCell::Nothing, number);
                let shared = [row.frame_shared.as_slice(), &row.thread_shared].concat().join(" ");
                let texts = [cells(&[&row.method, row.kind]), vec![SheetCell::Bytes(row.proprietary_bytes)]].concat();
                [vec![number(thread.thread), index], texts, cells(&[&shared])].concat()
            })
        });
        let entries = |entry: &SharedEntry| {
            let threads: Vec<String> = entry.threads.iter().map(u32::to_string).collect();
            let refers = [entry.frame_shared.as_slice(), &entry.thread_shared].concat().join(" ");
            let names = cells(&[&entry.id, &entry.class, &entry.object]);
            [names, vec![SheetCell::Bytes(entry.shared_bytes)], cells(&[&threads.join(" "), &refers])].concat()
        };
        let table = |key, title: &str, (head, keys): (&[&'static str], &[&'static str]), rows| SheetTable {
            key,
            title: title.to_owned(),
            head: head.to_vec(),
            keys: keys.to_vec(),
            rows,
            may_be_cut: true,
            ..SheetTable::default()
        };
        let of_threads: (&[_], &[_]) = (
            &["thread", "number", "proprietary", "shared", "total"],
            &["name", "thread", "proprietary_bytes", "shared_bytes", "total_bytes"],
        );
        let of_frames: (&[_], &[_]) = (
            &["thread", "frame", "method", "kind", "proprietary", "shared"],
            &["thread", "index", "method", "kind", "proprietary_bytes", "shared"],
        );
        let of_entries: (&[_], &[_]) = (
            &["entry", "class", "object", "shared", "threads", "refers to"],
            &["id", "class", "object", "shared_bytes", "threads", "refers_to"],
        );
        let shared = |key, title, all: &[SharedEntry]| table(key, title, of_entries, all.iter().map(entries).collect());
        Sheet {
            title: "Heap by thread",
            lines: self.lines().collect(),
            tables: vec![
                table("threads", "Threads", of_threads, threads.collect()),
                table("frames", "Frames", of_frames, frames.collect()),
                shared("frame_shared", "Shared by frames of one thread", &self.frame_shared),
                shared("thread_shared", "Shared by threads", &self.thread_shared),
            ],
        }
    }

    fn lines(&self) -> impl Iterator<Item = String> {
        self.dump.lines().into_iter().chain(Self::MEANING.map(str::to_owned)).chain([self.statement()])
    }

    /// The sums.
    pub(super) fn statement(&self) -> String {
        let ThreadSummary { proprietary_bytes, shared_bytes, threads, .. } = self.summary;
        format!(
            "{}: {} held by single threads, {} by several",
            count_with_noun(threads, "thread", "threads"),
            bytes(proprietary_bytes),
            bytes(shared_bytes)
        )
    }
}

/// A thread's name and number.
pub(super) fn title(thread: &Thread) -> String {
    let name = if thread.name.is_empty() { "(without a name)" } else { &thread.name };
    format!("{name} (thread {})", thread.thread)
}

/// The first ids of a list.
pub(super) fn few(ids: &[String]) -> String {
    let mut text = ids[..ids.len().min(MOST_IDS)].join(" ");
    if ids.len() > MOST_IDS {
        text += &format!(" and {} more", ids.len() - MOST_IDS);
    }
    text
}

fn threads(shown: &[&Thread], options: &TextOptions) -> String {
    let unit = ByteUnit::or_bytes(shown.iter().map(|thread| Some(thread.total_bytes)));
    let columns = [
        TextColumn::name("thread"),
        TextColumn::number("number"),
        TextColumn::number(&format!("proprietary\n{}", unit.name())),
        TextColumn::number(&format!("shared\n{}", unit.name())),
        TextColumn::number(&format!("total\n{}", unit.name())),
    ];
    let cells = shown.iter().map(|thread| {
        vec![
            thread.name.clone(),
            thread.thread.to_string(),
            unit.cell(thread.proprietary_bytes),
            unit.cell(thread.shared_bytes),
            unit.cell(thread.total_bytes),
        ]
    });
    render(&columns, cells.collect(), options)
}

fn rows(thread: &Thread, options: &TextOptions) -> String {
    let unit = ByteUnit::or_bytes(thread.frames.iter().map(|row| Some(row.proprietary_bytes)));
    let columns = [
        TextColumn::number("frame"),
        TextColumn::name("method"),
        TextColumn::name("kind").spare(2),
        TextColumn::number(&format!("proprietary\n{}", unit.name())),
        TextColumn::name("shared").spare(1),
    ];
    let cells = thread.frames.iter().map(|row| {
        vec![
            row.index.map_or(String::new(), |index| index.to_string()),
            row.method.clone(),
            row.kind.to_owned(),
            unit.cell(row.proprietary_bytes),
            few(&[row.frame_shared.as_slice(), &row.thread_shared].concat()),
        ]
    });
    render(&columns, cells.collect(), options)
}

fn shared(entries: &[SharedEntry], options: &TextOptions) -> String {
    let unit = ByteUnit::or_bytes(entries.iter().map(|entry| Some(entry.shared_bytes)));
    let columns = [
        TextColumn::name("entry"),
        TextColumn::name("class"),
        TextColumn::name("object").spare(2),
        TextColumn::number(unit.name()),
        TextColumn::name("threads"),
        TextColumn::name("refers to").spare(1),
    ];
    let cells = entries.iter().map(|entry| {
        let threads: Vec<String> = entry.threads.iter().map(u32::to_string).collect();
        vec![
            entry.id.clone(),
            entry.class.clone(),
            entry.object.clone(),
            unit.cell(entry.shared_bytes),
            few(&threads),
            few(&[entry.frame_shared.as_slice(), &entry.thread_shared].concat()),
        ]
    });
    render(&columns, cells.collect(), options)
}
