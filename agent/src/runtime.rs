//! The Java runtime inside the JVM: a copy in a loader of its own, or the one that the class path has.

use jvmti_bindings::prelude::*;

use weighbridge_config::Config;
use weighbridge_probes::table::Table;
use weighbridge_runtime::{RUNTIME_CLASSES, RUNTIME_LOADER};

use crate::classes::JAR;
use crate::java::{Java, object};

const LOADER: &str = "io/weighbridge/loader/RuntimeLoader";
const ENTRANCE: &str = "io.weighbridge.runtime.NativeEntrance";
const NATIVES: &str = "io.weighbridge.runtime.jvm.NativeAgent";
/// The package whose version is that of the runtime.
const VERSIONED: &str = "io.weighbridge.runtime.record";

/// The runtime's classes that the agent calls. Global references.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runtime {
    entrance: jni::jclass,
    natives: jni::jclass,
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
        of_loader: &[jni::JNINativeMethod],
        of_runtime: &[jni::JNINativeMethod],
    ) -> Result<Runtime, String> {
        let java = Java(jni);
        let (entrance, natives) = match on_class_path(jvmti, &java)? {
            Some(found) => found,
            None => in_own_loader(jvmti, &java, of_loader)?,
        };
        register(&java, natives, of_runtime)?;
        // SAFETY: classes of this call.
        unsafe { Ok(Runtime { entrance: jni.new_global_ref(entrance), natives: jni.new_global_ref(natives) }) }
    }

    /// A class of the boot loader is about to get probes. Runs no Java code.
    pub(crate) fn change_jdk(&self, jni: &JniEnv) {
        // SAFETY: the class lives as long as this reference, and has this field.
        unsafe {
            match jni.get_static_field_id(self.natives, "changesJdk", "Z") {
                Some(field) => jni.set_static_boolean_field(self.natives, field, true),
                None => jni.exception_clear(),
            }
        }
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

    /// Ends it, and forgets it: its loader can be collected, if it is the agent's.
    pub(crate) fn end(self, jni: &JniEnv) -> Result<(), String> {
        let java = Java(jni);
        // SAFETY: the classes live as long as these references, which nobody uses after this.
        unsafe {
            let ended = java.call_static(self.entrance, "end", "()V", &[]);
            jni.delete_global_ref(self.entrance);
            jni.delete_global_ref(self.natives);
            ended.map(drop)
        }
    }
}

/// A runtime that the system class loader finds: the one that rewritten jars use.
fn on_class_path(jvmti: &Jvmti, java: &Java<'_>) -> Result<Option<(jni::jclass, jni::jclass)>, String> {
    let Some(loader) = java.0.system_class_loader() else { return Ok(None) };
    // SAFETY: a loader of this call; a method of ClassLoader.
    unsafe {
        // Not by asking for the class: what is not found is an exception, at which a debugger may stop.
        let file = object(java.string(&format!("{}.class", ENTRANCE.replace('.', "/")))?);
        if java.call(loader, "getResource", "(Ljava/lang/String;)Ljava/net/URL;", &[file])?.is_null() {
            return Ok(None);
        }
        let (Ok(entrance), Ok(natives)) = (load(java, loader, ENTRANCE), load(java, loader, NATIVES)) else {
            return Ok(None);
        };
        open_java_base(jvmti, java, loader)?;
        Ok(Some((entrance, natives)))
    }
}

/// Loads all classes of the runtime in a new loader, which can be collected after the end. No file is needed.
fn in_own_loader(
    jvmti: &Jvmti,
    java: &Java<'_>,
    of_loader: &[jni::JNINativeMethod],
) -> Result<(jni::jclass, jni::jclass), String> {
    let jni = java.0;
    // SAFETY: the classes and methods are of java.base (JDK 9 and later) and ours, with these signatures; references of this
    // call.
    unsafe {
        let loaders = java.find("java/lang/ClassLoader")?;
        let platform = java.call_static(loaders, "getPlatformClassLoader", "()Ljava/lang/ClassLoader;", &[])?;
        let secure = java.find("java/security/SecureClassLoader")?;
        let home = java.construct(secure, "(Ljava/lang/ClassLoader;)V", &[object(platform)])?;
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
        Ok((load(java, loader, ENTRANCE)?, load(java, loader, NATIVES)?))
    }
}

/// Gives a class its native methods: each has the signature that it is registered for.
fn register(java: &Java<'_>, class: jni::jclass, methods: &[jni::JNINativeMethod]) -> Result<(), String> {
    // SAFETY: a class of this call. The functions live as long as the process: the JVM does not unload agents.
    unsafe { java.0.register_natives(class, methods) }.map_err(|_| java.thrown())
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
    let mut table = Table::default();
    table.line("tool", &[env!("CARGO_PKG_VERSION")]);
    table.line("jar", &[JAR]);
    table.line("config", &[config.digest()]);
    table.configured(config.runtime_settings(), config.components.names(), config.components.owned());
    table.text()
}
