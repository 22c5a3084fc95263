//! Where the record of each object is, so that a single one is read without those around it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::class::ClassIndex;
use crate::error::Error;
use crate::heap::Heap;
use crate::hprof::window::Buffer;
use crate::hprof::{FieldType, Record};
use crate::index::ObjectIndex;

/// Name, type and offset of each field of a class's instances.
pub(super) type Fields = Arc<[(String, FieldType, u32)]>;

/// The offset of each object's record. Eight bytes an object.
#[derive(Debug)]
pub struct Records {
    /// 0 for an object without a record.
    offsets: Vec<u64>,
    pub(super) fields: Mutex<HashMap<ClassIndex, Fields>>,
    /// What was read last: records are asked for in the order of the file more often than not.
    buffer: Mutex<Buffer>,
}

impl Records {
    /// Passes over the dump once, with several threads.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn from_heap(heap: &Heap, threads: usize) -> Result<Self, Error> {
        let mut offsets = vec![0_u64; heap.len()];
        {
            let shared: &[AtomicU64] = zerocopy::transmute_mut!(offsets.as_mut_slice());
            heap.dump().fold(
                threads,
                || (),
                |(), offset, record| {
                    if let Some(object) = record.address().and_then(|address| heap.find(address)) {
                        // Of several records of an address the last counts, in whatever order threads find them.
                        shared[object.as_usize()].fetch_max(offset, Ordering::Relaxed);
                    }
                },
            )?;
        }
        Ok(Records { offsets, fields: Mutex::default(), buffer: Mutex::default() })
    }

    /// Reads the record of an object; `None` if it has none.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn read<R>(
        &self,
        heap: &Heap,
        object: ObjectIndex,
        visit: impl FnOnce(Record<'_, '_>) -> R,
    ) -> Result<Option<R>, Error> {
        let offset = self.offsets[object.as_usize()];
        if offset == 0 {
            return Ok(None);
        }
        let mut buffer = self.buffer.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        heap.dump().record_at(&mut buffer, offset, visit).map(Some)
    }
}
