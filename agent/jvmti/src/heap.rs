//! One walk of the heap: how many instances each class with probes has, and a random sample of them.
//!
//! The class objects are tagged (`tags.rs`), so the JVM tells the class of each instance. A tag for each instance would cost
//! four times the walk itself. So an instance draws a level, as the coins of a skip list do: level n with probability
//! 2^-(n+1). It is tagged only if its level is at least that of its class, which rises whenever the class has more tagged
//! instances than it may. What is left is a uniform sample of at least half as many as allowed, and about
//! `allowed * log2(count / allowed)` tags are set in all.

use std::ffi::c_void;
use std::time::{Duration, Instant};

use jvmti_bindings::prelude::*;

use crate::tags;

/// `IterateThroughHeap` leaves out nothing: a walk that met only instances of classes with probes could not look at the clock
/// where there are few of them.
const NO_FILTER: jni::jint = 0;
/// Tags of sampled objects: this and the level. Above those of class objects.
const SAMPLED: jni::jlong = 1 << 40;
/// From 0 to 32: levels are drawn from 32 random bits. A class rises above the highest one at most.
const LEVELS: usize = 34;
/// Between two looks at the clock the walk meets so many objects: some 0.1 ms.
const BETWEEN_LOOKS: u64 = 1024;

/// What a walk has found.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// Instances by class id, dead ones that are not collected yet included.
    pub(crate) counts: Vec<jni::jlong>,
    /// Local references to a random sample of them: all instances of a class that has no more than it may.
    pub(crate) objects: Vec<jni::jobject>,
    /// Side by side with the objects: the ids of their classes.
    pub(crate) ids: Vec<jni::jint>,
}

/// How much a survey may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds<'a> {
    /// Sampled instances by class id.
    pub(crate) samples: &'a [jni::jint],
    /// The same of classes that come after these.
    pub(crate) samples_of_others: jni::jint,
    /// Sampled instances of all classes together, about.
    pub(crate) samples_in_all: usize,
    /// A walk that takes longer is given up.
    pub(crate) time: Duration,
}

/// Walks the heap once. The program waits meanwhile. `None` if the time was up: then nothing is known.
pub(crate) fn survey(jvmti: &Jvmti, jni: &JniEnv, bounds: &Bounds<'_>) -> Option<Survey> {
    let mut walk = HeapWalk::new(bounds);
    walk.run(jvmti);
    let is_complete = !walk.is_over;
    let sampled = walk.sampled_objects(jvmti, jni);
    is_complete.then(|| {
        let counts = walk.classes.iter().map(|class| class.count).collect();
        let (objects, ids) = sampled.into_iter().unzip();
        Survey { counts, objects, ids }
    })
}

/// The state of a walk.
struct HeapWalk {
    samples_of: Vec<u32>,
    samples_of_others: u32,
    samples_in_all: usize,
    /// Tagged instances whose level is still high enough.
    sampled: usize,
    /// By class id.
    classes: Vec<ClassSample>,
    random: Random,
    begun: Instant,
    time: Duration,
    met: u64,
    is_over: bool,
}

/// What was met of one class.
#[derive(Default)]
struct ClassSample {
    count: jni::jlong,
    /// Instances of a lower level are no part of the sample.
    level: usize,
    /// Tagged instances by level; empty before the first.
    by_level: Vec<u32>,
    /// Of those, the ones whose level is high enough.
    sampled: u32,
}

impl ClassSample {
    /// Leaves out the lowest level, about half of the sample. Gives how many instances that were.
    fn raise(&mut self) -> u32 {
        let dropped = std::mem::take(&mut self.by_level[self.level]);
        self.level += 1;
        self.sampled -= dropped;
        dropped
    }
}

impl HeapWalk {
    fn new(bounds: &Bounds<'_>) -> HeapWalk {
        let at_least_none = |&samples: &jni::jint| u32::try_from(samples).unwrap_or(0);
        HeapWalk {
            samples_of: bounds.samples.iter().map(at_least_none).collect(),
            samples_of_others: at_least_none(&bounds.samples_of_others),
            samples_in_all: bounds.samples_in_all.max(1),
            sampled: 0,
            classes: Vec::new(),
            random: Random(0x9e37_79b9_7f4a_7c15),
            begun: Instant::now(),
            time: bounds.time,
            met: 0,
            is_over: false,
        }
    }

