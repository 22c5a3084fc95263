//! Threads and frames as nodes above the objects that they hold.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::AtomicU32;

use super::Graph;
use super::modes::{Modes, ReferenceModel};
use super::node::{GraphNode, NodeIndex, PartNode, Thread, ThreadPart};
use super::own::OwnFrames;
use super::pool::{Full, Writer};
use super::references::Read;
use crate::hprof::GcRoot;
use crate::index::{AddressIndex, ObjectIndex};

/// The objects that a thread's stack holds, by depth. Native code outside any frame has the greatest depth.
type Stack = BTreeMap<u32, Vec<u32>>;

/// Puts roots and threads above the objects, without local variables of the runtime that measures the program.
pub(crate) fn assemble(
    read: Read,
    index: &AddressIndex,
    roots: &[GcRoot],
    modes: Modes,
    own: &OwnFrames,
) -> Result<Parts, Full> {
    let objects = index.len() as u32;
    let find = |address| index.find(address);
    let mut held = Vec::new();
    let mut by_serial: BTreeMap<u32, (Option<u32>, u32, Stack)> = BTreeMap::new();
    for root in roots {
        if let GcRoot::Thread(object, serial, trace) = *root {
            by_serial.entry(serial).or_insert((find(object), trace, Stack::new()));
        }
    }
    for root in roots {
        match *root {
            GcRoot::JavaFrame(object, serial, depth) | GcRoot::JniLocal(object, serial, depth) => {
                match (find(object), by_serial.get_mut(&serial)) {
                    (Some(object), Some((_, trace, _)))
                        if modes.references == ReferenceModel::Memory
                            && own.hides(*trace, depth, read.class_of(object)) => {}
                    (Some(object), Some((_, _, stack))) => stack.entry(depth).or_default().push(object),
                    // The dump does not describe the thread: the virtual machine holds the object.
                    (Some(object), None) => held.push(object),
                    (None, _) => {}
                }
            }
            GcRoot::Unknown(object)
            | GcRoot::JniGlobal(object)
            | GcRoot::NativeStack(object, _)
            | GcRoot::StickyClass(object)
            | GcRoot::ThreadBlock(object, _)
            | GcRoot::Monitor(object)
            | GcRoot::VmInternal(object) => held.extend(find(object)),
            GcRoot::Thread(..) => {}
        }
    }
    let mut builder = Builder::new(read, objects);
    let root_lists = match modes.references {
        ReferenceModel::Memory => builder.nodes(by_serial)?,
        ReferenceModel::Mat => builder.thread_objects(by_serial)?,
    };
    held.extend(root_lists);
    held.sort_unstable();
    held.dedup();
    builder.add(GraphNode::Root, &held)?;
    builder.write()?;
    Ok(builder.finish())
}

/// The graph, and the other results of the second pass.
pub(crate) struct Parts {
    pub(crate) graph: Graph,
    pub(crate) shapes: Vec<super::Shape>,
    pub(crate) shape_of: Vec<u32>,
}

struct Builder {
    read: Read,
    objects: u32,
    above: Vec<GraphNode>,
    threads: Vec<Thread>,
    lists: Vec<(u32, Vec<u32>)>,
}

impl Builder {
    fn new(read: Read, objects: u32) -> Self {
        Builder { read, objects, above: Vec::new(), threads: Vec::new(), lists: Vec::new() }
    }

    /// Adds a node above the objects.
    fn add(&mut self, node: GraphNode, references: &[u32]) -> Result<u32, Full> {
        let number = self.objects + u32::try_from(self.above.len()).map_err(|_| Full)?;
        self.above.push(node);
        self.lists.push((number, references.to_vec()));
        Ok(number)
    }

    /// Adds threads and frames as nodes. Gives the node above all threads.
    fn nodes(&mut self, by_serial: BTreeMap<u32, (Option<u32>, u32, Stack)>) -> Result<Vec<u32>, Full> {
        let mut held_back = std::mem::take(&mut self.read.threads);
        let mut threads = Vec::new();
        for (serial, (object, trace, stack)) in by_serial {
            let thread = self.threads.len();
            let mut own_objects: Vec<u32> = object.into_iter().collect();
            if let Some((own, of_thread)) = object.and_then(|object| held_back.remove(&object)) {
                own_objects.extend(of_thread);
                self.lists.extend(object.map(|object| (object, own)));
            }
            let parts = stack.into_iter().map(|(depth, objects)| match depth {
                u32::MAX => (ThreadPart::Native, objects),
                depth => (ThreadPart::Frame(depth), objects),
            });
            let own = Some((ThreadPart::Own, own_objects)).filter(|(_, objects)| !objects.is_empty());
            let mut references = Vec::new();
            let mut frames = Vec::new();
            for (part, mut objects) in parts.chain(own) {
                // An object occurs once for each local variable that holds it.
                objects.sort_unstable();
                objects.dedup();
                let node = self.add(GraphNode::Frame(thread, frames.len()), &objects)?;
                references.push(node);
                frames.push(PartNode { part, node: NodeIndex(node) });
            }
            let node = self.add(GraphNode::Thread(thread), &references)?;
            threads.push(node);
            let object = object.map(ObjectIndex);
            self.threads.push(Thread { serial, object, trace, node: NodeIndex(node), frames });
        }
        self.keep_own(held_back);
        Ok(vec![self.add(GraphNode::AllThreads, &threads)?])
    }

    /// Makes local variables references of the `Thread` objects. Gives these, which are roots.
    fn thread_objects(&mut self, by_serial: BTreeMap<u32, (Option<u32>, u32, Stack)>) -> Result<Vec<u32>, Full> {
        let mut held_back = std::mem::take(&mut self.read.threads);
        let mut roots = Vec::new();
        for (_, (object, _, stack)) in by_serial {
            let mut locals: Vec<u32> = stack.into_values().flatten().collect();
            locals.sort_unstable();
            locals.dedup();
            match object {
                Some(object) => {
                    roots.push(object);
                    if let Some((own, of_thread)) = held_back.get_mut(&object) {
                        own.append(of_thread);
                        own.extend(locals);
                    } else {
                        roots.extend(locals);
                    }
                }
                None => roots.extend(locals),
            }
        }
        self.keep_own(held_back);
        Ok(roots)
    }

    fn keep_own(&mut self, held_back: HashMap<u32, (Vec<u32>, Vec<u32>)>) {
        let whole = held_back.into_iter().map(|(object, (mut own, of_thread))| {
            own.extend(of_thread);
            (object, own)
        });
        self.lists.extend(whole);
    }

    fn write(&mut self) -> Result<(), Full> {
        let next = AtomicU32::new(self.read.pool.chunks());
        let most = self.lists.iter().map(|(_, list)| list.len() as u64 + 1).sum();
        let mut writer = Writer::new(&next, most);
        self.read.starts.resize(self.objects as usize + self.above.len(), 0);
        for (source, list) in self.lists.iter().filter(|(_, list)| !list.is_empty()) {
            self.read.starts[*source as usize] = writer.add(*source, list)?;
        }
        self.read.pool.extend(writer.finish());
        Ok(())
    }

    fn finish(self) -> Parts {
        let Builder { read: Read { starts, pool, shapes, shape_of, .. }, objects, above, threads, .. } = self;
        Parts { graph: Graph { starts, pool, objects, above, threads }, shapes, shape_of }
    }
}
