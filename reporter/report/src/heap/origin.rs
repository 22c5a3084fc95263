//! What a dump tells about the runtime in its program: the file of its recording, and the bytes that it held.

use weighbridge_heapdump::{
    ClassIndex, Error, Graph, GraphNode, Heap, NodeIndex, ObjectIndex, ObjectLink, RUNTIME, Record,
};

/// The runtime's class that writes the recording, and its name before the runtime had packages.
const RECORDERS: [&str; 2] = ["io.weighbridge.runtime.record.RecordingFile", "io.weighbridge.runtime.RecordingFile"];

fn recorder_class(heap: &Heap) -> Option<ClassIndex> {
    RECORDERS.into_iter().find_map(|name| heap.classes().find_by_name(name))
}

/// Bytes of the runtime's objects and classes, and of what only they hold; `None` without the runtime. Takes two passes over
/// the reachable objects.
pub(super) fn runtime_bytes(heap: &Heap, graph: &Graph) -> Option<u64> {
    recorder_class(heap)?;
    let own: Vec<bool> = heap.classes().iter().map(|(_, class)| class.name.starts_with(RUNTIME)).collect();
    let is_own = |object: ObjectIndex| {
        let class = heap.class_object(object).unwrap_or_else(|| heap.class_of(object));
        own[class.as_usize()]
    };
    let blocked = |node: NodeIndex| match graph.node(node) {
        GraphNode::Object(object) => is_own(object),
        _ => false,
    };
    let others = graph.reachable_without(blocked);
    let all = graph.reachable();
    let held = |object: &ObjectIndex| all.has(*object) && (is_own(*object) || !others.has(*object));
    Some(heap.objects().filter(held).map(|object| heap.bytes(object)).sum())
}

/// The path of the recording in the program's file system.
pub(super) fn recording(heap: &Heap) -> Result<Option<String>, Error> {
    let Some(recorder) = recorder_class(heap).and_then(|class| heap.instances(class).next()) else { return Ok(None) };
    let field = |object: ObjectIndex, name: &str| -> Result<Option<ObjectIndex>, Error> {
        let named = |link: &ObjectLink| matches!(link, ObjectLink::Field(field) if field == name);
        Ok(heap.referents(object)?.into_iter().find(|(link, _)| named(link)).map(|(_, target)| target))
    };
    // `path` is the existing file; before the first snapshot only `wanted` is set.
    let path = match field(recorder, "path")? {
        Some(path) => Some(path),
        None => field(recorder, "wanted")?,
    };
    let Some(path) = path else { return Ok(None) };
    // `sun.nio.fs.UnixPath.path` is an array of bytes, `WindowsPath.path` a string.
    let Some(value) = field(path, "path")? else { return Ok(None) };
    if let Some(text) = heap.texts(&[value])?.remove(&value) {
        return Ok(Some(text));
    }
    let mut text = None;
    heap.reread(&[value], |_, record| {
        if let Record::Primitives { mut elements, .. } = record {
            let mut bytes = Vec::new();
            while let Some(piece) = elements.next_piece() {
                bytes.extend_from_slice(piece);
            }
            text = Some(String::from_utf8_lossy(&bytes).into_owned());
        }
    })?;
    Ok(text)
}
