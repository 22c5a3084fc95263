//! What a query's tables, functions and guard share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::data::Data;
use crate::needs::Needs;

/// Known once the statement is prepared: what it needs. Known once a dump is read: the data.
#[derive(Default)]
pub(crate) struct Shared {
    data: OnceLock<Arc<Data>>,
    needs: Mutex<Needs>,
    /// What the guard refused.
    refused: Mutex<Option<String>>,
    /// Why the dump could not be read any more.
    failure: Mutex<Option<weighbridge_heapdump::Error>>,
    /// The paths of fields that were asked for, and whether any object has them.
    paths: Mutex<Vec<(String, Arc<AtomicBool>)>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn need(&self, change: impl FnOnce(&mut Needs)) {
        change(&mut locked(&self.needs));
    }

    pub(crate) fn needs(&self) -> Needs {
        *locked(&self.needs)
    }

    pub(crate) fn provide(&self, data: Arc<Data>) {
        // A query runs once.
        let _ = self.data.set(data);
    }

    /// The dump; SQLite itself calls a function of constants while it prepares, when there is none yet.
    pub(crate) fn data(&self) -> rusqlite::Result<&Arc<Data>> {
        self.data.get().ok_or_else(|| rusqlite::Error::ModuleError("the dump is not read yet".to_owned()))
    }

    pub(crate) fn refuse(&self, what: String) {
        locked(&self.refused).get_or_insert(what);
    }

    pub(crate) fn take_refused(&self) -> Option<String> {
        locked(&self.refused).take()
    }

    /// Keeps an error of the dump, which SQLite would turn into a text.
    pub(crate) fn failed(&self, error: weighbridge_heapdump::Error) -> rusqlite::Error {
        let text = error.to_string();
        locked(&self.failure).get_or_insert(error);
        rusqlite::Error::ModuleError(text)
    }

    pub(crate) fn take_failure(&self) -> Option<weighbridge_heapdump::Error> {
        locked(&self.failure).take()
    }

    /// A mark for a path of fields: whether any object has it.
    pub(crate) fn path(&self, path: &str) -> Arc<AtomicBool> {
        let mut paths = locked(&self.paths);
        if let Some((_, found)) = paths.iter().find(|(known, _)| known == path) {
            return Arc::clone(found);
        }
        let found = Arc::default();
        // A path may be computed for each row.
        if paths.len() < 64 {
            paths.push((path.to_owned(), Arc::clone(&found)));
        }
        found
    }

    /// The paths that no object has.
    pub(crate) fn paths_to_nothing(&self) -> Vec<String> {
        let paths = locked(&self.paths);
        paths.iter().filter(|(_, found)| !found.load(Ordering::Relaxed)).map(|(path, _)| path.clone()).collect()
    }
}
