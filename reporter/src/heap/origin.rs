//! Where a dump's program recorded to, if the runtime was in it: its objects are in the dump.

use weighbridge_heapdump::{Error, Heap, Link, ObjectIndex, Record};

/// The runtime's class that writes the recording.
const RECORDER: &str = "io.weighbridge.runtime.RecordingFile";

/// The path of the recording, as the program's file system has it.
pub(super) fn recording(heap: &Heap) -> Result<Option<String>, Error> {
    let Some(class) = heap.classes().named(RECORDER) else { return Ok(None) };
    let found = heap.objects().find(|object| heap.class_of(*object) == class && heap.class_object(*object).is_none());
    let Some(recorder) = found else { return Ok(None) };
    let field = |object: ObjectIndex, name: &str| -> Result<Option<ObjectIndex>, Error> {
        let named = |link: &Link| matches!(link, Link::Field(field) if field == name);
        Ok(heap.referents(object)?.into_iter().find(|(link, _)| named(link)).map(|(_, target)| target))
    };
    // `path` is the file that is there; before the first snapshot only `wanted` is known.
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
