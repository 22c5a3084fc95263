//! Retransforms classes in batches: all threads of the program wait while one is done.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use jvmti_bindings::prelude::*;

/// What the time of a batch aims at: of what is granted this part, and at most so many seconds.
const PART: f64 = 0.4;
const PAUSE: f64 = 0.040;
/// A batch of one class that takes longer than is granted is tried again: the machine may just have been busy.
const ATTEMPTS: usize = 3;
/// What batches cost before their first class may stop the program for so many pauses in all. Where that is not enough, few of
/// the classes fit into a batch, and the program would stand still again and again.
const MOST_PAUSES: f64 = 20.0;
/// The sizes of the first batches, whose times tell the cost of a batch and that of a class.
const FIRST_SIZES: [usize; 2] = [1, 32];
const LARGEST_BATCH: f64 = 512.0;
/// Where a batch costs much before its first class, its classes may cost this many times as much, if so much is granted: many
/// small batches would stop the program longer in all.
const WORTHWHILE: f64 = 3.0;

/// What the program's owner grants, in nanoseconds: no stop is meant to be longer. The runtime has the option and its default.
static GRANTED: AtomicU64 = AtomicU64::new(100_000_000);

/// No stop is meant to be longer from now on.
pub(crate) fn grant(pause: Duration) {
    GRANTED.store(pause.as_nanos() as u64, Ordering::Relaxed);
}

/// What is granted now.
pub(crate) fn granted() -> Duration {
    Duration::from_nanos(GRANTED.load(Ordering::Relaxed))
}

/// What retransforming took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pauses {
    pub(crate) classes: usize,
    pub(crate) total: Duration,
    /// Of one batch. The program waits for a part of it.
    pub(crate) longest: Duration,
    /// Classes that stay as they were: to change any would stop the program for longer than is granted.
    pub(crate) left_out: usize,
    /// How long that would have been.
    pub(crate) needed: Duration,
    /// Classes for which the JVM had no memory.
    pub(crate) failed: usize,
}

impl Pauses {
    /// Gives probes to classes, as long as one batch stops the program for no longer than is granted. Gives the classes that are
    /// left out.
    pub(crate) fn retransform<'c>(
        &mut self,
        jvmti: &Jvmti,
        classes: &'c [jni::jclass],
        granted: Duration,
        is_abandoned: &dyn Fn() -> bool,
    ) -> &'c [jni::jclass] {
        let rest = self.batches(jvmti, classes, granted.as_secs_f64(), is_abandoned, &mut Vec::new());
        self.left_out += rest.len();
        rest
    }

    /// Retransforms classes, whatever it takes: at the end all get their own bytes back. Gives those for which the JVM has no
    /// memory.
    pub(crate) fn retransform_all(&mut self, jvmti: &Jvmti, classes: &[jni::jclass]) -> Vec<jni::jclass> {
        let mut failed = Vec::new();
        self.batches(jvmti, classes, f64::INFINITY, &|| false, &mut failed);
        failed
    }

    fn batches<'c>(
        &mut self,
        jvmti: &Jvmti,
        mut classes: &'c [jni::jclass],
        granted: f64,
        is_abandoned: &dyn Fn() -> bool,
        failed: &mut Vec<jni::jclass>,
    ) -> &'c [jni::jclass] {
        let mut costs = Costs::new(granted);
        while !classes.is_empty() && !is_abandoned() {
            if let Some(needed) = costs.too_long(classes.len()) {
                self.needed = Duration::from_secs_f64(needed);
                break;
            }
            let size = if costs.of_batch > granted { 1 } else { costs.size() };
            let (batch, rest) = classes.split_at(size.min(classes.len()));
            classes = rest;
            costs.learn(batch.len() as f64, self.batch(jvmti, batch, failed).as_secs_f64());
        }
        classes
    }

    fn batch(&mut self, jvmti: &Jvmti, batch: &[jni::jclass], failed: &mut Vec<jni::jclass>) -> Duration {
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
                    self.batch(jvmti, class, failed);
                }
            }
            Err(jvmti::jvmtiError::OUT_OF_MEMORY) => failed.extend(batch),
            Err(_) => {}
        }
        took
    }
}

/// What a batch costs, in seconds: HotSpot looks at every loaded class once for each batch, however small it is.
#[derive(Debug)]
struct Costs {
    /// With one class.
    of_batch: f64,
    /// Each class more.
    of_class: f64,
    batches: usize,
    /// Batches in a row after which too many seemed to be left.
    too_many: usize,
    /// What a batch must not exceed, and what it aims at.
    granted: f64,
    aim: f64,
}

