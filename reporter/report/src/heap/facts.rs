//! The beginning of every report on a dump.

use serde::{Deserialize, Serialize};
use weighbridge_heapdump::{Census, Dump, FollowSoft, Graph, Heap, IdSize, Layout, Modes, ReferenceModel, Warning};

use weighbridge_table::units::{bytes, count_with_noun, elapsed, moment};

/// Facts about a dump and how it was read.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Facts {
    /// The file, as it was named; `process 4711` if the dump of that process was not kept.
    pub file: String,
    /// The running program whose dump was taken for the report; not there for a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<DumpedProcess>,
    /// The recording that the runtime in the dumped program wrote; absent without the runtime.
    pub recording: Option<String>,
    /// Bytes of the dump, inflated.
    pub dump_bytes: u64,
    /// Bytes of an object id.
    pub id_bytes: u32,
    /// Objects in the dump, reachable or not.
    pub objects: u64,
    /// Objects start at multiples of this many bytes; absent for raw sizes, like the next two.
    pub object_alignment: Option<u64>,
    /// Bytes of a reference in the heap.
    pub reference_bytes: Option<u32>,
    /// Bytes of an object's header.
    pub header_bytes: Option<u32>,
    /// `heap`, or `raw`: the field bytes of the records.
    pub sizes: &'static str,
    /// `strong` or `weak`: whether soft references are followed; absent if no references are, like the next one.
    pub soft: Option<&'static str>,
    /// `memory`, or `mat`: all references are followed.
    pub references: Option<&'static str>,
    /// References to objects that the dump does not have; absent if references were not read.
    pub missing_references: Option<u64>,
    /// How many objects these are; absent also if there are too many to count.
    pub missing_objects: Option<u64>,
    /// Bytes of the runtime that measured the dumped program: its objects and classes, and what only they hold. Absent
    /// without the runtime, and if objects were only counted.
    pub runtime_bytes: Option<u64>,
    /// The frameworks whose shipped rules were used: those of which the heap has a class.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frameworks: Vec<&'static str>,
    /// What is missing in the dump.
    pub warnings: Vec<String>,
}

/// A running program of which a dump was taken, and what that cost it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DumpedProcess {
    /// Its process id as seen from here.
    pub pid: u32,
    /// What it runs, if that can be seen.
    pub main: Option<String>,
    /// When the dump was asked for, in milliseconds since 1970.
    pub at_ms: u64,
    /// Whether the JVM collected all garbage before.
    pub live: bool,
    /// How long the program was stopped between question and answer, as its JVM counts it, rounded up; absent if it
    /// shares no count.
    pub stopped_ms: Option<u64>,
    /// How often it was stopped in this time, by the same count: once for the dump, and what the collector did.
    pub safepoints: Option<u64>,
    /// From question to answer, rounded up: the program was stopped for at most this time.
    pub answered_ms: u64,
}

impl DumpedProcess {
    /// What was dumped, and what it cost.
    pub(super) fn lines(&self) -> [String; 2] {
        let main = self.main.as_ref().map_or_else(String::new, |main| format!(" ({main})"));
        let collected = if self.live { ", after a collection" } else { "" };
        let stopped = match (self.stopped_ms, self.safepoints) {
            (Some(stopped), Some(safepoints)) => format!(
                "for {} by the JVM's own count ({}); the JVM answered after {}",
                elapsed(stopped),
                count_with_noun(safepoints, "safepoint", "safepoints"),
                elapsed(self.answered_ms)
            ),
            _ => {
                format!("for at most {}, until the JVM answered; its own count is not known", elapsed(self.answered_ms))
            }
        };
        let dumped = format!("dump of process {}{main} at {}{collected}", self.pid, moment(self.at_ms));
        [dumped, format!("the program was stopped {stopped}")]
    }
}

impl Facts {
    /// The facts of a heap that was read in these modes, with its graph.
    pub fn from_heap(heap: &Heap, graph: &Graph, modes: Modes) -> Self {
        let soft = match modes.soft {
            FollowSoft::Strong => "strong",
            FollowSoft::Weak => "weak",
        };
        let references = match modes.references {
            ReferenceModel::Memory => "memory",
            ReferenceModel::Mat => "mat",
        };
        let (missing_references, missing_objects) = heap.missing();
        Facts {
            // If the file cannot be read any more, a later step reports it.
            recording: super::origin::recording(heap).unwrap_or_default(),
            runtime_bytes: super::origin::runtime_bytes(heap, graph),
            soft: Some(soft),
            references: Some(references),
            missing_references: Some(missing_references),
            missing_objects,
            ..Self::from_dump(heap.dump(), heap.len() as u64, heap.layout(), heap.warnings())
        }
    }

    /// The facts of a dump whose objects were only counted.
    pub fn of_census(census: &Census) -> Self {
        Self::from_dump(census.dump(), census.histogram().instances(), census.layout(), census.warnings())
    }

    fn from_dump(dump: &Dump, objects: u64, layout: Option<&Layout>, warnings: &[Warning]) -> Self {
        Facts {
            file: dump.path().display().to_string(),
            dump_bytes: dump.length(),
            id_bytes: dump.ids().bytes(),
            objects,
            object_alignment: layout.map(|layout| layout.alignment_bytes),
            reference_bytes: layout.map(|layout| layout.reference_bytes),
            header_bytes: layout.map(|layout| layout.header_bytes),
            sizes: if layout.is_some() { "heap" } else { "raw" },
            warnings: warnings.iter().map(ToString::to_string).collect(),
            ..Facts::default()
        }
    }

    /// The lines below a report's title.
    pub(super) fn lines(&self) -> Vec<String> {
        let dump = format!(
            "{}: {} bit, {} in {}",
            self.file,
            if self.id_bytes == IdSize::Four.bytes() { 32 } else { 64 },
            count_with_noun(self.objects, "object", "objects"),
            bytes(self.dump_bytes)
        );
        let layout = match (self.object_alignment, self.reference_bytes, self.header_bytes) {
            (Some(alignment), Some(reference), Some(header)) => format!(
                "layout found in the dump: headers of {header} bytes, references of {reference}, alignment {alignment}"
            ),
            _ => "sizes are the records' own field bytes".to_owned(),
        };
        let weak = match self.references {
            None => "every object is counted, reachable or not",
            Some("mat") => "all references are followed",
            _ if self.soft == Some("weak") => "weak, soft, phantom and final references are not followed",
            _ => "weak, phantom and final references are not followed; soft ones are",
        };
        let mut lines = vec![dump];
        lines.extend(self.process.iter().flat_map(DumpedProcess::lines));
        lines.extend([layout, weak.to_owned()]);
        if let (Some(references @ 1..), Some(objects)) = (self.missing_references, self.missing_objects)
            && self.warnings.is_empty()
        {
            lines.push(format!(
                "{} to {} that the dump does not hold, mostly Class objects of archived classes that nobody loaded",
                count_with_noun(references, "reference", "references"),
                count_with_noun(objects, "object", "objects")
            ));
        }
        lines.extend(
            self.runtime_bytes.map(|own| {
                format!("{} are Weighbridge's own: its runtime's objects and what only they hold", bytes(own))
            }),
        );
        if !self.frameworks.is_empty() {
            lines.push(format!("rules for frameworks in the heap: {}", self.frameworks.join(", ")));
        }
        lines.extend(self.recording.iter().map(|file| format!("the program recorded to {file} (weighbridge report)")));
        lines
    }
}
