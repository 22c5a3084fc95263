//! The lives of the objects of a class, and of an allocation site.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use weighbridge_replay::{Life, Names, Origin, Sum};

use super::names;
use super::spans::{SpanFigures, Spans};

/// The lives of the objects of a class or of an allocation site. Objects that existed before the trace are in none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LifeRow {
    /// The class of the objects.
    pub class: String,
    /// Of a site: class and name of the method that made them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Of a site: the line, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Objects allocated.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Those that live at the end.
    pub live_at_end_objects: u64,
    /// Their bytes.
    pub live_at_end_bytes: u64,
    /// How long they lived, in bytes allocated; to the end if they live then.
    pub spans: SpanFigures,
    /// The sum of bytes times span, bytes².
    pub space_time: f64,
    /// The part of it between last use and death, bytes²: drag.
    pub drag: f64,
    /// Drag as a share of space-time.
    pub drag_share: Option<f64>,
    /// Objects that died before or when the method that made them ended.
    pub died_in_method_objects: u64,
    /// Their bytes.
    pub died_in_method_bytes: u64,
    /// Arrays of references with room for at least one element.
    pub reference_arrays: u64,
    /// Those of them in which no event ever stored a reference.
    pub never_filled_arrays: u64,
    /// Their bytes.
    pub never_filled_bytes: u64,
}

#[derive(Debug, Clone, Default)]
struct Group {
    all: Sum,
    at_end: Sum,
    in_method: Sum,
    reference_arrays: u64,
    never_filled: Sum,
    spans: Spans,
    space_time: u128,
    drag: u128,
}

impl Group {
    /// `allocated`: all bytes allocated up to the end.
    fn add(&mut self, life: &Life, allocated: u64, is_reference_array: bool) {
        self.all.add(life.bytes);
        let span = life.span(allocated);
        self.spans.add(span);
        let until = life.died_allocated.unwrap_or(allocated);
        let drag = until.saturating_sub(life.last_used_allocated).min(span);
        let times = |bytes: u64| u128::from(life.bytes) * u128::from(bytes);
        self.space_time = self.space_time.saturating_add(times(span));
        self.drag = self.drag.saturating_add(times(drag));
        match (life.died, life.method_end) {
            (None, _) => self.at_end.add(life.bytes),
            (Some(died), Some(end)) if died <= end => self.in_method.add(life.bytes),
            _ => {}
        }
        if is_reference_array && life.length.is_some_and(|length| length > 0) {
            self.reference_arrays += 1;
            if life.stored == 0 {
                self.never_filled.add(life.bytes);
            }
        }
    }

    fn row(&self, class: String, site: Option<(String, Option<u32>)>) -> LifeRow {
        let (method, line) = site.map_or((None, None), |(method, line)| (Some(method), line));
        LifeRow {
            class,
            method,
            line,
            objects: self.all.objects,
            bytes: self.all.bytes,
            live_at_end_objects: self.at_end.objects,
            live_at_end_bytes: self.at_end.bytes,
            spans: self.spans.figures(),
            space_time: self.space_time as f64,
            drag: self.drag as f64,
            drag_share: (self.space_time > 0).then(|| self.drag as f64 / self.space_time as f64),
            died_in_method_objects: self.in_method.objects,
            died_in_method_bytes: self.in_method.bytes,
            reference_arrays: self.reference_arrays,
            never_filled_arrays: self.never_filled.objects,
            never_filled_bytes: self.never_filled.bytes,
        }
    }
}

/// All lives, by class and by site. Each has a fixed size, whatever number of objects it has.
pub(super) struct Groups<'a> {
    names: &'a Names,
    allocated: u64,
    classes: HashMap<u32, Group>,
    sites: HashMap<(u32, u32), Group>,
    all: Group,
    met: Sum,
}

/// The rows of all groups.
pub(super) struct Rows {
    pub(super) all: LifeRow,
    pub(super) classes: Vec<LifeRow>,
    pub(super) sites: Vec<LifeRow>,
    /// Objects that no probe saw being made.
    pub(super) met: Sum,
}

impl<'a> Groups<'a> {
    pub(super) fn new(names: &'a Names, allocated: u64) -> Self {
        let (classes, sites) = (HashMap::new(), HashMap::new());
        Groups { names, allocated, classes, sites, all: Group::default(), met: Sum::default() }
    }

    pub(super) fn add(&mut self, life: &Life) {
        match life.origin {
            Origin::Existed => return,
            Origin::Met => self.met.add(life.bytes),
            Origin::Made => {}
        }
        // What the JVM or code without probes made may have been filled there.
        let is_judged = life.origin == Origin::Made && names::is_reference_array(self.names, life.class);
        let groups = [
            self.classes.entry(life.class).or_default(),
            self.sites.entry((life.class, life.site)).or_default(),
            &mut self.all,
        ];
        groups.into_iter().for_each(|group| group.add(life, self.allocated, is_judged));
    }

    /// Classes and sites with the same name are rows of their own: loaders define classes anew.
    pub(super) fn rows(self) -> Rows {
        let names = self.names;
        let by_class: BTreeMap<u32, Group> = self.classes.into_iter().collect();
        let by_site: BTreeMap<(u32, u32), Group> = self.sites.into_iter().collect();
        let classes = by_class.iter().map(|(class, group)| group.row(names::class(names, *class), None));
        let sites = by_site.iter().map(|((class, site), group)| {
            group.row(names::class(names, *class), Some(names::method_and_line(names, *site)))
        });
        Rows {
            all: self.all.row(String::new(), None),
            classes: sorted(classes.collect()),
            sites: sorted(sites.collect()),
            met: self.met,
        }
    }
}

/// Most bytes first, then by name.
fn sorted(mut rows: Vec<LifeRow>) -> Vec<LifeRow> {
    rows.sort_by(|a, b| {
        let key = |row: &LifeRow| Reverse((row.bytes, row.objects));
        key(a).cmp(&key(b)).then_with(|| (&a.class, &a.method, a.line).cmp(&(&b.class, &b.method, b.line)))
    });
    rows
}
