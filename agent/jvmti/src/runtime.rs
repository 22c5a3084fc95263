//! The Java runtime inside the JVM: a copy in a loader of its own, or the one that the class path has.

use std::time::Duration;

use jvmti_bindings::prelude::*;

use weighbridge_config::Config;
use weighbridge_probes::table::ProbeTable;
use weighbridge_runtime::{RUNTIME_CLASSES, RUNTIME_LOADER};

use crate::classes::JAR;
use crate::java::{Java, object};
use crate::native::Native;
use crate::pauses::Pauses;
use crate::say::print_message;

const LOADER: &str = "io/weighbridge/loader/RuntimeLoader";
const ENTRANCE: &str = "io.weighbridge.runtime.NativeEntrance";
const NATIVE_METHODS: &str = "io.weighbridge.runtime.contract.NativeMethods";
/// What it knows of the agent.
const AGENT: &str = "io.weighbridge.runtime.jvm.NativeAgent";
const API_FILE: &str = "io/weighbridge/Weighbridge.class";
const CALLED_BY_API: &str = "io.weighbridge.runtime.Measuring";
/// The package whose version is that of the runtime.
const VERSIONED: &str = "io.weighbridge.runtime.record";

/// The runtime's classes that the agent calls. Global references.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runtime {
    entrance: jni::jclass,
    agent: jni::jclass,
    /// It serves the agent alone: no rewritten jar finds it.
    pub(crate) is_alone: bool,
}

// SAFETY: global references may be used by any thread (JNI specification, "Global and Local References").
unsafe impl Send for Runtime {}
// SAFETY: as above; nothing is changed through a shared reference.
unsafe impl Sync for Runtime {}

impl Runtime {
    /// Finds or loads the runtime, and gives it and its loader their native methods. Nothing is started yet.
    pub(crate) fn load(
        jvmti: &Jvmti,
        jni: &JniEnv,
        of_loader: &[Native],
        of_runtime: &[Native],
    ) -> Result<Runtime, String> {
        let java = Java(jni);
        let shared = on_class_path(jvmti, &java)?;
        let is_alone = shared.is_none();
        let found = match shared {
            Some(found) => found,
            None => in_own_loader(jvmti, &java, of_loader)?,
        };
        register(&java, found.native_methods, of_runtime)?;
        // SAFETY: classes of this call.
        unsafe {
            Ok(Runtime {
                entrance: jni.new_global_ref(found.entrance),
                agent: jni.new_global_ref(found.agent),
                is_alone,
            })
        }
    }

    /// A class of the boot loader is about to get probes. Runs no Java code.
    pub(crate) fn change_jdk(&self, jni: &JniEnv) {
        // SAFETY: the class lives as long as this reference, and has this field.
        unsafe {
            match jni.get_static_field_id(self.agent, "changesJdk", "Z") {
                Some(field) => jni.set_static_boolean_field(self.agent, field, true),
                None => jni.exception_clear(),
            }
        }
    }

    /// Tells it what is added to the ids of classes in probes; false if it is of a version that cannot have that.
    pub(crate) fn set_first_id(&self, jni: &JniEnv, first: u32) -> bool {
        let Ok(first) = jni::jint::try_from(first) else { return false };
        // SAFETY: the class lives as long as this reference, and has this field.
        unsafe {
            match jni.get_static_field_id(self.agent, "firstId", "I") {
                Some(field) => jni.set_static_int_field(self.agent, field, first),
                None => {
                    jni.exception_clear();
                    return first == 0;
                }
            }
        }
        true
    }

    /// What is wrong with its options.
    pub(crate) fn refusal(&self, jni: &JniEnv, options: &str) -> Result<Option<String>, String> {
        let java = Java(jni);
        let arguments = [object(java.string(options)?)];
        let signature = "(Ljava/lang/String;)Ljava/lang/String;";
        // SAFETY: the class lives as long as this reference; a string, and a string or null as the result.
        unsafe {
            let refusal = java.call_static(self.entrance, "refusal", signature, &arguments)?;
            Ok(if refusal.is_null() { None } else { jni.get_string_lossy(refusal) })
        }
    }

    /// Starts it; the receivers for the bridge, or `None` if it is switched off.
    pub(crate) fn start(&self, jni: &JniEnv, options: &str, config: &Config) -> Result<Option<jni::jobject>, String> {
        let java = Java(jni);
        let arguments = [object(java.string(options)?), object(java.string(&table(config))?)];
        let signature = "(Ljava/lang/String;Ljava/lang/String;)[Ljava/lang/Object;";
        // SAFETY: the class lives as long as this reference; two strings.
        let receivers = unsafe { java.call_static(self.entrance, "start", signature, &arguments) }?;
        Ok(Some(receivers).filter(|receivers| !receivers.is_null()))
    }

    /// Takes in the objects that exist already, or leaves them out.
    pub(crate) fn existing(&self, jni: &JniEnv, take_in: bool) -> Result<(), String> {
        let take_in = jni::jvalue { z: if take_in { jni::JNI_TRUE } else { jni::JNI_FALSE } };
        // SAFETY: the class lives as long as this reference; one boolean.
        unsafe { Java(jni).call_static(self.entrance, "existing", "(Z)V", &[take_in]) }.map(drop)
    }

