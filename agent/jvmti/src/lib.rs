//! The native agent: puts probes into the classes of a running JVM, by JVMTI.
//!
//! In the order in which things happen:
//! 1. `options` reads the text after `-agentpath:libweighbridge.so=`. Without it the agent is idle: it asks for the
//!    capabilities that a later attach needs, and for no event.
//! 2. When the JVM is initialised, or when it attaches, `life` starts a `session`: `runtime` loads the Java runtime, `bridge` links
//!    it to the probes, and `loaded` retransforms the classes that are loaded already.
//! 3. `decide` looks at each class when it is loaded, and again when it is prepared: then its superclass is known.
//!    `classes` keeps what was decided, and what the runtime is told when it asks by `natives`. `work` does the same for the
//!    methods that `[shortage]` names, and `traces` for traces that a client has started.
//! 4. At the end of the session (`life` again) every class gets its own bytes back.
//!
//! `locks` has the rule that no lock is held while the JVM is called, and the order of the locks.
//!
//! The only crate with `unsafe`: each use is a call of the JVM with handles that it gave for that call.
//! A panic in a callback is caught (by `jvmti-bindings`); the class is then loaded as it was.

mod analyse;
mod bridge;
mod channel;
mod classes;
mod container;
mod copies;
mod decide;
mod events;
mod every_event;
mod exhaustion;
mod heap;
mod hooked;
mod java;
mod life;
mod loaded;
mod loaders;
mod locks;
mod names;
mod native;
mod natives;
mod options;
mod pauses;
mod readable;
mod runtime;
mod say;
mod select;
mod session;
mod spent;
mod stop;
mod tags;
mod traces;
mod work;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Instant;

use jvmti_bindings::prelude::*;

use weighbridge_control::AttachAnswer;

use locks::lock;
use options::AgentOptions;
use say::print_message;

/// What the JVM calls.
#[derive(Debug, Default)]
struct Weighbridge {
    /// The one environment of this process; null before the agent is loaded.
    env: AtomicPtr<jvmti::jvmtiEnv>,
    /// For when the JVM is initialised.
    waiting: Mutex<Option<AgentOptions>>,
}

export_agent!(Weighbridge);

impl Weighbridge {
    /// The environment, made at the first call. The capabilities are taken at once: some JVMs give them at their start only,
    /// and before JDK 23 a JVM throws its compiled code away when it gives them later (JDK-8324241).
    fn environment(&self, context: &AgentLoadContext<'_>) -> Result<Jvmti, String> {
        let known = self.env.load(Ordering::Acquire);
        if !known.is_null() {
            // SAFETY: it is never disposed of.
            return Ok(unsafe { Jvmti::from_raw(known) });
        }
        let jvmti = context.vm().jvmti().map_err(|_| "this JVM has no JVMTI".to_owned())?;
        let refused = |error: jvmti::jvmtiError| format!("this JVM refuses what the agent needs: {error:?}");
        jvmti
            .add_capabilities_with(|capabilities| {
                capabilities.set_can_generate_all_class_hook_events(true);
                capabilities.set_can_retransform_classes(true);
                capabilities.set_can_retransform_any_class(true);
                capabilities.set_can_tag_objects(true);
            })
            .map_err(refused)?;
        jvmti.set_default_agent_callbacks().map_err(refused)?;
        self.env.store(jvmti.raw(), Ordering::Release);
        Ok(jvmti)
    }

    fn load(&self, context: &AgentLoadContext<'_>) -> Result<(), String> {
        let jvmti = self.environment(context)?;
        let text = context.options_lossy().unwrap_or_default();
        if text.is_empty() {
            return Ok(());
        }
        let options = AgentOptions::parse(&text)?;
        *lock(&self.waiting) = Some(options);
        jvmti.enable_events_global(&[jvmti::JVMTI_EVENT_VM_INIT]).map_err(|error| format!("{error:?}"))
    }

    /// What was asked for by an attach; the path of the control socket, if there is one.
    fn attach(&self, context: &AgentLoadContext<'_>) -> Result<Option<PathBuf>, String> {
        let jvmti = self.environment(context)?;
        let jni = environment_of_thread(context).ok_or("this thread has no JNI")?;
        let text = context.options_lossy().unwrap_or_default();
        if !text.is_empty() {
            life::start(&jvmti, &jni, AgentOptions::parse(&text)?, true)?;
        }
        let session = session::current();
        Ok(session.as_ref().and_then(|session| session.channel()?.socket().map(Path::to_owned)))
    }
}

