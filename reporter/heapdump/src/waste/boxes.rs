//! Boxed values that occur more than once.

use std::collections::BTreeMap;

use crate::class::ClassIndex;
use crate::heap::Heap;
use crate::hprof::FieldType;

/// The boxed values of a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boxed {
    /// Such as `java.lang.Integer`.
    pub class: ClassIndex,
    /// Objects.
    pub instances: u64,
    /// Their shallow bytes.
    pub bytes: u64,
    /// Different values.
    pub distinct: u64,
    /// Bytes of all but one object of each value.
    pub saved_bytes: u64,
    /// The commonest value, as the Java language prints it, and how many objects have it.
    pub commonest: (String, u64),
}

/// The bits of all values, by class.
#[derive(Default)]
pub(super) struct BoxedValues(BTreeMap<ClassIndex, (Option<FieldType>, Vec<u64>)>);

impl BoxedValues {
    pub(super) fn see(&mut self, class: ClassIndex, fields: &[u8], at: u32, kind: FieldType) {
        let bytes = fields.get(at as usize..).and_then(|rest| rest.get(..kind.bytes(8) as usize));
        if let Some(bytes) = bytes {
            let bits = bytes.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
            let values = self.0.entry(class).or_default();
            values.0 = Some(kind);
            values.1.push(bits);
        }
    }

    pub(super) fn add(&mut self, other: BoxedValues) {
        for (class, (kind, values)) in other.0 {
            let all = self.0.entry(class).or_default();
            all.0 = kind;
            all.1.extend(values);
        }
    }

    pub(super) fn finish(self, heap: &Heap) -> Vec<Boxed> {
        let mut all = Vec::new();
        for (class, (kind, mut values)) in self.0 {
            values.sort_unstable();
            let mut distinct = 0;
            let mut commonest = (0, 0);
            for same in values.chunk_by(|a, b| a == b) {
                distinct += 1;
                if same.len() as u64 > commonest.1 {
                    commonest = (same[0], same.len() as u64);
                }
            }
            let instances = values.len() as u64;
            let one = heap.instance_bytes(class);
            let text = kind.map_or(String::new(), |kind| kind.format_value(commonest.0));
            all.push(Boxed {
                class,
                instances,
                bytes: instances * one,
                distinct,
                saved_bytes: (instances - distinct) * one,
                commonest: (text, commonest.1),
            });
        }
        all.sort_by_key(|boxed| (std::cmp::Reverse(boxed.saved_bytes), boxed.class));
        all
    }
}
