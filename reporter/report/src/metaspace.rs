//! What class loaders have in metaspace, before and after a while: by the JVM's `VM.metaspace show-loaders scale=1`.

use std::collections::BTreeMap;

use serde::Serialize;

use weighbridge_table::sheet::{Sheet, SheetCell, SheetTable};
use weighbridge_table::units::count_with_noun;

/// Version of the JSON keys, raised if the meaning of a key changes.
const FORMAT: u32 = 1;

/// Loaders of one class, at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    /// Loaders, and hidden classes that have a part of their own.
    pub loaders: u64,
    /// Classes.
    pub classes: u64,
    /// Bytes in use.
    pub used_bytes: u64,
    /// Bytes of the chunks that they are in.
    pub chunk_bytes: u64,
}

/// All loaders at one moment, by class.
pub type Loaders = BTreeMap<String, Share>;

/// Reads the command's answer (JDK 11 to 25); lines of other forms are left out.
pub fn loaders(text: &str) -> Loaders {
    let mut loaders = Loaders::new();
    let mut current: Option<(String, u64, Share)> = None;
    let mut add = |found: Option<(String, u64, Share)>| {
        if let Some((name, classes, sizes)) = found {
            let share = loaders.entry(name).or_default();
            share.loaders += 1;
            share.classes += classes;
            share.used_bytes += sizes.used_bytes;
            share.chunk_bytes += sizes.chunk_bytes;
        }
    };
    for line in text.lines().map(str::trim) {
        // `12: CLD 0x00007f9ed4013070: instance of com.acme.Loader, 3 classes`
        if let Some(found) = line.split_once(": CLD ").and_then(|(_, rest)| rest.split_once(": ")).map(|(_, rest)| rest)
        {
            add(current.take());
            let (name, classes) = found.rsplit_once(", ").unwrap_or((found, "0"));
            let classes = classes.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0);
            current = Some((title(name), classes, Share::default()));
        }
        // `Both:` is the sum; without a class space there is one line.
        let Some((_, _, sizes)) = &mut current else { continue };
        if let Some(numbers) = ["Both:", "Non-Class:"].into_iter().find_map(|kind| line.strip_prefix(kind)) {
            let of = |word: &str| {
                let part = numbers.split(',').find(|part| part.trim_end().ends_with(word))?;
                part.split_whitespace().find_map(|word| word.parse::<u64>().ok())
            };
            sizes.chunk_bytes = of("capacity").unwrap_or(sizes.chunk_bytes);
            sizes.used_bytes = of("used").unwrap_or(sizes.used_bytes);
        } else if line.is_empty() {
            add(current.take());
        }
    }
    add(current.take());
    loaders
}

/// `"app" instance of a.B` as `a.B`, `<hidden class>, loaded by "<bootstrap>"` as `hidden class, loaded by bootstrap`.
fn title(told: &str) -> String {
    let told = told.replace(['"', '<', '>'], "");
    match told.split_once("instance of ") {
        Some((before, class)) if before.contains("loaded by ") => {
            format!("{}loaded by {class}", before.split("loaded by ").next().unwrap_or_default())
        }
        Some((_, class)) => class.to_owned(),
        None => told,
    }
}

/// One class of loaders, before and after.
#[derive(Debug, Clone, Serialize)]
pub struct LoaderRow {
    /// The class of the loaders, or the JVM's name of one.
    pub loader: String,
    /// At the beginning.
    pub before: Share,
    /// At the end.
    pub after: Share,
}

/// Metaspace by loader over some time.
#[derive(Debug, Clone, Serialize)]
pub struct MetaspaceReport {
    format: u32,
    /// Those with the most bytes first.
    pub loaders: Vec<LoaderRow>,
}