    /// Classes that were loaded before stay as they were: to change the next ones would stop the program for longer than is
    /// granted.
    pub(crate) fn classes_left_out(&self, jni: &JniEnv, pauses: &Pauses) -> Result<(), String> {
        let arguments = [
            jni::jvalue { j: pauses.left_out as jni::jlong },
            jni::jvalue { j: pauses.needed.as_nanos() as jni::jlong },
        ];
        // SAFETY: the class lives as long as this reference; two numbers.
        unsafe { Java(jni).call_static(self.entrance, "classesLeftOut", "(JJ)V", &arguments) }.map(drop)
    }

    /// Begins a trace of every event; the receivers for its probes, or `None` if that is not possible.
    pub(crate) fn events(&self, jni: &JniEnv, file: &str) -> Result<Option<jni::jobject>, String> {
        let java = Java(jni);
        let arguments = [object(java.string(file)?)];
        let signature = "(Ljava/lang/String;)[Ljava/lang/Object;";
        // SAFETY: the class lives as long as this reference; a string.
        let receivers = unsafe { java.call_static(self.entrance, "events", signature, &arguments) }?;
        Ok(Some(receivers).filter(|receivers| !receivers.is_null()))
    }

    /// Ends it.
    pub(crate) fn end_events(&self, jni: &JniEnv) {
        // SAFETY: the class lives as long as this reference; no arguments.
        let _ = unsafe { Java(jni).call_static(self.entrance, "endEvents", "()V", &[]) };
    }

    /// Answers requests from now on.
    pub(crate) fn serve(&self, jni: &JniEnv) -> Result<(), String> {
        // SAFETY: the class lives as long as this reference; no arguments.
        unsafe { Java(jni).call_static(self.entrance, "serve", "()V", &[]) }.map(drop)
    }

    /// Ends it. `pause`: what its last measurement is granted, if
    /// that is not what all are.
    pub(crate) fn end(self, jni: &JniEnv, pause: Option<Duration>) -> Result<(), String> {
        let java = Java(jni);
        let pause = jni::jvalue { j: pause.map_or(-1, |pause| pause.as_millis() as jni::jlong) };
        // SAFETY: the class lives as long as this reference; one long.
        unsafe { java.call_static(self.entrance, "end", "(J)V", &[pause]) }.map(drop)
    }

    /// Lets some of the memory go that is kept for the end; false if there is none any more.
    pub(crate) fn free_memory(self, jni: &JniEnv) -> bool {
        // SAFETY: the class lives as long as this reference; no arguments, and an object or null as the result.
        let freed = unsafe { Java(jni).call_static(self.entrance, "freeMemory", "()Ljava/lang/Object;", &[]) };
        freed.is_ok_and(|freed| !freed.is_null())
    }

    /// Forgets it: its loader can be collected, if it is the agent's. Nobody uses a copy after this.
    pub(crate) fn release(self, jni: &JniEnv) {
        // SAFETY: global references that were made by `load`.
        unsafe {
            jni.delete_global_ref(self.entrance);
            jni.delete_global_ref(self.agent);
        }
    }
}

/// The classes of a runtime that the agent needs. References of the call that has found them.
struct FoundRuntime {
    entrance: jni::jclass,
    agent: jni::jclass,
    native_methods: jni::jclass,
}

impl FoundRuntime {
    /// # Safety
    /// A loader of this call.
    unsafe fn load(java: &Java<'_>, loader: jni::jobject) -> Result<Self, String> {
        // SAFETY: the caller's loader.
        unsafe {
            Ok(FoundRuntime {
                entrance: load(java, loader, ENTRANCE)?,
                agent: load(java, loader, AGENT)?,
                native_methods: load(java, loader, NATIVE_METHODS)?,
            })
        }
    }
}

/// A runtime that the system class loader finds: the one that rewritten jars use.
fn on_class_path(jvmti: &Jvmti, java: &Java<'_>) -> Result<Option<FoundRuntime>, String> {
    let Some(loader) = java.0.system_class_loader() else { return Ok(None) };
    // SAFETY: a loader of this call; a method of ClassLoader.
    unsafe {
        // Not by asking for the class: what is not found is an exception, at which a debugger may stop.
        let file = object(java.string(&format!("{}.class", ENTRANCE.replace('.', "/")))?);
        if java.call(loader, "getResource", "(Ljava/lang/String;)Ljava/net/URL;", &[file])?.is_null() {
            return Ok(None);
        }
        let Ok(found) = FoundRuntime::load(java, loader) else { return Ok(None) };
        open_java_base(jvmti, java, loader)?;
        Ok(Some(found))
    }
}

