//! A dump of a running JVM that several questions are asked of: the program is stopped once.

use weighbridge_ending::Failure;
use weighbridge_ending::signals::BeforeTheEnd;
use weighbridge_heapdump::{Dump, FollowSoft, Graph, Heap, HeapOptions, Modes};
use weighbridge_jvms::AttachTarget;
use weighbridge_reporter::heap::{Facts, histogram, path};

use super::taken::{DumpRequest, Taken, take};
use super::target;

/// A dump that has no name any more. Its bytes on disk go when it is dropped.
pub struct HeldDump(Taken);

impl HeldDump {
    /// Lets the JVM write it.
    ///
    /// # Errors
    /// What [`take`] says.
    pub fn take(pid: u32, before_the_end: &BeforeTheEnd) -> Result<HeldDump, Failure> {
        let wanted = DumpRequest { live: false, keep: None, force: false, warn: |_| () };
        take(&AttachTarget::find(pid)?, &wanted, before_the_end).map(HeldDump)
    }

    /// Reachable objects by class, as `heap histogram` tells them.
    pub fn histogram(&self) -> Result<histogram::HistogramReport, Failure> {
        let (heap, graph, facts) = self.open(FollowSoft::Strong)?;
        Ok(histogram::HistogramReport::from_graph(&heap, &graph, facts, false))
    }

    /// Why the objects of a class are alive, as `heap path` tells it.
    pub fn path(&self, class: &str, most: usize) -> Result<path::PathReport, Failure> {
        let (heap, graph, facts) = self.open(FollowSoft::Weak)?;
        let objects = target::objects(&heap, class)?;
        Ok(path::PathReport::from_graph(&heap, &graph, facts, class, &objects, most)?)
    }

    fn open(&self, soft: FollowSoft) -> Result<(Heap, Graph, Facts), Failure> {
        let options = HeapOptions { modes: Modes { soft, ..Modes::default() }, ..HeapOptions::default() };
        let file = self.0.file.try_clone().map_err(anyhow::Error::from)?;
        let (heap, graph) = Heap::read(Dump::of_file(&self.0.name, file)?, &options)?;
        let facts = Facts { process: Some(self.0.process.clone()), ..Facts::from_heap(&heap, &graph, options.modes) };
        Ok((heap, graph, facts))
    }
}
