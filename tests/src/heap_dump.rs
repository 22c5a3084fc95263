//! Heap dumps written by tests: HPROF files of any graph.
//!
//! Tags and layouts are those of "HPROF Binary Format" (`heapDumper.cpp` of the JDK).

use std::io::Write;

/// How a dump is written.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Bytes of an id: 4 or 8.
    pub id: usize,
    /// True for segments of one object each and a HEAP_DUMP_END, as HotSpot writes; false for one HEAP_DUMP record.
    pub segmented: bool,
    /// Whether blocks of the file are gzip members, as with HotSpot's `-gz`.
    pub compressed: bool,
}

/// All of them.
pub const FORMS: [Form; 5] = [
    Form { id: 8, segmented: true, compressed: false },
    Form { id: 8, segmented: false, compressed: false },
    Form { id: 4, segmented: true, compressed: false },
    Form { id: 4, segmented: false, compressed: true },
    Form { id: 8, segmented: true, compressed: true },
];

/// Writes a dump.
pub struct Writer {
    form: Form,
    records: Vec<u8>,
    heap: Vec<Vec<u8>>,
    names: u64,
    /// Internal names; the serial number of the first is 1.
    classes: Vec<String>,
}

/// The type of a reference.
pub const OBJECT: u8 = 2;
/// The type of a byte.
pub const BYTE: u8 = 8;

impl Writer {
    /// A dump without records.
    pub fn new(form: Form) -> Self {
        let mut records = b"JAVA PROFILE 1.0.2\0".to_vec();
        records.extend((form.id as u32).to_be_bytes());
        records.extend([0; 8]);
        Writer { form, records, heap: Vec::new(), names: 0x1000_0000, classes: Vec::new() }
    }

    /// The bytes of an id.
    pub fn id(&self, value: u64) -> Vec<u8> {
        value.to_be_bytes()[8 - self.form.id..].to_vec()
    }

    /// A top-level record.
    pub fn record(&mut self, tag: u8, body: &[u8]) {
        self.records.push(tag);
        self.records.extend([0; 4]);
        self.records.extend((body.len() as u32).to_be_bytes());
        self.records.extend(body);
    }

    /// A sub-record of the heap.
    pub fn heap(&mut self, tag: u8, parts: &[&[u8]]) {
        let mut body = vec![tag];
        parts.iter().for_each(|part| body.extend(*part));
        self.heap.push(body);
    }

    /// A name; returns its id.
    pub fn string(&mut self, text: &str) -> u64 {
        self.names += 1;
        let body = [self.id(self.names), text.as_bytes().to_vec()].concat();
        self.record(1, &body);
        self.names
    }

    /// A class: its internal name, superclass, static references, and the types of its fields.
    pub fn class(&mut self, address: u64, name: &str, superclass: u64, statics: &[u64], fields: &[(&str, u8)]) {
        let statics: Vec<(&str, u64)> = statics.iter().map(|value| ("held", *value)).collect();
        self.class_with_statics(address, name, superclass, &statics, fields);
    }

    /// The same with the name of each static reference.
    pub fn class_with_statics(
        &mut self,
        address: u64,
        name: &str,
        superclass: u64,
        statics: &[(&str, u64)],
        fields: &[(&str, u8)],
    ) {
        self.classes.push(name.to_owned());
        let name = self.string(name);
        let serial = (self.classes.len() as u32).to_be_bytes();
        let body = [&serial, &self.id(address)[..], &[0; 4], &self.id(name)].concat();
        self.record(2, &body);
        let mut body =
            [self.id(address), vec![0; 4], self.id(superclass), vec![0; 5 * self.form.id], vec![0; 4]].concat();
        body.extend(0_u16.to_be_bytes());
        body.extend((statics.len() as u16).to_be_bytes());
        for (field, value) in statics {
            let field = self.string(field);
            body.extend(self.id(field));
            body.push(OBJECT);
            body.extend(self.id(*value));
        }
        body.extend((fields.len() as u16).to_be_bytes());
        for (field, kind) in fields {
            let field = self.string(field);
            body.extend(self.id(field));
            body.push(*kind);
        }
        self.heap(0x20, &[&body]);
    }

    /// An object: its references, then the bytes of its other fields.
    pub fn instance(&mut self, address: u64, class: u64, references: &[u64], rest: &[u8]) {
        let mut values: Vec<u8> = references.iter().flat_map(|reference| self.id(*reference)).collect();
        values.extend(rest);
        let (address, class, length) = (self.id(address), self.id(class), (values.len() as u32).to_be_bytes());
        self.heap(0x21, &[&address, &[0; 4], &class, &length, &values]);
    }

    /// An array of references.
    pub fn objects(&mut self, address: u64, class: u64, elements: &[u64]) {
        let values: Vec<u8> = elements.iter().flat_map(|reference| self.id(*reference)).collect();
        let (address, class, length) = (self.id(address), self.id(class), (elements.len() as u32).to_be_bytes());
        self.heap(0x22, &[&address, &[0; 4], &length, &class, &values]);
    }

    /// An array of bytes.
    pub fn bytes(&mut self, address: u64, elements: &[u8]) {
        let address = self.id(address);
        self.heap(0x23, &[&address, &[0; 4], &(elements.len() as u32).to_be_bytes(), &[BYTE], elements]);
    }

    /// A root with an object and numbers.
    pub fn root(&mut self, tag: u8, object: u64, numbers: &[u32]) {
        let object = self.id(object);
        let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
        self.heap(tag, &[&object, &numbers]);
    }

    /// A stack trace: its number, and the method of each frame from the top, all of one unknown class.
    pub fn trace(&mut self, serial: u32, frames: &[&str]) {
        self.trace_of_classes(serial, &frames.iter().map(|method| ("", *method)).collect::<Vec<_>>());
    }

    /// The same with the internal name of each frame's class. One that was not written before is unknown.
    pub fn trace_of_classes(&mut self, serial: u32, frames: &[(&str, &str)]) {
        let mut ids = Vec::new();
        for (class, method) in frames {
            let class = self.classes.iter().position(|name| name == class).map_or(0, |at| at as u32 + 1);
            let (id, name) = (self.string(""), self.string(method));
            let (empty, source) = (self.string("()V"), self.string("Class.java"));
            let mut body = [id, name, empty, source].map(|id| self.id(id)).concat();
            body.extend(class.to_be_bytes());
            body.extend(7_u32.to_be_bytes());
            self.record(4, &body);
            ids.extend(self.id(id));
        }
        let mut body = [serial.to_be_bytes(), serial.to_be_bytes(), (frames.len() as u32).to_be_bytes()].concat();
        body.extend(ids);
        self.record(5, &body);
    }

    /// The file's bytes.
    pub fn finish(mut self) -> Vec<u8> {
        let heap = std::mem::take(&mut self.heap);
        if self.form.segmented {
            heap.iter().for_each(|record| self.record(0x1C, record));
            self.record(0x2C, &[]);
        } else {
            self.record(0x0C, &heap.concat());
        }
        if !self.form.compressed {
            return self.records;
        }
        // HotSpot compresses blocks, one gzip member each.
        let mut compressed = Vec::new();
        for block in self.records.chunks(1 << 10) {
            let mut encoder = flate2::write::GzEncoder::new(&mut compressed, flate2::Compression::fast());
            encoder.write_all(block).expect("memory");
            encoder.finish().expect("memory");
        }
        compressed
    }
}

/// A dump in a temporary file.
pub fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("its bytes");
    file
}
