//! One session: from the start of measuring until the JVM ends or the agent is told to go.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jvmti_bindings::prelude::*;
use serde_json::{Value, json};
use weighbridge_control::Ticket;
use weighbridge_probes::contract::CONTRACT;

use crate::channel::Channel;
use crate::classes::SessionClasses;
use crate::events::EventTracing;
use crate::loaders::{Home, Loaders};
use crate::locks::lock;
use crate::pauses::Pauses;
use crate::runtime::Runtime;
use crate::select::Select;
use crate::spent::Spent;
use crate::traces::Traces;

static CURRENT: RwLock<Option<Arc<Session>>> = RwLock::new(None);
/// The number of the last session.
static LAST: AtomicU32 = AtomicU32::new(0);

/// What is measured in this JVM.
#[derive(Debug)]
pub(crate) struct Session {
    /// Of all sessions of this JVM, from 1.
    pub(crate) number: u32,
    /// Added to the ids of its classes in probes, so that no two sessions have the same there.
    first_id: AtomicU32,
    pub(crate) select: Select,
    pub(crate) traces: Traces,
    pub(crate) events: EventTracing,
    classes: Mutex<SessionClasses>,
    loaders: Loaders,
    runtime: Mutex<Option<Runtime>>,
    /// None if nobody can ask.
    channel: OnceLock<Channel>,
    /// Ends the session, on a thread of the runtime's.
    end: fn(&Session, &JniEnv, Option<Ticket>, Option<Duration>),
    env: AtomicPtr<jvmti::jvmtiEnv>,
    since: SystemTime,
    /// What the start took, and the class hook in it.
    start: OnceLock<(Duration, Duration)>,
    /// What it took to change the classes that were loaded before.
    pauses: OnceLock<Pauses>,
    /// The class hook, for classes that have got probes and for the others.
    pub(crate) with_probes: Spent,
    pub(crate) unchanged: Spent,
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
    let before = std::mem::replace(&mut *CURRENT.write().unwrap_or_else(PoisonError::into_inner), session);
    // Not with the lock held: the last one that has a session closes its channel.
    drop(before);
}

impl Session {
    pub(crate) fn new(
        select: Select,
        env: *mut jvmti::jvmtiEnv,
        end: fn(&Session, &JniEnv, Option<Ticket>, Option<Duration>),
    ) -> Session {
        Session {
            number: LAST.fetch_add(1, Ordering::Relaxed) + 1,
            first_id: AtomicU32::new(0),
            select,
            traces: Traces::default(),
            events: EventTracing::default(),
            classes: Mutex::default(),
            loaders: Loaders::default(),
            runtime: Mutex::new(None),
            channel: OnceLock::new(),
            env: AtomicPtr::new(env),
            end,
            since: SystemTime::now(),
            start: OnceLock::new(),
            pauses: OnceLock::new(),
            with_probes: Spent::default(),
            unchanged: Spent::default(),
            on: AtomicBool::new(true),
            changes_jdk: AtomicBool::new(false),
        }
    }

    /// The runtime of the session; none before its start and after its end. A copy: what Java does may come back here.
    pub(crate) fn runtime(&self) -> Option<Runtime> {
        *lock(&self.runtime)
    }

    /// From now on this runtime, or none; gives the one that was.
    pub(crate) fn set_runtime(&self, runtime: Option<Runtime>) -> Option<Runtime> {
        std::mem::replace(&mut lock(&self.runtime), runtime)
    }

    /// The agent's environment, for threads of the runtime's.
    pub(crate) fn jvmti(&self) -> Jvmti {
        // SAFETY: the environment of this process is never disposed of.
        unsafe { Jvmti::from_raw(self.env.load(Ordering::Acquire)) }
    }

    /// Where clients ask; none if the session has none.
    pub(crate) fn channel(&self) -> Option<&Channel> {
        self.channel.get()
    }

    /// Whether a client follows the recording.
    pub(crate) fn is_followed(&self) -> bool {
        self.channel().is_some_and(Channel::is_followed)
    }

    /// Clients can ask from now on.
    pub(crate) fn opened(&self, channel: Channel) {
        let _ = self.channel.set(channel);
    }

    /// The classes that were loaded before have their probes.
    pub(crate) fn changed(&self, pauses: Pauses) {
        let _ = self.pauses.set(pauses);
    }

    /// The program goes on, measured.
    pub(crate) fn started(&self, took: Duration) {
        let _ = self.start.set((took, self.hooked()));
    }

    fn hooked(&self) -> Duration {
        self.with_probes.numbers().1 + self.unchanged.numbers().1
    }

