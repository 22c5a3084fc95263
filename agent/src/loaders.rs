//! The class loaders that a session has met, by number. They are held weakly, and forgotten when they are collected.

use std::collections::{HashMap, HashSet};

use jvmti_bindings::prelude::*;

/// The number of the boot loader, which is no object.
const BOOT: usize = 0;
/// With so many loaders, those that were collected are looked for; then with twice as many as were left.
const MANY: usize = 64;

/// Class loaders.
#[derive(Debug)]
pub(crate) struct Loaders {
    by_hash: HashMap<jni::jint, Vec<usize>>,
    known: HashMap<usize, Weak>,
    next: usize,
    many: usize,
}

/// A weak reference to a loader.
#[derive(Debug)]
struct Weak(jni::jweak);

// SAFETY: a weak global reference may be used by any thread (JNI specification, "Global and Local References").
unsafe impl Send for Weak {}

/// What a number stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Home {
    Boot,
    /// A local reference.
    Loader(jni::jobject),
    /// It was collected, or there is none.
    Gone,
}

impl Default for Loaders {
    fn default() -> Self {
        Loaders { by_hash: HashMap::new(), known: HashMap::new(), next: BOOT + 1, many: MANY }
    }
}

impl Loaders {
    /// The number of a loader, which may be new. Null is the boot loader.
    pub(crate) fn number(&mut self, jvmti: &Jvmti, jni: &JniEnv, loader: jni::jobject) -> usize {
        if loader.is_null() {
            return BOOT;
        }
        // SAFETY: the JVM gave the reference for this call. Loaders without a hash would be one bucket.
        let hash = unsafe { jvmti.get_object_hash_code(loader) }.unwrap_or(0);
        let numbers = self.by_hash.entry(hash).or_default();
        // SAFETY: both are references of this JVM; a cleared weak one equals null only (JNI `IsSameObject`).
        let is_it = |number: &&usize| unsafe { jni.is_same_object(self.known[number].0, loader) };
        if let Some(number) = numbers.iter().find(is_it) {
            return *number;
        }
        let number = self.next;
        self.next += 1;
        numbers.push(number);
        // SAFETY: the JVM gave the reference for this call.
        self.known.insert(number, Weak(unsafe { jni.new_weak_global_ref(loader) }));
        number
    }

    /// The numbers of loaders that were collected, which nothing has any more; mostly it is too early to look for them.
    pub(crate) fn take_collected(&mut self, jni: &JniEnv) -> HashSet<usize> {
        if self.known.len() < self.many {
            return HashSet::new();
        }
        // SAFETY: a weak reference of this JVM.
        let is_gone = |weak: &Weak| unsafe { jni.is_same_object(weak.0, std::ptr::null_mut()) };
        let gone: HashSet<usize> =
            self.known.iter().filter(|(_, weak)| is_gone(weak)).map(|(number, _)| *number).collect();
        gone.iter().filter_map(|number| self.known.remove(number)).for_each(|weak| delete(jni, weak));
        self.by_hash.retain(|_, numbers| {
            numbers.retain(|number| !gone.contains(number));
            !numbers.is_empty()
        });
        self.many = MANY.max(2 * self.known.len());
        gone
    }

    pub(crate) fn home(&self, jni: &JniEnv, number: usize) -> Home {
        if number == BOOT {
            return Home::Boot;
        }
        let Some(weak) = self.known.get(&number) else { return Home::Gone };
        // SAFETY: a weak reference of this JVM.
        let strong = unsafe { jni.new_local_ref(weak.0) };
        if strong.is_null() { Home::Gone } else { Home::Loader(strong) }
    }

    /// Forgets all.
    pub(crate) fn forget(&mut self, jni: &JniEnv) {
        self.known.drain().for_each(|(_, weak)| delete(jni, weak));
        *self = Loaders::default();
    }
}

fn delete(jni: &JniEnv, Weak(weak): Weak) {
    // SAFETY: it was made by `number`, and nobody has it after this.
    unsafe { jni.delete_weak_global_ref(weak) };
}
