//! Classes that have got probes in the class hook, and that the JVM has not prepared since.
//!
//! A session may end between the two: while a class is defined, the JVM loads its superclasses, by the program's loaders, for any
//! time. Such a class is not among the loaded ones that get their own bytes back. So the event of prepared classes stays on
//! until each of them was prepared; then it gets its bytes back, before any of its code has run.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use jvmti_bindings::prelude::*;

use crate::loaded::is_prepared;
use crate::locks::lock;
use crate::names::internal_name;
use crate::pauses::Pauses;
use crate::session;

const PREPARE: [jvmti::jvmtiEvent; 1] = [jvmti::JVMTI_EVENT_CLASS_PREPARE];
/// A class that was not prepared so long after the end of its session has failed to load: nothing tells that of a class.
const PATIENCE: Duration = Duration::from_secs(600);
/// Definitions of one name at once that are told apart: loading one again and again may fail again and again.
const MOST_OF_A_NAME: usize = 8;

static HOOKED: Mutex<Option<HookedClasses>> = Mutex::new(None);
/// As many names as there are: most classes are prepared while there is none.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// When the last session has ended.
static ENDED: Mutex<Option<Instant>> = Mutex::new(None);

/// By internal name the numbers of the sessions in which they were in the hook.
type HookedClasses = HashMap<Box<[u8]>, Vec<u32>>;

fn change<T>(change: impl FnOnce(&mut HookedClasses) -> T) -> T {
    let mut hooked = lock(&HOOKED);
    let hooked = hooked.get_or_insert_default();
    let result = change(hooked);
    COUNT.store(hooked.len(), Ordering::Release);
    result
}

/// A class is about to get probes while it is loaded. Whoever calls asks afterwards whether the session is on: if it is, its
/// end finds the class here.
pub(crate) fn add_class(name: &[u8], session: u32) {
    change(|hooked| {
        let sessions = hooked.entry(name.into()).or_default();
        if sessions.len() < MOST_OF_A_NAME {
            sessions.push(session);
        }
    });
}

/// A class is prepared. If a session that has ended has given it probes, it gets its own bytes back, or those that a session
/// wants that is on.
pub(crate) fn prepare_class(jvmti: &Jvmti, class: jni::jclass) {
    if COUNT.load(Ordering::Acquire) == 0 {
        return;
    }
    let Some(name) = internal_name(jvmti, class) else { return };
    let sessions = take_class(&name);
    let now = session::current().filter(|session| session.is_on()).map(|session| session.number);
    if sessions.iter().any(|session| Some(*session) != now) {
        // SAFETY: the JVM gave the class for this call. A class that it refuses stays as it was.
        let _ = unsafe { jvmti.retransform_classes(&[class]) };
    }
}

/// The sessions in which a class of this name was in the hook. One definition of it is over; another loader may go on with its
/// own.
fn take_class(name: &[u8]) -> Vec<u32> {
    change(|hooked| {
        let Some(sessions) = hooked.get_mut(name) else { return Vec::new() };
        let all = sessions.clone();
        sessions.remove(0);
        if sessions.is_empty() {
            hooked.remove(name);
        }
        all
    })
}

/// The session is off, and the classes that were loaded have their own bytes. So do now those that were defined meanwhile;
/// whether others are left.
pub(crate) fn end_session(jvmti: &Jvmti) -> bool {
    // One that is prepared was taken out then.
    let is_hooked = |class: &jni::jclass| {
        !is_prepared(jvmti, *class) && internal_name(jvmti, *class).is_some_and(|name| !take_class(&name).is_empty())
    };
    if COUNT.load(Ordering::Acquire) > 0 {
        let defined: Vec<jni::jclass> =
            jvmti.get_loaded_classes().unwrap_or_default().into_iter().filter(is_hooked).collect();
        Pauses::default().retransform_all(jvmti, &defined);
    }
    *lock(&ENDED) = Some(Instant::now());
    COUNT.load(Ordering::Acquire) > 0
}

/// Without a session: disables the event when nothing is left that waits for it.
pub(crate) fn disable_when_done(jvmti: &Jvmti) {
    if lock(&ENDED).is_some_and(|ended| ended.elapsed() > PATIENCE) {
        change(HookedClasses::clear);
    }
    if COUNT.load(Ordering::Acquire) > 0 {
        return;
    }
    let _ = jvmti.disable_events_global(&PREPARE);
    // One that begins at this moment has either enabled it before, or enables it after this.
    if session::current().is_some() {
        let _ = jvmti.enable_events_global(&PREPARE);
    }
}
