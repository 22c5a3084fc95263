//! One session: from the start of measuring until the JVM ends or the agent is told to go.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use jvmti_bindings::prelude::*;

use crate::classes::{Classes, Home};
use crate::runtime::Runtime;
use crate::select::Select;

static CURRENT: RwLock<Option<Arc<Session>>> = RwLock::new(None);

/// What is measured in this JVM.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) select: Select,
    /// Held for moments only, and never while Java code runs.
    classes: Mutex<Classes>,
    runtime: Mutex<Option<Runtime>>,
    /// Classes get probes. If not, those that are transformed get their own bytes back.
    on: AtomicBool,
    /// The runtime knows that classes which it uses itself have probes.
    changes_jdk: AtomicBool,
}

/// The session of this JVM, if there is one.
pub(crate) fn current() -> Option<Arc<Session>> {
    CURRENT.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// From now on this session, or none.
pub(crate) fn set_current(session: Option<Arc<Session>>) {
    *CURRENT.write().unwrap_or_else(PoisonError::into_inner) = session;
}

impl Session {
    pub(crate) fn new(select: Select) -> Session {
        Session {
            select,
            classes: Mutex::default(),
            runtime: Mutex::new(None),
            on: AtomicBool::new(true),
            changes_jdk: AtomicBool::new(false),
        }
    }

    /// The runtime of the session; none before its start and after its end.
    pub(crate) fn runtime(&self) -> MutexGuard<'_, Option<Runtime>> {
        self.runtime.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Classes get no probes any more.
    pub(crate) fn switch_off(&self) {
        self.on.store(false, Ordering::Release);
    }

    /// A class of the boot loader is about to get probes.
    pub(crate) fn change_jdk(&self, jni: &JniEnv) {
        if !self.changes_jdk.swap(true, Ordering::AcqRel)
            && let Some(runtime) = &*self.runtime()
        {
            runtime.change_jdk(jni);
        }
    }

    /// Whether classes get probes.
    pub(crate) fn is_on(&self) -> bool {
        self.on.load(Ordering::Acquire)
    }

    pub(crate) fn classes(&self) -> MutexGuard<'_, Classes> {
        self.classes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn wants_ids(&self) -> bool {
        self.classes().wants_ids()
    }

    pub(crate) fn give_ids(&self, ids: std::ops::Range<u32>) {
        self.classes().give_ids(ids);
    }

    pub(crate) fn take_classes(&self, jni: &JniEnv) -> Option<(String, Home)> {
        self.classes().take(jni)
    }
}
