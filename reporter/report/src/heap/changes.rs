//! What changed from one report on a running program to the next of the same verb, by the reports' JSON.
//!
//! Rows are matched by the words of [`TABLES`], never by address or number: a collector moves objects, and a virtual
//! machine numbers its threads anew in each dump. Rows with the same words are added up.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{DumpedProcess, FORMAT};
use weighbridge_table::sheet::{Sheet, SheetCell, SheetTable};

/// A table of a report: its key in JSON, its title, the keys that name a row, and the keys of its figures, most important
/// first, each with its title in text.
struct Compared {
    key: &'static str,
    title: &'static str,
    names: &'static [&'static str],
    figures: &'static [(&'static str, &'static str)],
}

const TABLES: [Compared; 16] = [
    table("classes", "By class", &["class", "loader"], &[("shallow_bytes", "bytes"), ("instances", "objects")]),
    table("unreachable", "Unreachable", &["class", "loader"], &[("shallow_bytes", "bytes"), ("instances", "objects")]),
    table(
        "nodes",
        "Below the root",
        &["class", "kind"],
        &[("retained_bytes", "retained bytes"), ("shallow_bytes", "bytes")],
    ),
    table(
        "threads",
        "By thread",
        &["name"],
        &[("proprietary_bytes", "proprietary"), ("shared_bytes", "shared"), ("total_bytes", "total")],
    ),
    table("frame_shared", "Shared by frames", &["class"], &[("shared_bytes", "bytes")]),
    table("thread_shared", "Shared by threads", &["class"], &[("shared_bytes", "bytes")]),
    table(
        "sets",
        "By set of threads",
        &["names", "why"],
        &[("total_bytes", "total"), ("proprietary_bytes", "proprietary"), ("shared_bytes", "shared")],
    ),
    table("growth", "Added by threads", &["name"], &[("bytes", "bytes")]),
    table(
        "components",
        "By component",
        &["component"],
        &[("semantic_bytes", "semantic bytes"), ("true_bytes", "true bytes"), ("instances", "objects")],
    ),
    table(
        "references",
        "References between components",
        &["from", "to", "from_class", "to_class"],
        &[("shallow_bytes", "bytes"), ("references", "references")],
    ),
    table("paths", "Paths", &["name", "via", "kind"], &[("objects", "objects"), ("ends", "end here")]),
    table("referents", "Refers to", &["link", "class"], &[("retained_bytes", "retained bytes")]),
    table("referrers", "Is referred to by", &["link", "class"], &[("retained_bytes", "retained bytes")]),
    table(
        "collections",
        "Collections",
        &["class"],
        &[("empty_bytes", "empty"), ("sparse_bytes", "sparse"), ("collections", "collections")],
    ),
    table("boxed", "Boxed values", &["class"], &[("saved_bytes", "could be saved"), ("instances", "objects")]),
    table("trailing", "Trailing zeros", &["class"], &[("zero_bytes", "bytes"), ("arrays", "arrays")]),
];

/// The figure of a total.
const VALUE: &str = "value";

const fn table(
    key: &'static str,
    title: &'static str,
    names: &'static [&'static str],
    figures: &'static [(&'static str, &'static str)],
) -> Compared {
    Compared { key, title, names, figures }
}

/// The differences of two reports.
#[derive(Debug, Serialize)]
pub struct Changes {
    format: u32,
    /// The `process` of both reports.
    before: Value,
    after: Value,
    /// Figures of the whole report.
    totals: Vec<ChangedRow>,
    #[serde(flatten)]
    tables: BTreeMap<&'static str, Vec<ChangedRow>>,
}

/// A row that differs. A figure that is absent on one side counts as 0.
#[derive(Debug, Serialize)]
struct ChangedRow {
    #[serde(flatten)]
    names: Map<String, Value>,
    /// As in [`super::diff`], by the first figure: `appeared`, `grew`, `shrank`, `vanished`, or `moved`.
    change: &'static str,
    before: BTreeMap<&'static str, i64>,
    after: BTreeMap<&'static str, i64>,
}

/// The figures of rows with the same words.
type Rows = BTreeMap<Vec<String>, Vec<i64>>;

