//! The threads of a run, started for the first task.

use std::num::NonZeroUsize;
use std::sync::{Mutex, OnceLock, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, JarErrorKind, Result};

/// A thread pool that starts with its first task. A jar without a matching class is copied by the calling thread: on a
/// busy machine a change of thread costs more than reading a directory.
#[derive(Debug)]
pub(super) struct Workers {
    threads: Option<NonZeroUsize>,
    pool: OnceLock<ThreadPool>,
    starting: Mutex<()>,
}

impl Workers {
    /// This many threads; one per core if absent.
    pub(super) fn new(threads: Option<NonZeroUsize>) -> Self {
        Workers { threads, pool: OnceLock::new(), starting: Mutex::new(()) }
    }

    /// Runs a task in these threads.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if the threads cannot be started, and the errors of the task.
    pub(super) fn run<T: Send>(&self, task: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        if let Some(pool) = self.pool.get() {
            return pool.install(task);
        }
        let starting = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
        if self.pool.get().is_none() {
            // For rayon, 0 means one per core.
            let pool = ThreadPoolBuilder::new().num_threads(self.threads.map_or(0, NonZeroUsize::get)).build();
            let pool =
                pool.map_err(|error| Error::new(JarErrorKind::Io, "worker threads cannot be started").because(error))?;
            self.pool.get_or_init(|| pool);
        }
        drop(starting);
        match self.pool.get() {
            Some(pool) => pool.install(task),
            None => Err(Error::new(JarErrorKind::Internal, "the worker threads are gone")),
        }
    }
}
