//! Retransforms classes in batches: all threads of the program wait while one is done.

use std::time::{Duration, Instant};

use jvmti_bindings::prelude::*;

/// What the time of a batch aims at.
const PAUSE: f64 = 0.040;
/// The first batches, whose times tell the cost of a batch and that of a class.
const PROBES: [usize; 2] = [1, 32];
const LARGEST_BATCH: f64 = 512.0;

/// What retransforming took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pauses {
    pub(crate) classes: usize,
    pub(crate) total: Duration,
    /// Of one batch. The program waits for a part of it.
    pub(crate) longest: Duration,
}

impl Pauses {
    /// Retransforms classes.
    pub(crate) fn retransform(&mut self, jvmti: &Jvmti, mut classes: &[jni::jclass]) {
        let mut costs = Costs::default();
        for number in 0.. {
            let size = PROBES.get(number).copied().unwrap_or_else(|| costs.size()).min(classes.len());
            if size == 0 {
                break;
            }
            let (batch, rest) = classes.split_at(size);
            classes = rest;
            costs.met(size as f64, self.batch(jvmti, batch).as_secs_f64());
        }
    }

    fn batch(&mut self, jvmti: &Jvmti, batch: &[jni::jclass]) -> Duration {
        let start = Instant::now();
        // SAFETY: local references of this call to classes.
        let done = unsafe { jvmti.retransform_classes(batch) };
        let took = start.elapsed();
        self.total += took;
        self.longest = self.longest.max(took);
        match done {
            Ok(()) => self.classes += batch.len(),
            // A class that the JVM refuses stays as it was; the others must not stay with it.
            Err(_) if batch.len() > 1 => {
                for class in batch.chunks(1) {
                    self.batch(jvmti, class);
                }
            }
            Err(_) => {}
        }
        took
    }
}

/// What a batch costs, in seconds: HotSpot looks at every loaded class once for each batch, however small it is.
#[derive(Debug, Default)]
struct Costs {
    of_batch: f64,
    of_class: f64,
    batches: usize,
}

impl Costs {
    fn met(&mut self, size: f64, took: f64) {
        self.batches += 1;
        if self.batches == 1 {
            self.of_batch = took;
        } else {
            self.of_class = ((took - self.of_batch) / size).max(1e-6);
        }
    }

    /// As many classes as fit into a pause; at least so many that the batch itself is not most of the cost.
    fn size(&self) -> usize {
        let fitting = (PAUSE - self.of_batch) / self.of_class;
        let worthwhile = self.of_batch / self.of_class;
        fitting.max(worthwhile).clamp(1.0, LARGEST_BATCH) as usize
    }
}