impl Changes {
    /// Compares two reports of the same verb.
    pub fn from_reports(before: &Value, after: &Value) -> Self {
        let tables = TABLES.iter().filter(|table| after[table.key].is_array());
        Changes {
            format: FORMAT,
            before: before["dump"]["process"].clone(),
            after: after["dump"]["process"].clone(),
            totals: differences(&totals(before), &totals(after), &["name"], &[(VALUE, "")]),
            tables: tables
                .map(|table| {
                    let rows = |report: &Value| rows(&report[table.key], table);
                    (table.key, differences(&rows(before), &rows(after), table.names, table.figures))
                })
                .collect(),
        }
    }

    /// As tables.
    pub fn sheet(&self) -> Sheet {
        let process = |value: &Value| serde_json::from_value::<DumpedProcess>(value.clone()).ok();
        let since =
            process(&self.before).map(|before| format!("since {}", weighbridge_table::units::moment(before.at_ms)));
        let mut lines: Vec<String> = process(&self.after).iter().flat_map(DumpedProcess::lines).collect();
        lines.extend(since);
        // A column has one unit.
        let (in_bytes, counts): (Vec<&ChangedRow>, Vec<&ChangedRow>) =
            self.totals.iter().partition(|row| row.is_total_of_bytes());
        let total = |title: &str, head: &'static str, rows: Vec<&ChangedRow>| SheetTable {
            title: title.to_owned(),
            head: vec!["in all", head, "before"],
            rows: rows.into_iter().map(|row| row.cells(&["name"], &[(VALUE, "")])).collect(),
            none: "no difference",
            ..SheetTable::default()
        };
        let mut tables = vec![total("Bytes", "bytes", in_bytes), total("Numbers", "number", counts)];
        for compared in TABLES {
            let Some(rows) = self.tables.get(compared.key) else { continue };
            let (first, rest) = compared.names.split_at(1);
            let (main, others) = compared.figures.split_at(1);
            let head = first.iter().copied().chain(main.iter().map(|(_, title)| *title)).chain(["before"]);
            let others = others.iter().map(|(_, title)| *title);
            tables.push(SheetTable {
                title: compared.title.to_owned(),
                head: head.chain(others).chain(rest.iter().copied()).collect(),
                rows: rows.iter().map(|row| row.cells(compared.names, compared.figures)).collect(),
                may_be_cut: true,
                none: "no difference",
                ..SheetTable::default()
            });
        }
        Sheet { title: "What changed", lines, tables }
    }
}

impl ChangedRow {
    /// Whether its name says bytes: that of a total does, if they are bytes.
    fn is_total_of_bytes(&self) -> bool {
        self.names.get("name").and_then(Value::as_str).is_some_and(|name| name.ends_with("bytes"))
    }

