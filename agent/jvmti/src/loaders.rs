//! The class loaders that a session has met, by number. They are held weakly, and forgotten when they are collected.
//!
//! To compare loaders is to ask the JVM, so it is done without the lock (`locks`): a reference that is being compared is not
//! deleted before nobody has it any more.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use jvmti_bindings::prelude::*;

use crate::locks::lock;

/// The number of the boot loader, which is no object.
const BOOT: usize = 0;
/// With so many loaders, those that were collected are looked for; then with twice as many as were left.
const MANY: usize = 64;

/// Class loaders.
#[derive(Debug, Default)]
pub(crate) struct Loaders(Mutex<KnownLoaders>);

#[derive(Debug)]
struct KnownLoaders {
    /// Of each hash code in the order of their numbers.
    by_hash: HashMap<jni::jint, Vec<Arc<WeakLoader>>>,
    by_number: HashMap<usize, Arc<WeakLoader>>,
    /// Those that were collected while another thread compared them: their references are not deleted yet.
    retired: Vec<Arc<WeakLoader>>,
    next: usize,
    many: usize,
}

/// A loader with its number, by a weak reference.
#[derive(Debug)]
struct WeakLoader {
    number: usize,
    reference: jni::jweak,
}

// SAFETY: a weak global reference may be used by any thread (JNI specification, "Global and Local References").
unsafe impl Send for WeakLoader {}
// SAFETY: as above; nothing is changed through a shared reference.
unsafe impl Sync for WeakLoader {}

/// What a number stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Home {
    Boot,
    /// A local reference.
    Loader(jni::jobject),
    /// It was collected, or there is none.
    Gone,
}

impl Default for KnownLoaders {
    fn default() -> Self {
        KnownLoaders {
            by_hash: HashMap::new(),
            by_number: HashMap::new(),
            retired: Vec::new(),
            next: BOOT + 1,
            many: MANY,
        }
    }
}

impl Loaders {
    /// The number of a loader, which may be new. Null is the boot loader.
    pub(crate) fn number(&self, jvmti: &Jvmti, jni: &JniEnv, loader: jni::jobject) -> usize {
        if loader.is_null() {
            return BOOT;
        }
        // SAFETY: the JVM gave the reference for this call. Loaders without a hash would be one bucket.
        let hash = unsafe { jvmti.get_object_hash_code(loader) }.unwrap_or(0);
        let mut compared = BOOT;
        let mut made = None;
        loop {
            let others = {
                let mut known = lock(&self.0);
                let others = known.find_loaders_after(hash, compared);
                if let (true, Some(reference)) = (others.is_empty(), made) {
                    return known.add(hash, reference);
                }
                others
            };
            // SAFETY: both are references of this JVM; a cleared weak one equals null only (JNI `IsSameObject`).
            let is_it = |other: &&Arc<WeakLoader>| unsafe { jni.is_same_object(other.reference, loader) };
            if let Some(other) = others.iter().find(is_it) {
                if let Some(reference) = made {
                    // SAFETY: it was made below, and nobody else has it.
                    unsafe { jni.delete_weak_global_ref(reference) };
                }
                return other.number;
            }
            // Meanwhile another thread may have met the same loader.
            compared = others.last().map_or(compared, |last| last.number);
            // SAFETY: the JVM gave the reference for this call.
            made = made.or_else(|| Some(unsafe { jni.new_weak_global_ref(loader) }));
        }
    }

    /// The numbers of loaders that were collected, which nothing has any more; mostly it is too early to look for them.
    pub(crate) fn take_collected(&self, jni: &JniEnv) -> HashSet<usize> {
        let looked_at: Vec<Arc<WeakLoader>> = {
            let mut known = lock(&self.0);
            if known.by_number.len() < known.many {
                return HashSet::new();
            }
            // Until this thread has looked, no other does.
            known.many = usize::MAX;
            known.by_number.values().cloned().collect()
        };
        // SAFETY: a weak reference of this JVM.
        let is_gone = |loader: &&Arc<WeakLoader>| unsafe { jni.is_same_object(loader.reference, std::ptr::null_mut()) };
        let gone: HashSet<usize> = looked_at.iter().filter(is_gone).map(|loader| loader.number).collect();
        drop(looked_at);
        let unused = {
            let mut known = lock(&self.0);
            known.retire(|loader| gone.contains(&loader.number));
            known.many = MANY.max(2 * known.by_number.len());
            known.take_unused()
        };
        unused.into_iter().for_each(|loader| delete(jni, &loader));
        gone
    }

    pub(crate) fn home(&self, jni: &JniEnv, number: usize) -> Home {
        if number == BOOT {
            return Home::Boot;
        }
        let Some(loader) = lock(&self.0).by_number.get(&number).cloned() else { return Home::Gone };
        // SAFETY: a weak reference of this JVM.
        let strong = unsafe { jni.new_local_ref(loader.reference) };
        if strong.is_null() { Home::Gone } else { Home::Loader(strong) }
    }

    /// Forgets all. A reference that another thread compares at this moment stays until the JVM ends: a few bytes.
    pub(crate) fn forget(&self, jni: &JniEnv) {
        let unused = {
            let mut known = lock(&self.0);
            known.retire(|_| true);
            known.take_unused()
        };
        unused.into_iter().for_each(|loader| delete(jni, &loader));
    }
}

impl KnownLoaders {
    /// Those of a hash code with larger numbers.
    fn find_loaders_after(&self, hash: jni::jint, number: usize) -> Vec<Arc<WeakLoader>> {
        let all = self.by_hash.get(&hash).map_or(&[][..], Vec::as_slice);
        all.iter().filter(|loader| loader.number > number).cloned().collect()
    }

    fn add(&mut self, hash: jni::jint, reference: jni::jweak) -> usize {
        let loader = Arc::new(WeakLoader { number: self.next, reference });
        self.next += 1;
        self.by_hash.entry(hash).or_default().push(Arc::clone(&loader));
        self.by_number.insert(loader.number, Arc::clone(&loader));
        loader.number
    }

    /// From now on nobody finds these.
    fn retire(&mut self, is_retired: impl Fn(&WeakLoader) -> bool) {
        self.by_hash.retain(|_, loaders| {
            loaders.retain(|loader| !is_retired(loader));
            !loaders.is_empty()
        });
        self.retired.extend(self.by_number.extract_if(|_, loader| is_retired(loader)).map(|(_, loader)| loader));
    }

    /// The retired ones that no thread has.
    fn take_unused(&mut self) -> Vec<Arc<WeakLoader>> {
        self.retired.extract_if(.., |loader| Arc::strong_count(loader) == 1).collect()
    }
}

fn delete(jni: &JniEnv, loader: &WeakLoader) {
    // SAFETY: it was made by `number`, and nobody has it after this.
    unsafe { jni.delete_weak_global_ref(loader.reference) };
}