    fn run(&mut self, jvmti: &Jvmti) {
        let callbacks = jvmti::jvmtiHeapCallbacks {
            heap_iteration_callback: Some(met_instance),
            ..jvmti::jvmtiHeapCallbacks::default()
        };
        let walk = std::ptr::from_mut(self).cast::<c_void>();
        // SAFETY: null is no class filter; the callback gets this walk, and the JVM calls it on one thread at a time.
        let walked = unsafe { jvmti.iterate_through_heap(NO_FILTER, std::ptr::null_mut(), &callbacks, walk) };
        self.is_over |= walked.is_err();
    }

    /// An object of any class; the walk ends when its time is over.
    fn look_at_clock(&mut self) {
        self.met += 1;
        self.is_over |= self.met.is_multiple_of(BETWEEN_LOOKS) && self.begun.elapsed() > self.time;
    }

    /// An instance of a class with probes. The level that it is tagged with, if it is part of the sample. Class objects have a tag of
    /// their own, and are none.
    fn meet(&mut self, id: usize, is_class_object: bool) -> Option<usize> {
        if id >= self.classes.len() {
            self.classes.resize_with(id + 1, ClassSample::default);
        }
        let most = self.samples_of.get(id).copied().unwrap_or(self.samples_of_others);
        let class = &mut self.classes[id];
        class.count += 1;
        if most == 0 || is_class_object {
            return None;
        }
        let level = self.random.level();
        if level < class.level {
            return None;
        }
        if class.by_level.is_empty() {
            class.by_level.resize(LEVELS, 0);
        }
        class.by_level[level] += 1;
        class.sampled += 1;
        self.sampled += 1;
        while class.sampled > most {
            self.sampled -= class.raise() as usize;
        }
        if self.sampled > self.samples_in_all {
            self.share();
        }
        (level >= self.classes[id].level).then_some(level)
    }

    /// All classes together have too many: those with the most give up half of theirs.
    fn share(&mut self) {
        while self.sampled > self.samples_in_all {
            let largest = self.classes.iter().map(|class| class.sampled).max().unwrap_or(0);
            for class in &mut self.classes {
                if class.sampled > 1 && class.sampled > largest / 2 {
                    self.sampled -= class.raise() as usize;
                }
            }
            if largest <= 1 {
                return;
            }
        }
    }

    /// Local references to the sampled objects, with the ids of their classes. No sampled object has a tag any more.
    fn sampled_objects(&self, jvmti: &Jvmti, jni: &JniEnv) -> Vec<(jni::jobject, jni::jint)> {
        // All levels: an object may have been tagged before its class rose.
        let levels: Vec<jni::jlong> = (0..LEVELS).map(|level| SAMPLED + level as jni::jlong).collect();
        let Ok((objects, tags)) = jvmti.get_objects_with_tags(&levels) else { return Vec::new() };
        let mut sampled = Vec::with_capacity(self.sampled);
        for (object, tag) in objects.into_iter().zip(tags) {
            // SAFETY: local references that the JVM has just given.
            unsafe {
                let _ = jvmti.set_tag(object, 0);
                let class = jni.get_object_class(object);
                let id = tags::id(jvmti, class);
                jni.delete_local_ref(class);
                match id.filter(|&id| self.is_sampled(id, tag)) {
                    Some(id) => sampled.push((object, id as jni::jint)),
                    None => jni.delete_local_ref(object),
                }
            }
        }
        sampled
    }

    fn is_sampled(&self, id: u32, tag: jni::jlong) -> bool {
        !self.is_over && self.classes.get(id as usize).is_some_and(|class| tag - SAMPLED >= class.level as jni::jlong)
    }
}

unsafe extern "system" fn met_instance(
    class_tag: jni::jlong,
    _: jni::jlong,
    tag: *mut jni::jlong,
    _: jni::jint,
    walk: *mut c_void,
) -> jni::jint {
    // A panic must not reach the JVM; none is expected of a count.
    let is_over = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        // SAFETY: `Walk::run` gives its walk, which lives as long as the JVM calls; the tag is valid in the callback.
        let (walk, tag) = unsafe { (&mut *walk.cast::<HeapWalk>(), &mut *tag) };
        walk.look_at_clock();
        // Class objects without probes may be sampled themselves, as instances of `java.lang.Class`: they have no id.
        if let Ok(id) = usize::try_from(class_tag - 1)
            && class_tag < SAMPLED
            && let Some(level) = walk.meet(id, *tag != 0)
        {
            *tag = SAMPLED + level as jni::jlong;
        }
        walk.is_over
    }));
    if is_over.unwrap_or(true) { jvmti::JVMTI_VISIT_ABORT } else { 0 }
}

/// Random numbers (xorshift64*).
struct Random(u64);

impl Random {
    /// n with probability 2^-(n+1).
    fn level(&mut self) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        // The high half: the low bits of this generator are weaker.
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32 | 1 << 32).trailing_zeros() as usize
    }
}