/// JNI of the current thread, which is attached to the JVM.
fn environment_of_thread(context: &AgentLoadContext<'_>) -> Option<JniEnv> {
    let vm = context.vm().raw();
    let mut env = std::ptr::null_mut();
    // SAFETY: the JVM gave `vm` for this call; `GetEnv` writes one pointer, of the version that is asked for.
    unsafe {
        match ((**vm).GetEnv)(vm, &mut env, jni::JNI_VERSION_9) {
            jni::JNI_OK if !env.is_null() => Some(JniEnv::from_raw(env.cast())),
            _ => None,
        }
    }
}

impl Agent for Weighbridge {
    /// Wrong options must not keep a server from starting.
    fn on_load(&self, context: AgentLoadContext<'_>) -> jni::jint {
        if let Err(reason) = self.load(&context) {
            print_message(&format!("{reason}, so nothing is measured"));
        }
        jni::JNI_OK
    }

    /// Who attaches reads the answer: the program's standard error is not for him. An error code would make HotSpot unload
    /// the library, and then call it when the JVM ends.
    fn on_attach(&self, context: AgentLoadContext<'_>) -> jni::jint {
        let attached = self.attach(&context);
        let text = context.options_lossy().unwrap_or_default();
        match (options::parse_answer_file(&text), attached) {
            (Some(file), Ok(socket)) => _ = AttachAnswer::Ok { socket }.write(file),
            (Some(file), Err(reason)) => _ = AttachAnswer::Error(reason).write(file),
            (None, Err(reason)) => print_message(&format!("{reason}, so nothing is measured")),
            (None, Ok(_)) => {}
        }
        jni::JNI_OK
    }

    fn vm_death(&self, context: CallbackContext<'_>) {
        if let Some(session) = session::current() {
            if let Some(jni) = context.jni() {
                life::last(&session, context.jvmti(), jni);
            }
            life::close(&session);
        }
    }

    fn vm_init(&self, context: CallbackContext<'_>, _: ThreadEvent) {
        let _ = context.jvmti().disable_events_global(&[jvmti::JVMTI_EVENT_VM_INIT]);
        let waiting = lock(&self.waiting).take();
        if let (Some(options), Some(jni)) = (waiting, context.jni())
            && let Err(reason) = life::start(context.jvmti(), jni, options, false)
        {
            print_message(&format!("{reason}, so nothing is measured"));
        }
    }

    fn garbage_collection_finish(&self, _: CallbackContext<'_>) {
        events::clock::collected();
    }

    fn resource_exhausted<'callback>(&self, _: CallbackContext<'callback>, event: ResourceExhaustedEvent<'callback>) {
        exhaustion::record_exhaustion(event.flags());
    }

    fn sampled_object_alloc(&self, context: CallbackContext<'_>, event: ObjectAllocationEvent) {
        if let Some(jni) = context.jni() {
            stop::allocated(context.jvmti(), jni, event.thread());
        }
    }

    fn class_file_load_hook<'callback>(
        &self,
        context: CallbackContext<'callback>,
        mut event: ClassFileLoadHookEvent<'callback>,
    ) {
        let (Some(session), Some(jni)) = (session::current(), context.jni()) else { return };
        let start = Instant::now();
        let Some(bytes) = session.load(context.jvmti(), jni, &event) else {
            session.unchanged.add_class(start);
            return;
        };
        if let Err(error) = event.set_transformed_class(&context, &bytes) {
            print_message(&format!("a class is loaded as it was: {error:?}"));
        }
        session.with_probes.add_class(start);
    }

    fn class_prepare(&self, context: CallbackContext<'_>, event: ClassEvent) {
        hooked::prepare_class(context.jvmti(), event.class());
        let session = session::current();
        if session.is_none() {
            hooked::disable_when_done(context.jvmti());
        }
        if let (Some(session), Some(jni)) = (session, context.jni()) {
            session.prepare(context.jvmti(), jni, event.class());
            every_event::prepared(&session, context.jvmti(), jni, event.class());
        }
    }
}