/// Loads all classes of the runtime in a new loader, which can be collected after the end. No file is needed.
fn in_own_loader(jvmti: &Jvmti, java: &Java<'_>, of_loader: &[Native]) -> Result<FoundRuntime, String> {
    let jni = java.0;
    // SAFETY: the classes and methods are of java.base (JDK 9 and later) and ours, with these signatures; references of this
    // call.
    unsafe {
        let loaders = java.find("java/lang/ClassLoader")?;
        let platform = java.call_static(loaders, "getPlatformClassLoader", "()Ljava/lang/ClassLoader;", &[])?;
        let secure = java.find("java/security/SecureClassLoader")?;
        let home = java.construct(secure, "(Ljava/lang/ClassLoader;)V", &[object(platform)])?;
        // First: the runtime shares these classes with the program.
        if let Err(reason) = define_api(java) {
            print_message(&format!("the program does not see the API: {reason}"));
        }
        let class = jni.define_class(LOADER, home, RUNTIME_LOADER).ok_or_else(|| java.thrown())?;
        register(java, class, of_loader)?;
        let arguments = [object(java.string(VERSIONED)?), object(java.string(env!("CARGO_PKG_VERSION"))?)];
        let loader = java.construct(class, "(Ljava/lang/String;Ljava/lang/String;)V", &arguments)?;
        open_java_base(jvmti, java, loader)?;
        for (name, _) in RUNTIME_CLASSES {
            let class = load(java, loader, name)?;
            // A probe must not be what links a class: the program may hold any lock then. To ask for public fields links
            // without initialising.
            let only_public = jni::jvalue { z: jni::JNI_TRUE };
            let _ = java.call(class, "getDeclaredFields0", "(Z)[Ljava/lang/reflect/Field;", &[only_public]);
            jni.delete_local_ref(class);
        }
        FoundRuntime::load(java, loader)
    }
}

/// Defines the API for programs in the system class loader, which most loaders ask: a program may be compiled with the API and
/// run without it. An earlier session may have done so; no JVM takes them away. Between sessions they do nothing.
fn define_api(java: &Java<'_>) -> Result<(), String> {
    let jni = java.0;
    let Some(loader) = jni.system_class_loader() else { return Ok(()) };
    // SAFETY: a loader of this call, methods of ClassLoader; the bytes are class files of these names.
    unsafe {
        let file = object(java.string(API_FILE)?);
        if !java.call(loader, "getResource", "(Ljava/lang/String;)Ljava/net/URL;", &[file])?.is_null() {
            return Ok(());
        }
        for (name, bytes) in RUNTIME_CLASSES.iter().filter(|(name, _)| is_of_api(name)) {
            let known = [object(java.string(name)?)];
            if java.call(loader, "findLoadedClass", "(Ljava/lang/String;)Ljava/lang/Class;", &known)?.is_null() {
                let class = jni.define_class(&name.replace('.', "/"), loader, bytes).ok_or_else(|| java.thrown())?;
                jni.delete_local_ref(class);
            }
        }
    }
    Ok(())
}

/// Whether a class is one of those that a program sees; the same as in `RuntimeLoader`.
fn is_of_api(name: &str) -> bool {
    name == CALLED_BY_API || name.strip_prefix("io.weighbridge.").is_some_and(|rest| !rest.contains('.'))
}

/// Gives a class its native methods: each has the signature that it is registered for.
fn register(java: &Java<'_>, class: jni::jclass, methods: &[Native]) -> Result<(), String> {
    let methods: Vec<jni::JNINativeMethod> = methods.iter().map(Native::as_jni).collect();
    // SAFETY: a class of this call. The functions live as long as the process: the JVM does not unload agents.
    unsafe { java.0.register_natives(class, &methods) }.map_err(|_| java.thrown())
}

/// Asks a loader for a class.
///
/// # Safety
/// `loader` is a class loader of this call.
unsafe fn load(java: &Java<'_>, loader: jni::jobject, name: &str) -> Result<jni::jclass, String> {
    let arguments = [object(java.string(name)?)];
    // SAFETY: a method of ClassLoader.
    unsafe { java.call(loader, "loadClass", "(Ljava/lang/String;)Ljava/lang/Class;", &arguments) }
}

/// Lets the runtime reach every field of every class: it reads objects through `java.lang.invoke`.
///
/// # Safety
/// `loader` is a class loader of this call.
unsafe fn open_java_base(jvmti: &Jvmti, java: &Java<'_>, loader: jni::jobject) -> Result<(), String> {
    // SAFETY: methods of Class and ClassLoader (JDK 9 and later); both modules are live.
    unsafe {
        let base = java.call(java.find("java/lang/Object")?, "getModule", "()Ljava/lang/Module;", &[])?;
        let own = java.call(loader, "getUnnamedModule", "()Ljava/lang/Module;", &[])?;
        jvmti
            .add_module_opens(base, "java.lang.invoke", own)
            .map_err(|error| format!("java.base stays closed: {error:?}"))
    }
}

/// The table without classes: they are told when they are loaded.
fn table(config: &Config) -> String {
    let mut table = ProbeTable::default();
    table.line("tool", &[env!("CARGO_PKG_VERSION")]);
    table.line("jar", &[JAR]);
    table.line("config", &[config.digest()]);
    table.configured(config.runtime_settings(), config.components.names(), config.components.owned());
    table.text()
}
