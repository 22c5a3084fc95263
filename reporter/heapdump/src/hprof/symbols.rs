//! The records outside the heap segments: strings, classes, stack frames and traces.

use std::collections::HashMap;
use std::fs::File;

use weighbridge_bytecode::read::mutf8;

use super::records::FieldType;
use super::window::read_exact_at;

/// Longest name that is read, in bytes. A constant of a class file has at most 65,535 (JVMS 4.4.7).
const LONGEST_NAME: u32 = 1 << 16;

/// Names by id. Strings stay in the file; only their offsets and lengths are stored (16 to 32 bytes each).
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    /// Offset and bytes of a string's text, by its id.
    pub(super) strings: HashMap<u64, (u64, u32)>,
    /// Id of the name of a class, by the class's address.
    pub(super) class_names: HashMap<u64, u64>,
    /// Address of a class, by the serial number that stack frames use.
    pub(super) class_serials: HashMap<u32, u64>,
    pub(super) frames: HashMap<u64, FrameRecord>,
    /// Frames of a stack trace from the top, by its serial number.
    pub(super) traces: HashMap<u32, Vec<u64>>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct FrameRecord {
    pub(super) method: u64,
    pub(super) signature: u64,
    pub(super) source: u64,
    pub(super) class_serial: u32,
    pub(super) line: i32,
}

/// A frame of a stack trace when the dump was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackFrame {
    /// Dotted name of the class that declares the method; empty if the dump does not have it.
    pub class: String,
    /// Name of the method.
    pub method: String,
    /// Name of the source file, if known.
    pub source: Option<String>,
    /// Line number; `None` for native methods and code without line numbers.
    pub line: Option<u32>,
}

impl Symbols {
    /// The text of a string record, which the JVM writes as modified UTF-8; `None` if the dump has none with that id. Costs one read of the file.
    pub(crate) fn text(&self, file: &File, id: u64) -> Option<String> {
        let &(offset, length) = self.strings.get(&id)?;
        let mut bytes = vec![0; length.min(LONGEST_NAME) as usize];
        read_exact_at(file, &mut bytes, offset).ok()?;
        Some(mutf8::decode(&bytes).into_owned())
    }

    /// The name of the class at an address in internal form: `java/lang/String`, `[I`.
    pub(crate) fn class_name(&self, file: &File, address: u64) -> Option<String> {
        self.text(file, *self.class_names.get(&address)?)
    }

    /// The frames of a stack trace, the top first; empty for an unknown serial number.
    pub(crate) fn trace(&self, file: &File, serial: u32) -> Vec<StackFrame> {
        let frames = self.traces.get(&serial).map_or(&[][..], Vec::as_slice);
        frames.iter().map(|id| self.frame(file, *id)).collect()
    }

    /// The address of the class of each frame of a stack trace, the top first. Reads nothing.
    pub(crate) fn classes_of_trace(&self, serial: u32) -> impl DoubleEndedIterator<Item = Option<u64>> + '_ {
        let frames = self.traces.get(&serial).map_or(&[][..], Vec::as_slice);
        frames.iter().map(|id| self.class_serials.get(&self.frames.get(id)?.class_serial).copied())
    }

    fn frame(&self, file: &File, id: u64) -> StackFrame {
        let Some(record) = self.frames.get(&id) else {
            return StackFrame { class: String::new(), method: "(unknown method)".into(), source: None, line: None };
        };
        let class = self.class_serials.get(&record.class_serial);
        let class = class.and_then(|address| self.class_name(file, *address)).unwrap_or_default();
        StackFrame {
            class: dotted(&class),
            method: self.text(file, record.method).unwrap_or_else(|| "(unknown method)".into()),
            source: self.text(file, record.source),
            line: u32::try_from(record.line).ok().filter(|line| *line > 0),
        }
    }
}

/// The dotted name of a class from its internal form: `[[I` is `int[][]`.
pub(crate) fn dotted(internal: &str) -> String {
    let element = internal.trim_start_matches('[');
    let dimensions = internal.len() - element.len();
    let is_element = |kind: &FieldType| dimensions > 0 && kind.descriptor().encode_utf8(&mut [0; 4]) == element;
    let name = match FieldType::PRIMITIVE.into_iter().find(is_element) {
        Some(kind) => kind.name().to_owned(),
        None => {
            let class = element.strip_prefix('L').and_then(|rest| rest.strip_suffix(';'));
            class.filter(|_| dimensions > 0).unwrap_or(element).replace('/', ".")
        }
    };
    name + &"[]".repeat(dimensions)
}

#[cfg(test)]
mod tests {
    use super::dotted;

    #[test]
    fn names_are_those_of_the_java_language() {
        let names = ["java/util/Map$Entry", "[B", "[[Ljava/lang/String;", "[[[J", "I", "com/acme/F$$Lambda+0x1"];
        let dotted = names.map(dotted);
        let expected =
            ["java.util.Map$Entry", "byte[]", "java.lang.String[][]", "long[][][]", "I", "com.acme.F$$Lambda+0x1"];
        assert_eq!(dotted, expected);
    }
}