impl MetaspaceReport {
    /// Of two moments.
    pub fn new(before: &Loaders, after: &Loaders) -> Self {
        let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        let of = |loaders: &Loaders, name: &str| loaders.get(name).copied().unwrap_or_default();
        let row = |name: &String| LoaderRow { loader: name.clone(), before: of(before, name), after: of(after, name) };
        let mut loaders: Vec<LoaderRow> = names.into_iter().map(row).collect();
        loaders.sort_by_key(|row| std::cmp::Reverse(row.after.used_bytes));
        MetaspaceReport { format: FORMAT, loaders }
    }

    /// As a table.
    pub fn sheet(&self) -> Sheet {
        let more = |before: u64, after: u64| {
            let sign = if after < before { "-" } else { "+" };
            SheetCell::text(if after == before { String::new() } else { format!("{sign}{}", after.abs_diff(before)) })
        };
        let rows = self.loaders.iter().map(|row| {
            vec![
                SheetCell::text(&row.loader),
                SheetCell::Count(row.after.loaders),
                more(row.before.loaders, row.after.loaders),
                SheetCell::Count(row.after.classes),
                more(row.before.classes, row.after.classes),
                SheetCell::Bytes(row.after.used_bytes),
                SheetCell::Bytes(row.after.chunk_bytes),
            ]
        });
        let loaders: u64 = self.loaders.iter().map(|row| row.after.loaders).sum();
        let table = SheetTable {
            title: "Metaspace by class loader".to_owned(),
            lines: vec![format!(
                "exact, of {}; classes of a shared archive take no bytes here",
                count_with_noun(loaders, "loader", "loaders")
            )],
            head: vec!["loader", "loaders", "more", "classes", "more", "used", "in chunks of"],
            rows: rows.collect(),
            may_be_cut: true,
            none: "the JVM names no loader",
            ..SheetTable::default()
        };
        Sheet { title: "Metaspace", lines: Vec::new(), tables: vec![table] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "9722:\n\nUsage per loader:\n\n   \
        1: CLD 0x00007efc1408cf60: instance of com.acme.Loader, 1 class\n  \
        Non-Class:    1 chunk,    4096 bytes capacity, 4096 bytes (100%) committed,  1008 bytes ( 25%) used,  3088 bytes free\n      \
        Class:    1 chunk,    2048 bytes capacity,   520 bytes ( 25%) used\n       \
        Both:    2 chunks,   6144 bytes capacity, 6144 bytes (100%) committed,  1528 bytes ( 25%) used,  4616 bytes free\n\n   \
        2: CLD 0x00007efc1408c2d0: instance of com.acme.Loader, 3 classes\n  \
        Non-Class:    1 chunk,    4096 bytes capacity,  1000 bytes ( 25%) used\n\n   \
        3: CLD 0x00007efc1408c2d1: \"<bootstrap>\", 500 classes\n       \
        Both:    2 chunks,   9000 bytes capacity,  8000 bytes ( 25%) used\n\nTotal Usage - 3 loaders, 504 classes:\n  \
        Both:   43 chunks,      99 bytes capacity,  77 bytes used\n";

    #[test]
    fn loaders_are_added_up_by_their_class() {
        let found = loaders(TEXT);
        let own = Share { loaders: 2, classes: 4, used_bytes: 2528, chunk_bytes: 10_240 };
        let boot = Share { loaders: 1, classes: 500, used_bytes: 8000, chunk_bytes: 9000 };
        let expected: Loaders = [("com.acme.Loader".to_owned(), own), ("bootstrap".to_owned(), boot)].into();
        assert_eq!(found, expected);
        let figures = MetaspaceReport::new(&Loaders::new(), &found);
        assert_eq!(figures.loaders[0].loader, "bootstrap");
        assert_eq!(title("\"app\" instance of a.B"), "a.B");
        assert_eq!(title("<hidden class>, loaded by \"app\" instance of a.B"), "hidden class, loaded by a.B");
        assert_eq!(title("<hidden class>, loaded by \"<bootstrap>\""), "hidden class, loaded by bootstrap");
        assert_eq!(loaders("Unknown diagnostic command"), Loaders::new());
    }
}
