//! Walks of the heap: the instances of classes with probes, which have tagged class objects.

use std::ffi::c_void;

use jvmti_bindings::prelude::*;

/// `IterateThroughHeap` leaves out instances of classes without a tag (`JVMTI_HEAP_FILTER_CLASS_UNTAGGED`).
const TAGGED_CLASSES: jni::jint = 0x20;
/// Tags of taken objects begin here: above those of class objects.
const TAKEN: jni::jlong = 1 << 40;

/// Objects by class id, dead ones that are not collected yet included. The program waits meanwhile.
pub(crate) fn count(jvmti: &Jvmti) -> Vec<jni::jlong> {
    let mut counts: Vec<jni::jlong> = Vec::new();
    walk(jvmti, |id, _| {
        if id >= counts.len() {
            counts.resize(id + 1, 0);
        }
        counts[id] += 1;
        None
    });
    counts
}

/// Local references to about `wanted` objects of each class, at random out of `counts`, with their ids.
pub(crate) fn take(jvmti: &Jvmti, wanted: &[jni::jlong], counts: &[jni::jlong]) -> (Vec<jni::jobject>, Vec<jni::jint>) {
    let mut chances = Chances(0x9e37_79b9_7f4a_7c15);
    let of = |values: &[jni::jlong], id: usize| values.get(id).copied().unwrap_or(0);
    walk(jvmti, |id, tagged| {
        let (wanted, count) = (of(wanted, id), of(counts, id));
        // A class object has a tag of its own.
        let taken = !tagged && wanted > 0 && (wanted >= count || chances.one_of(wanted as f64 / count as f64));
        taken.then_some(TAKEN + id as jni::jlong)
    });
    let tags: Vec<jni::jlong> =
        (0..wanted.len()).filter(|&id| wanted[id] > 0).map(|id| TAKEN + id as jni::jlong).collect();
    let Ok((objects, tags)) = jvmti.get_objects_with_tags(&tags) else { return (Vec::new(), Vec::new()) };
    for &object in &objects {
        // SAFETY: local references that the JVM has just given.
        let _ = unsafe { jvmti.set_tag(object, 0) };
    }
    (objects, tags.iter().map(|tag| (tag - TAKEN) as jni::jint).collect())
}

/// Calls for each instance with the id of its class and whether it has a tag; what comes back is its tag from then on.
fn walk<F: FnMut(usize, bool) -> Option<jni::jlong>>(jvmti: &Jvmti, mut met: F) {
    unsafe extern "system" fn callback<F: FnMut(usize, bool) -> Option<jni::jlong>>(
        class_tag: jni::jlong,
        _: jni::jlong,
        tag: *mut jni::jlong,
        _: jni::jint,
        met: *mut c_void,
    ) -> jni::jint {
        // A panic must not reach the JVM; none is expected of a count.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let Ok(id) = usize::try_from(class_tag - 1) else { return };
            // SAFETY: `walk` gives its closure, which lives as long as the walk; the tag is valid in the callback.
            unsafe {
                if let Some(new) = (*met.cast::<F>())(id, *tag != 0) {
                    *tag = new;
                }
            }
        }));
        0
    }
    let callbacks = jvmti::jvmtiHeapCallbacks {
        heap_iteration_callback: Some(callback::<F>),
        ..jvmti::jvmtiHeapCallbacks::default()
    };
    // SAFETY: null is no class filter; the callback gets the closure of this call, and the JVM calls it on one thread at a time.
    let _ = unsafe {
        jvmti.iterate_through_heap(TAGGED_CLASSES, std::ptr::null_mut(), &callbacks, (&raw mut met).cast::<c_void>())
    };
}

/// Random choices (xorshift64*).
struct Chances(u64);

impl Chances {
    fn one_of(&mut self, share: f64) -> bool {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let random = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
        (random as f64) < share * (1u64 << 53) as f64
    }
}