impl Costs {
    fn new(granted: f64) -> Costs {
        Costs { of_batch: 0.0, of_class: 0.0, batches: 0, too_many: 0, granted, aim: PAUSE.min(PART * granted) }
    }

    fn learn(&mut self, size: f64, took: f64) {
        self.batches += 1;
        if self.batches == 1 {
            self.of_batch = took;
        } else if size == 1.0 {
            self.of_batch = self.of_batch.min(took);
            // A batch that was slow once must not make all later ones small: its cost is doubted until it is seen again.
            self.of_class /= 2.0;
        } else {
            self.of_class = ((took - self.of_batch) / (size - 1.0)).max(1e-6);
        }
    }

    /// How long a batch takes, if the classes that are left can't be done within what is granted.
    fn too_long(&mut self, classes: usize) -> Option<f64> {
        if self.of_batch > self.granted {
            return (self.batches >= ATTEMPTS).then_some(self.of_batch);
        }
        let in_all = self.of_batch * (classes as f64 / self.max_batch_size().clamp(1.0, LARGEST_BATCH)).ceil();
        self.too_many = if in_all > MOST_PAUSES * self.granted { self.too_many + 1 } else { 0 };
        (self.too_many > ATTEMPTS).then_some(self.of_batch * (1.0 + WORTHWHILE))
    }

    /// As many classes as may be in a batch at most.
    fn max_batch_size(&self) -> f64 {
        (self.granted - self.of_batch) / self.of_class
    }

    /// As many classes as fit into a pause; where more is granted, so many that the batch itself is a small part of the cost.
    fn size(&self) -> usize {
        if let Some(&size) = FIRST_SIZES.get(self.batches) {
            return size;
        }
        if self.of_class == 0.0 {
            return FIRST_SIZES[FIRST_SIZES.len() - 1];
        }
        let fitting = (self.aim - self.of_batch) / self.of_class;
        let worthwhile = (WORTHWHILE * self.of_batch / self.of_class).min(self.max_batch_size());
        fitting.max(worthwhile).clamp(1.0, LARGEST_BATCH) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::Costs;

    /// The sizes of the batches that a thousand classes take, at the costs of a batch and of a class.
    fn sizes(granted: f64, of_batch: f64, of_class: f64) -> Vec<usize> {
        let (mut costs, mut left, mut sizes) = (Costs::new(granted), 1000, Vec::new());
        while left > 0 {
            let size = costs.size().min(left);
            costs.learn(size as f64, of_batch + size as f64 * of_class);
            left -= size;
            sizes.push(size);
        }
        sizes
    }

    #[test]
    fn a_batch_is_as_large_as_a_pause_allows() {
        let small = sizes(0.1, 0.001, 0.0001);
        assert!(small[2..].iter().all(|&size| size <= 420), "{small:?}");
        assert!(small.len() < 6, "{small:?}");
    }

    #[test]
    fn one_slow_batch_does_not_make_all_later_ones_small() {
        let (mut costs, mut left, mut batches) = (Costs::new(0.1), 1500, 0);
        while left > 0 {
            let size = costs.size().min(left);
            let took = if batches == 1 { 2.0 } else { 0.06 + size as f64 * 0.001 };
            assert!(batches < 2 || took < 0.11, "{size} classes");
            costs.learn(size as f64, took);
            left -= size;
            batches += 1;
        }
        assert!(batches < 60, "{batches}");
    }

    #[test]
    fn where_batches_that_are_allowed_are_too_many_the_classes_are_left_out() {
        let (mut costs, mut left) = (Costs::new(0.1), 5800);
        let needed = loop {
            if let Some(needed) = costs.too_long(left) {
                break needed;
            }
            let size = costs.size().min(left);
            costs.learn(size as f64, 0.07 + size as f64 * 0.001);
            left -= size;
        };
        assert!(left > 5500, "{left}");
        assert!((0.25..0.35).contains(&needed), "{needed}");
        // What is told is enough.
        let mut costs = Costs::new(2.0 * needed);
        while left > 0 {
            assert_eq!(costs.too_long(left), None);
            let size = costs.size().min(left);
            costs.learn(size as f64, 0.07 + size as f64 * 0.001);
            left -= size;
        }
    }

    #[test]
    fn where_each_batch_is_long_whatever_its_size_few_are_made_if_all_must_be() {
        let all = sizes(f64::INFINITY, 0.13, 0.001);
        assert!(all.len() < 6, "{all:?}");
        assert!(all[2..].iter().all(|&size| size <= 400), "{all:?}");
    }
}