    /// What the start took, and what it took to look at the classes that were loaded since.
    pub(crate) fn spent(&self) -> (Duration, Duration) {
        let (start, hooked) = self.start.get().copied().unwrap_or_default();
        (start, self.hooked().saturating_sub(hooked))
    }

    /// Ends the session; `ticket` is who asked for it, `pause` what he grants the last measurement.
    pub(crate) fn detach(&self, jni: &JniEnv, ticket: Option<Ticket>, pause: Option<Duration>) {
        (self.end)(self, jni, ticket, pause);
    }

    /// Adds what the agent knows to the runtime's answer: the names of what was traced; and about its state the number of its
    /// classes.
    pub(crate) fn describe(&self, answer: &mut Value) {
        self.traces.describe(answer);
        let Some(answer) = answer.as_object_mut().filter(|answer| answer.contains_key("state")) else { return };
        let (probes, skipped) = self.classes().numbers();
        let since = self.since.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
        answer.insert("version".to_owned(), env!("CARGO_PKG_VERSION").into());
        answer.insert("contract".to_owned(), CONTRACT.into());
        answer.insert("pid".to_owned(), std::process::id().into());
        answer.insert("since_ms".to_owned(), since.into());
        answer.insert("classes".to_owned(), json!({ "probes": probes, "skipped": skipped }));
        let pauses = self.pauses.get().copied().unwrap_or_default();
        let ms = |time: Duration| (time.as_secs_f64() * 1e4).round() / 10.0;
        let spent = |spent: &Spent| {
            let (classes, time) = spent.numbers();
            json!({ "classes": classes, "ms": ms(time) })
        };
        let hook = json!({ "with_probes": spent(&self.with_probes), "unchanged": spent(&self.unchanged) });
        answer.insert("hook".to_owned(), hook);
        let retransformed = json!({
            "classes": pauses.classes, "ms": ms(pauses.total), "longest_ms": ms(pauses.longest), "left_out": pauses.left_out,
        });
        answer.insert("retransformed".to_owned(), retransformed);
        if let Some(address) = self.channel().and_then(Channel::address) {
            answer.insert("address".to_owned(), address.to_string().into());
        }
        answer.insert("clients".to_owned(), self.channel().map_or(0, Channel::clients).into());
    }

    /// What is added to the ids of classes in their probes.
    pub(crate) fn first_id(&self) -> u32 {
        self.first_id.load(Ordering::Acquire)
    }

    /// From now on this is. No class has probes yet.
    pub(crate) fn set_first_id(&self, first: u32) {
        self.first_id.store(first, Ordering::Release);
    }

    /// The first id that no probe of this session or an earlier one has.
    pub(crate) fn next_first_id(&self) -> u32 {
        self.first_id().saturating_add(self.classes().end_of_ids())
    }

    /// Classes get no probes any more; false if that was so already.
    pub(crate) fn switch_off(&self) -> bool {
        self.on.swap(false, Ordering::AcqRel)
    }

    /// A class of the boot loader is about to get probes.
    pub(crate) fn change_jdk(&self, jni: &JniEnv) {
        if !self.changes_jdk.swap(true, Ordering::AcqRel)
            && let Some(runtime) = self.runtime()
        {
            runtime.change_jdk(jni);
        }
    }

    /// Whether classes get probes.
    pub(crate) fn is_on(&self) -> bool {
        self.on.load(Ordering::Acquire)
    }

    pub(crate) fn classes(&self) -> MutexGuard<'_, SessionClasses> {
        lock(&self.classes)
    }

    pub(crate) fn wants_ids(&self) -> bool {
        self.classes().wants_ids()
    }

    pub(crate) fn give_ids(&self, ids: std::ops::Range<u32>) {
        self.classes().give_ids(ids);
    }

    pub(crate) fn take_classes(&self, jni: &JniEnv) -> Option<(String, Home)> {
        let (table, loader) = self.classes().take_untold()?;
        Some((table, loader.map_or(Home::Gone, |number| self.loaders.home(jni, number))))
    }

    /// The number of a class loader, which may be new. Null is the boot loader.
    pub(crate) fn number_loader(&self, jvmti: &Jvmti, jni: &JniEnv, loader: jni::jobject) -> usize {
        let gone = self.loaders.take_collected(jni);
        if !gone.is_empty() {
            self.classes().forget_loaders(&gone);
        }
        self.loaders.number(jvmti, jni, loader)
    }

    /// The session has ended: forgets its classes and their loaders.
    pub(crate) fn forget_classes(&self, jni: &JniEnv) {
        *self.classes() = SessionClasses::default();
        self.loaders.forget(jni);
    }
}