    /// The first name, the first figure's difference and value before, the other differences, the other names.
    fn cells(&self, names: &[&str], figures: &[(&'static str, &str)]) -> Vec<SheetCell> {
        let name = |key: &&str| SheetCell::text(self.names.get(*key).and_then(Value::as_str).unwrap_or_default());
        let in_bytes = |key: &str| key.ends_with("bytes") || key == VALUE && self.is_total_of_bytes();
        let of = |side: &BTreeMap<&'static str, i64>, key| side.get(key).copied().unwrap_or_default();
        let more = |(key, _): &(&'static str, &str)| {
            let more = of(&self.after, *key).saturating_sub(of(&self.before, *key));
            if in_bytes(key) { SheetCell::MoreBytes(more) } else { SheetCell::MoreObjects(more) }
        };
        let before = of(&self.before, figures[0].0).unsigned_abs();
        let before = if in_bytes(figures[0].0) { SheetCell::Bytes(before) } else { SheetCell::Count(before) };
        let (main, others) = figures.split_at(1);
        let (first, rest) = names.split_at(1);
        let cells = first.iter().map(name).chain(main.iter().map(more)).chain([before]);
        cells.chain(others.iter().map(more)).chain(rest.iter().map(name)).collect()
    }
}

/// The numbers of a report outside its tables and its facts, and those of the objects directly below it.
fn totals(report: &Value) -> Rows {
    let mut totals = Rows::new();
    for (key, value) in report.as_object().into_iter().flatten() {
        match value {
            Value::Number(number) if key != "format" => {
                totals.insert(vec![key.clone()], vec![number.as_i64().unwrap_or_default()]);
            }
            Value::Object(members) if key != "dump" => {
                for (member, number) in members {
                    let name = if key == "summary" { member.clone() } else { format!("{key} {member}") };
                    totals.extend(number.as_i64().map(|number| (vec![name], vec![number])));
                }
            }
            _ => {}
        }
    }
    totals
}

fn rows(table: &Value, compared: &Compared) -> Rows {
    let mut rows = Rows::new();
    for row in table.as_array().into_iter().flatten() {
        let names = compared.names.iter().map(|name| words(&row[*name])).collect();
        let sums = rows.entry(names).or_insert_with(|| vec![0; compared.figures.len()]);
        for (sum, (figure, _)) in sums.iter_mut().zip(compared.figures) {
            *sum = sum.saturating_add(row[*figure].as_i64().unwrap_or_default());
        }
    }
    rows
}

/// A text, or texts; nothing else names a row.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(texts) => texts.iter().map(words).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    }
}

/// The rows that differ, the greatest difference of the first figure first.
fn differences(before: &Rows, after: &Rows, names: &[&str], figures: &[(&'static str, &str)]) -> Vec<ChangedRow> {
    let mut keys: Vec<&Vec<String>> =
        before.keys().chain(after.keys().filter(|key| !before.contains_key(*key))).collect();
    let first = |side: &Rows, key: &Vec<String>| side.get(key).map_or(0, |figures| figures[0]);
    keys.retain(|key| before.get(*key) != after.get(*key));
    keys.sort_by_key(|key| (std::cmp::Reverse(first(after, key).abs_diff(first(before, key))), *key));
    let row = |key: &Vec<String>| {
        let side = |side: &Rows| {
            let figures = figures.iter().map(|(figure, _)| *figure);
            side.get(key).map(|values| figures.zip(values.iter().copied()).collect()).unwrap_or_default()
        };
        ChangedRow {
            names: names.iter().map(|name| (*name).to_owned()).zip(key.iter().cloned().map(Value::String)).collect(),
            change: match (before.get(key), after.get(key)) {
                (None, _) => "appeared",
                (_, None) => "vanished",
                (Some(before), Some(after)) if after[0] > before[0] => "grew",
                (Some(before), Some(after)) if after[0] < before[0] => "shrank",
                _ => "moved",
            },
            before: side(before),
            after: side(after),
        }
    };
    keys.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Changes;

    #[test]
    fn rows_are_matched_by_their_words_and_those_with_the_same_words_are_added() {
        let thread =
            |name: &str, number: u32, bytes: u64| json!({"thread": number, "name": name, "proprietary_bytes": bytes});
        let before = json!({"format": 1, "dump": {"process": null}, "summary": {"threads": 3, "shared_bytes": 7},
            "threads": [thread("same", 1, 5), thread("pool", 2, 10), thread("pool", 3, 20), thread("gone", 4, 1)]});
        let after = json!({"format": 1, "dump": {"process": null}, "summary": {"threads": 4, "shared_bytes": 7},
            "threads": [thread("pool", 1, 10), thread("pool", 2, 120), thread("same", 3, 5), thread("new", 4, 9)]});
        let changes = serde_json::to_value(Changes::from_reports(&before, &after)).expect("JSON");
        let said = |table: &str| -> Vec<(String, String)> {
            let rows = changes[table].as_array().expect("rows").iter();
            rows.map(|row| (row["name"].as_str().expect("a name").into(), row["change"].as_str().expect("one").into()))
                .collect()
        };
        let rows = [("pool", "grew"), ("new", "appeared"), ("gone", "vanished")];
        assert_eq!(said("threads"), rows.map(|(name, change)| (name.to_owned(), change.to_owned())));
        assert_eq!(said("totals"), [("threads".to_owned(), "grew".to_owned())]);
        assert_eq!(changes["threads"][0]["before"]["proprietary_bytes"], 30);
        assert_eq!(changes["threads"][0]["after"]["proprietary_bytes"], 130);
        assert_eq!(changes.get("classes"), None);
    }
}
