//! The aggregate as a gzip-compressed pprof profile: `go tool pprof`, Speedscope, Pyroscope.
//!
//! Sample types are `alloc_objects`, `alloc_space` (exact), `inuse_objects` and `inuse_space` (as exact as the live
//! counts), each only if it was measured. The sum of each type equals the report's figures of the same rows.
//!
//! - By class, leaf first: the class and, for live objects of known site, the methods below it. Labels: `component`, and
//!   `age` (collections survived, lower bound) for live objects without a call tree. Bytes are split over ages by objects.
//! - By component, thread or tag: one frame a row, with the label of that name. An object counts for each of its tags.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use flate2::{Compression, GzBuilder};
use prost::Message as _;

use crate::ages::Bucket;
use crate::aggregate::Aggregate;
use crate::figures::ClassFigures;
use crate::text::ReportGrouping;

/// The messages of <https://github.com/google/pprof/blob/main/proto/profile.proto>, with the fields that are written.
mod proto {
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Profile {
        #[prost(message, repeated, tag = "1")]
        pub sample_type: Vec<ValueType>,
        #[prost(message, repeated, tag = "2")]
        pub sample: Vec<Sample>,
        #[prost(message, repeated, tag = "4")]
        pub location: Vec<Location>,
        #[prost(message, repeated, tag = "5")]
        pub function: Vec<Function>,
        #[prost(string, repeated, tag = "6")]
        pub string_table: Vec<String>,
        #[prost(int64, tag = "9")]
        pub time_nanos: i64,
        #[prost(int64, repeated, tag = "13")]
        pub comment: Vec<i64>,
        #[prost(int64, tag = "14")]
        pub default_sample_type: i64,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct ValueType {
        #[prost(int64, tag = "1")]
        pub r#type: i64,
        #[prost(int64, tag = "2")]
        pub unit: i64,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Sample {
        #[prost(uint64, repeated, tag = "1")]
        pub location_id: Vec<u64>,
        #[prost(int64, repeated, tag = "2")]
        pub value: Vec<i64>,
        #[prost(message, repeated, tag = "3")]
        pub label: Vec<Label>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Label {
        #[prost(int64, tag = "1")]
        pub key: i64,
        #[prost(int64, tag = "2")]
        pub str: i64,
        #[prost(int64, tag = "3")]
        pub num: i64,
        #[prost(int64, tag = "4")]
        pub num_unit: i64,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Location {
        #[prost(uint64, tag = "1")]
        pub id: u64,
        #[prost(message, repeated, tag = "4")]
        pub line: Vec<Line>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Line {
        #[prost(uint64, tag = "1")]
        pub function_id: u64,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Function {
        #[prost(uint64, tag = "1")]
        pub id: u64,
        #[prost(int64, tag = "2")]
        pub name: i64,
    }
}

/// Whether a profile has samples. Readers refuse one without.
pub fn has_samples(aggregate: &Aggregate, by: ReportGrouping) -> bool {
    samples(aggregate, by).rows.iter().any(|(stack, values, _)| !stack.is_empty() && values.iter().any(Option::is_some))
}

/// Writes the profile. The same aggregate gives the same bytes.
pub fn write(aggregate: &Aggregate, by: ReportGrouping, output: &mut impl Write) -> io::Result<()> {
    let at_ms = aggregate.jvms.iter().filter_map(|jvm| jvm.last.as_ref()?.at_ms).max().unwrap_or(0);
    let profile = samples(aggregate, by).profile(at_ms);
    let mut gzip = GzBuilder::new().mtime(0).write(output, Compression::default());
    gzip.write_all(&profile.encode_to_vec())?;
    gzip.finish()?.flush()
}

fn samples(aggregate: &Aggregate, by: ReportGrouping) -> Samples {
    let mut samples = Samples::default();
    match by {
        ReportGrouping::Class | ReportGrouping::Site => classes(aggregate, &mut samples),
        ReportGrouping::Component => {
            for row in &aggregate.components {
                let label = Label::text("component", &row.component);
                samples.add(&[&row.component], Values::live(row.live, row.shallow_bytes), &[label]);
            }
        }
        ReportGrouping::Thread => {
            for row in &aggregate.threads {
                let values = Values { alloc_objects: row.allocated, ..Values::live(row.live, row.shallow_bytes) };
                samples.add(&[&row.name], values, &[Label::text("thread", &row.name)]);
            }
        }
        ReportGrouping::Tag => {
            for row in &aggregate.tags {
                let tag = format!("{}={}", row.key, row.value);
                let values = Values { alloc_objects: row.allocated, ..Values::live(row.live, row.shallow_bytes) };
                samples.add(&[&tag, &row.key], values, &[Label::text("tag", &tag)]);
            }
        }
    }
    samples
}

/// The four values of a sample; `None` if not measured.
#[derive(Clone, Copy, Default)]
struct Values {
    alloc_objects: Option<u64>,
    alloc_space: Option<u64>,
    inuse_objects: Option<u64>,
    inuse_space: Option<u64>,
}

/// Names and units of the values, in their order.
const TYPES: [(&str, &str); 4] =
    [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes")];

impl Values {
    fn live(objects: Option<u64>, bytes: Option<u64>) -> Self {
        Values { inuse_objects: objects, inuse_space: bytes, ..Values::default() }
    }

    fn array(self) -> [Option<u64>; 4] {
        [self.alloc_objects, self.alloc_space, self.inuse_objects, self.inuse_space]
    }
}

#[derive(Clone)]
enum Label {
    Text(&'static str, String),
    Age(u64),
}

impl Label {
    fn text(key: &'static str, value: &str) -> Self {
        Label::Text(key, value.to_owned())
    }
}

/// A class's live objects whose site is known.
#[derive(Default)]
struct KnownSites<'a> {
    /// Frames innermost first, objects and bytes.
    stacks: Vec<(Vec<&'a str>, u64, u64)>,
    objects: u64,
    bytes: u64,
}

fn classes(aggregate: &Aggregate, samples: &mut Samples) {
    let mut sites = known_sites(aggregate);
    // A call tree has no components: if a class has rows in several, the first row gets its sites.
    for row in &aggregate.classes {
        let labels = [Label::text("component", row.component_or_none())];
        let allocated =
            Values { alloc_objects: Some(row.allocated), alloc_space: row.allocated_bytes, ..Values::default() };
        samples.add(&[&row.class], allocated, &labels);
        match sites.remove(row.class.as_str()) {
            Some(known) => by_site(row, &known, &labels, samples),
            None => by_age(row, &labels, samples),
        }
        samples.note_unknown(row);
    }
}

fn known_sites(aggregate: &Aggregate) -> BTreeMap<&str, KnownSites<'_>> {
    let mut sites: BTreeMap<&str, KnownSites> = BTreeMap::new();
    for tree in aggregate.last_call_trees() {
        let mut path: Vec<&str> = Vec::new();
        for node in &tree.nodes {
            path.truncate(node.depth);
            path.push(&node.frame);
            for class in &node.classes {
                let known = sites.entry(&class.class).or_default();
                known.objects = known.objects.saturating_add(class.objects);
                known.bytes = known.bytes.saturating_add(class.bytes);
                known.stacks.push((path.iter().rev().copied().collect(), class.objects, class.bytes));
            }
        }
    }
    sites
}

/// A sample for each stack, and one for the objects of unknown site.
fn by_site(row: &ClassFigures, known: &KnownSites, labels: &[Label], samples: &mut Samples) {
    for (frames, objects, bytes) in &known.stacks {
        let stack: Vec<&str> = std::iter::once(row.class.as_str()).chain(frames.iter().copied()).collect();
        samples.add(&stack, Values::live(Some(*objects), Some(*bytes)), labels);
    }
    let rest = Values::live(
        row.live.map(|live| live.saturating_sub(known.objects)),
        row.shallow_bytes.map(|bytes| bytes.saturating_sub(known.bytes)),
    );
    samples.add(&[&row.class], rest, labels);
}

fn by_age(row: &ClassFigures, labels: &[Label], samples: &mut Samples) {
    let buckets: &[Bucket] = row.ages.as_ref().map_or(&[], |ages| &ages.buckets);
    let total: u128 = buckets.iter().map(|bucket| u128::from(bucket.live)).sum();
    if total == 0 || row.live.map(u128::from) != Some(total) {
        samples.add(&[&row.class], Values::live(row.live, row.shallow_bytes), labels);
        return;
    }
    let mut counted: u128 = 0;
    for bucket in buckets.iter().filter(|bucket| bucket.live > 0) {
        // The differences of rounded running sums add up to the total.
        let share = |objects: u128| row.shallow_bytes.map(|bytes| (u128::from(bytes) * objects / total) as u64);
        let before = share(counted);
        counted += u128::from(bucket.live);
        let bytes = share(counted).zip(before).map(|(to, from)| to - from);
        let mut labels = labels.to_vec();
        labels.push(Label::Age(bucket.from));
        samples.add(&[&row.class], Values::live(Some(bucket.live), bytes), &labels);
    }
}

/// Functions leaf first, values in the order of [`TYPES`], labels.
type SampleRow = (Vec<u64>, [Option<u64>; 4], Vec<Label>);

/// The samples before they become messages.
#[derive(Default)]
struct Samples {
    rows: Vec<SampleRow>,
    functions: Strings,
    comments: Vec<String>,
}

impl Samples {
    fn add(&mut self, stack: &[&str], values: Values, labels: &[Label]) {
        let values = values.array();
        if values.iter().flatten().all(|value| *value == 0)
            && labels.iter().all(|label| matches!(label, Label::Text(..)))
        {
            // Zeros that were measured still make the type a measured one.
            self.rows.push((Vec::new(), values, Vec::new()));
            return;
        }
        // Ids of functions start at 1.
        let stack = stack.iter().map(|name| self.functions.id(name) as u64 + 1).collect();
        self.rows.push((stack, values, labels.to_vec()));
    }

    fn note_unknown(&mut self, row: &ClassFigures) {
        let figures = [row.allocated_bytes.is_none(), row.live.is_none(), row.shallow_bytes.is_none()];
        let missing: Vec<&str> =
            TYPES[1..].iter().zip(figures).filter(|(_, missing)| *missing).map(|((name, _), _)| *name).collect();
        if !missing.is_empty() {
            self.comments.push(format!("not measured of {}: {}", row.class, missing.join(", ")));
        }
    }

    fn profile(self, at_ms: u64) -> proto::Profile {
        let mut strings = Strings::default();
        // The format requires that the first string is empty.
        strings.id("");
        let measured: Vec<usize> =
            (0..TYPES.len()).filter(|index| self.rows.iter().any(|(_, values, _)| values[*index].is_some())).collect();
        let sample_type = measured
            .iter()
            .map(|index| proto::ValueType { r#type: strings.id(TYPES[*index].0), unit: strings.id(TYPES[*index].1) })
            .collect();
        let rows = self.rows.iter().filter(|(stack, _, _)| !stack.is_empty());
        let sample = rows
            .map(|(stack, values, labels)| proto::Sample {
                location_id: stack.clone(),
                // An unknown value adds nothing to the sum; a comment names the row.
                value: measured.iter().map(|index| signed(values[*index].unwrap_or(0))).collect(),
                label: labels.iter().map(|label| strings.label(label)).collect(),
            })
            .collect();
        let ids = 1..=self.functions.table.len() as u64;
        let location = ids.map(|id| proto::Location { id, line: vec![proto::Line { function_id: id }] }).collect();
        let function =
            (1..).zip(&self.functions.table).map(|(id, name)| proto::Function { id, name: strings.id(name) }).collect();
        let comment = self.comments.iter().map(|comment| strings.id(comment)).collect();
        let default = measured.last().map_or("", |index| TYPES[*index].0);
        proto::Profile {
            sample_type,
            sample,
            location,
            function,
            comment,
            default_sample_type: strings.id(default),
            time_nanos: signed(at_ms.saturating_mul(1_000_000)),
            string_table: strings.table,
        }
    }
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// A table of different strings.
#[derive(Default)]
struct Strings {
    table: Vec<String>,
    ids: HashMap<String, i64>,
}

impl Strings {
    fn id(&mut self, text: &str) -> i64 {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let id = self.table.len() as i64;
        self.table.push(text.to_owned());
        self.ids.insert(text.to_owned(), id);
        id
    }

    fn label(&mut self, label: &Label) -> proto::Label {
        match label {
            Label::Text(key, value) => {
                proto::Label { key: self.id(key), str: self.id(value), ..proto::Label::default() }
            }
            Label::Age(age) => proto::Label {
                key: self.id("age"),
                num: signed(*age),
                num_unit: self.id("collections"),
                ..proto::Label::default()
            },
        }
    }
}
