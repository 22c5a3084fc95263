//! The native methods of the runtime's class `NativeMethods` and of its loader.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use jvmti_bindings::prelude::*;

use weighbridge_contract::{NATIVE_METHODS, request, with_native_methods};
use weighbridge_runtime::RUNTIME_CLASSES;

use crate::channel::{Channel, Work};
use crate::events::clock;
use crate::heap::{Bounds, Survey};
use crate::loaders::Home;
use crate::native::Native;
use crate::say::print_message;
use crate::session::{self, Session};
use crate::stop::{self, Order, Told};
use crate::traces::{references, samples};
use crate::{analyse, bridge, container, exhaustion, heap, loaded, pauses};

macro_rules! functions {
    ($($(#[doc = $line:literal])* $function:ident: $declaration:literal,)*) => {
        [$($function as *mut c_void),*]
    };
}

/// Those of the runtime's class `NativeMethods`.
pub(crate) fn of_runtime() -> Vec<Native> {
    let functions = with_native_methods!(functions);
    let methods = NATIVE_METHODS.iter().zip(functions);
    methods.filter_map(|(method, function)| Native::new(method.name(), &method.descriptor(), function)).collect()
}

/// That of `RuntimeLoader`.
pub(crate) fn of_loader() -> Vec<Native> {
    Native::new("bytes", "(Ljava/lang/String;)[B", bytes as *mut c_void).into_iter().collect()
}

/// Runs a native method; a panic must not reach the JVM.
fn guarded<T>(otherwise: T, run: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(otherwise)
}

/// Runs a native method that gives an object or null; after an exception (no memory) null goes back, and Java throws it.
fn or_null(env: *mut jni::JNIEnv, run: impl FnOnce(&JniEnv) -> Option<jni::jobject>) -> jni::jobject {
    // SAFETY: the JVM calls native methods with the environment of their thread.
    guarded(None, || run(&unsafe { JniEnv::from_raw(env) })).unwrap_or(std::ptr::null_mut())
}

fn boolean(is_so: bool) -> jni::jboolean {
    if is_so { jni::JNI_TRUE } else { jni::JNI_FALSE }
}

unsafe extern "system" fn bytes(env: *mut jni::JNIEnv, _: jni::jclass, name: jni::jstring) -> jni::jobject {
    or_null(env, |jni| {
        // SAFETY: the JVM calls with a string or null.
        unsafe {
            let name = if name.is_null() { None } else { jni.get_string_lossy(name) }?;
            let index = RUNTIME_CLASSES.binary_search_by(|(known, _)| (*known).cmp(&name)).ok()?;
            let (_, bytes) = RUNTIME_CLASSES[index];
            let array = jni.new_byte_array(bytes.len() as jni::jsize)?;
            let signed: Vec<jni::jbyte> = bytes.iter().map(|&byte| byte as jni::jbyte).collect();
            jni.set_byte_array_region(array, 0, signed.len() as jni::jsize, &signed);
            Some(array)
        }
    })
}

unsafe extern "system" fn take_classes(env: *mut jni::JNIEnv, _: jni::jclass) -> jni::jobject {
    or_null(env, |jni| {
        let (table, home) = session::current()?.take_classes(jni)?;
        let (length, loader) = match home {
            Home::Boot => (2, std::ptr::null_mut()),
            Home::Loader(loader) => (2, loader),
            Home::Gone => (1, std::ptr::null_mut()),
        };
        // SAFETY: references of this call.
        unsafe {
            let object = jni.find_class("java/lang/Object")?;
            let taken = jni.new_object_array(length, object, std::ptr::null_mut())?;
            jni.set_object_array_element(taken, 0, jni.new_string(&table)?);
            if length == 2 {
                jni.set_object_array_element(taken, 1, loader);
            }
            Some(taken)
        }
    })
}

unsafe extern "system" fn classes_below(env: *mut jni::JNIEnv, _: jni::jclass) -> jni::jobject {
    or_null(env, |jni| strings(jni, &session::current()?.classes().list_classes_below()))
}

unsafe extern "system" fn below_interfaces(env: *mut jni::JNIEnv, _: jni::jclass, names: jni::jstring) -> jni::jobject {
    or_null(env, |jni| {
        // SAFETY: the JVM calls with a string.
        let names = unsafe { jni.get_string_lossy(names) }?;
        let names: Vec<&str> = names.lines().map(str::trim).collect();
        strings(jni, &loaded::below_interfaces(&session::current()?.jvmti(), jni, &names))
    })
}

unsafe extern "system" fn role_in_clones(env: *mut jni::JNIEnv, _: jni::jclass, class: jni::jclass) -> jni::jint {
    guarded(0, || {
        // SAFETY: the JVM calls native methods with the environment of their thread.
        let jni = unsafe { JniEnv::from_raw(env) };
        session::current().map_or(0, |session| session.role_in_clones(&session.jvmti(), &jni, class))
    })
}

unsafe extern "system" fn wants_ids(_: *mut jni::JNIEnv, _: jni::jclass) -> jni::jboolean {
    boolean(guarded(false, || session::current().is_some_and(|session| session.wants_ids())))
}

unsafe extern "system" fn give_ids(_: *mut jni::JNIEnv, _: jni::jclass, first: jni::jint, count: jni::jint) {
    guarded((), || {
        if let (Some(session), Ok(first), Ok(count)) = (session::current(), u32::try_from(first), u32::try_from(count))
        {
            session.give_ids(first..first.saturating_add(count));
        }
    });
}

/// The counts, the sampled objects and their ids; null if the time was up.
unsafe extern "system" fn survey_objects(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    samples: jni::jintArray,
    samples_of_others: jni::jint,
    samples_in_all: jni::jint,
    nanos: jni::jlong,
) -> jni::jobject {
    or_null(env, |jni| {
        let bounds = Bounds {
            samples: &int_values(jni, samples),
            samples_of_others,
            samples_in_all: usize::try_from(samples_in_all).unwrap_or(0),
            time: Duration::from_nanos(nanos.max(0) as u64),
        };
        let Survey { counts, objects, ids } = heap::survey(&session::current()?.jvmti(), jni, &bounds)?;
        // SAFETY: local references of this call.
        unsafe {
            let parts = [long_array(jni, &counts)?, object_array(jni, &objects)?, int_array(jni, &ids)?];
            object_array(jni, &parts)
        }
    })
}

/// No stop of the agent's may be longer from now on.
unsafe extern "system" fn grant_pause(_: *mut jni::JNIEnv, _: jni::jclass, millis: jni::jlong) {
    guarded((), || pauses::grant(Duration::from_millis(millis.max(0) as u64)));
}

/// An `Object[]`; `None` after an exception (no memory). The references are deleted.
///
/// # Safety
/// The objects are local references of this call.
unsafe fn object_array(jni: &JniEnv, objects: &[jni::jobject]) -> Option<jni::jobjectArray> {
    // SAFETY: as the caller says.
    unsafe {
        let class = jni.find_class("java/lang/Object")?;
        let array = jni.new_object_array(objects.len() as jni::jsize, class, std::ptr::null_mut())?;
        for (index, &object) in objects.iter().enumerate() {
            jni.set_object_array_element(array, index as jni::jsize, object);
            jni.delete_local_ref(object);
        }
        Some(array)
    }
}

/// An `int[]`; `None` after an exception (no memory).
fn int_array(jni: &JniEnv, numbers: &[jni::jint]) -> Option<jni::jobject> {
    let array = jni.new_int_array(numbers.len() as jni::jsize)?;
    // SAFETY: an array of this call, as long as the numbers.
    unsafe { jni.set_int_array_region(array, 0, numbers.len() as jni::jsize, numbers) };
    Some(array)
}

/// Begins with so many frames of each stack, or ends with 0.
unsafe extern "system" fn watch_references(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    number: jni::jint,
    frames: jni::jint,
) {
    guarded((), || {
        let (Some(session), Ok(number)) = (session::current(), u8::try_from(number)) else { return };
        match frames {
            0 => references::end(&session.jvmti(), number),
            _ => {
                // SAFETY: the JVM calls with the environment of this thread.
                if !references::watch(&session.jvmti(), &unsafe { JniEnv::from_raw(env) }, number, frames) {
                    print_message("references are not traced: the JVM refuses its table of JNI functions");
                }
            }
        }
    });
}

/// Begins with so many frames of each stack, one in so many bytes; or ends with 0 frames.
unsafe extern "system" fn sample_allocations(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    number: jni::jint,
    frames: jni::jint,
    every: jni::jint,
) {
    guarded((), || {
        let Ok(number) = u8::try_from(number) else { return };
        match frames {
            0 => samples::end(number),
            // SAFETY: the JVM calls with the environment of this thread.
            _ if samples::watch(&unsafe { JniEnv::from_raw(env) }, number, frames, every) => {}
            _ => print_message("allocations are not sampled: the JVM refuses, or another agent samples them"),
        }
    });
}

unsafe extern "system" fn traced_objects(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    number: jni::jint,
    nanos: jni::jlong,
) -> jni::jobject {
    or_null(env, |jni| {
        let time = Duration::from_nanos(nanos.max(0) as u64);
        let Survey { objects, ids, .. } = session::current()?.existing(jni, u8::try_from(number).ok()?, time)?;
        // SAFETY: local references of this call.
        unsafe { object_array(jni, &[object_array(jni, &objects)?, int_array(jni, &ids)?]) }
    })
}

/// Waits in native code, so the JVM does not wait for this thread.
unsafe extern "system" fn next_request(env: *mut jni::JNIEnv, _: jni::jclass) -> jni::jobject {
    or_null(env, |jni| {
        let session = session::current()?;
        let channel = session.channel()?;
        loop {
            let mut planned = Vec::new();
            let request = match channel.work(!session.traces.are_none()) {
                Work::Answer(request) => request,
                Work::Trace(key, asked) => match session.traces.plan(*asked) {
                    Ok(run) => {
                        planned = run.numbers;
                        [key, "trace_start".to_owned()].into_iter().chain(run.words).collect()
                    }
                    Err(reason) => {
                        match key.is_empty() {
                            true => print_message(&format!("nothing is traced: {reason}")),
                            false => channel.answer_request(&key, false, &reason, |_| {}),
                        }
                        continue;
                    }
                },
                Work::Tick => vec![String::new(), request::TICK.to_owned()],
                Work::Detach(ticket, pause) => {
                    session.detach(jni, ticket, pause);
                    return None;
                }
                Work::Nothing => return None,
            };
            if let Some(request) = strings(jni, &request) {
                return Some(request);
            }
            // The heap is full. The runtime's thread must not end by that: it alone can end the session.
            jni.exception_clear();
            if !planned.is_empty() {
                session.traces.forget(&planned);
                if request[0].is_empty() {
                    print_message("nothing is traced: the heap is full");
                }
            }
            channel.answer_without_memory(&request[0], |answer| session.describe(answer));
        }
    })
}

unsafe extern "system" fn reply_without_memory(env: *mut jni::JNIEnv, _: jni::jclass, key: jni::jstring) {
    with_channel(env, [key], |session, channel, [key]| {
        channel.answer_without_memory(&key, |answer| session.describe(answer));
    });
}

/// A `String[]`.
fn strings(jni: &JniEnv, texts: &[String]) -> Option<jni::jobjectArray> {
    // SAFETY: references of this call.
    unsafe {
        let class = jni.find_class("java/lang/String")?;
        let array = jni.new_object_array(texts.len() as jni::jsize, class, std::ptr::null_mut())?;
        for (index, text) in texts.iter().enumerate() {
            let text = jni.new_string(text)?;
            jni.set_object_array_element(array, index as jni::jsize, text);
            jni.delete_local_ref(text);
        }
        Some(array)
    }
}

unsafe extern "system" fn reply(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    key: jni::jstring,
    done: jni::jboolean,
    text: jni::jstring,
) {
    with_channel(env, [key, text], |session, channel, [key, text]| {
        channel.answer_request(&key, done != jni::JNI_FALSE, &text, |answer| session.describe(answer));
    });
}

unsafe extern "system" fn follow(env: *mut jni::JNIEnv, _: jni::jclass, key: jni::jstring, lines: jni::jstring) {
    with_channel(env, [key, lines], |_, channel, [key, lines]| channel.follow(&key, &lines));
}

unsafe extern "system" fn is_followed(_: *mut jni::JNIEnv, _: jni::jclass) -> jni::jboolean {
    boolean(guarded(false, || session::current().is_some_and(|session| session.is_followed())))
}

unsafe extern "system" fn publish(env: *mut jni::JNIEnv, _: jni::jclass, lines: jni::jstring) {
    with_channel(env, [lines], |_, channel, [lines]| channel.publish(&lines));
}

/// Waits in native code, so the JVM does not wait for this thread.
unsafe extern "system" fn request_reply(env: *mut jni::JNIEnv, _: jni::jclass, line: jni::jstring) -> jni::jstring {
    let mut reply = None;
    with_channel(env, [line], |_, channel, [line]| reply = Some(channel.request_reply(&line)));
    or_null(env, |jni| jni.new_string(&reply?))
}

/// Null, or a sentence why not.
unsafe extern "system" fn link_traces(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    receivers: jni::jobjectArray,
) -> jni::jstring {
    or_null(env, |jni| {
        let jvmti = session::current()?.jvmti();
        bridge::link_traces(&jvmti, jni, receivers).err().and_then(|reason| jni.new_string(&reason))
    })
}

unsafe extern "system" fn probe_traces(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    numbers: jni::jintArray,
    on: jni::jboolean,
    granted: jni::jlong,
) -> jni::jobject {
    or_null(env, |jni| {
        let granted = (on != jni::JNI_FALSE).then(|| Duration::from_nanos(u64::try_from(granted).unwrap_or(0)));
        let pauses = session::current().map_or_else(Default::default, |session| {
            session.probe_traces(&session.jvmti(), jni, &trace_numbers(jni, numbers), granted)
        });
        let nanos = |time: Duration| time.as_nanos() as jni::jlong;
        let (classes, left_out) = (pauses.classes as jni::jlong, pauses.left_out as jni::jlong);
        long_array(jni, &[classes, nanos(pauses.total), nanos(pauses.longest), left_out, nanos(pauses.needed)])
    })
}

unsafe extern "system" fn traced_class(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    number: jni::jint,
    site: jni::jint,
) -> jni::jstring {
    or_null(env, |jni| {
        let name = session::current()?.traces.class_name(u8::try_from(number).ok()?, u32::try_from(site).ok()?)?;
        jni.new_string(&name)
    })
}

unsafe extern "system" fn fields_of(env: *mut jni::JNIEnv, _: jni::jclass, class: jni::jclass) -> jni::jobject {
    or_null(env, |jni| {
        let jvmti = session::current()?.jvmti();
        let mut words = Vec::new();
        // SAFETY: the JVM calls with a class; its fields are asked for at once.
        unsafe {
            for field in jvmti.get_class_fields(class).ok()? {
                let (name, signature, _) = jvmti.get_field_name(class, field).ok()?;
                let is_static = jvmti.get_field_modifiers(class, field).ok()? & STATIC != 0;
                words.extend([name, signature, if is_static { "static" } else { "" }.to_owned()]);
            }
        }
        strings(jni, &words)
    })
}

unsafe extern "system" fn size_of(_: *mut jni::JNIEnv, _: jni::jclass, object: jni::jobject) -> jni::jlong {
    guarded(0, || {
        let Some(session) = session::current() else { return 0 };
        // SAFETY: the JVM calls with an object.
        unsafe { session.jvmti().get_object_size(object) }.unwrap_or(0)
    })
}

/// Of the modifiers of a field (JVMS §4.5).
const STATIC: jni::jint = 8;

unsafe extern "system" fn take_event_names(env: *mut jni::JNIEnv, _: jni::jclass) -> jni::jstring {
    or_null(env, |jni| jni.new_string(&session::current()?.events.take_names()?))
}

unsafe extern "system" fn event_clock(_: *mut jni::JNIEnv, _: jni::jclass) -> jni::jlong {
    clock::now()
}

unsafe extern "system" fn event_clock_address(_: *mut jni::JNIEnv, _: jni::jclass) -> jni::jlong {
    clock::address()
}

unsafe extern "system" fn name_traces(env: *mut jni::JNIEnv, _: jni::jclass, run: jni::jstring) -> jni::jstring {
    or_null(env, |jni| {
        // SAFETY: the JVM calls with a string.
        let text = unsafe { jni.get_string_lossy(run) }?;
        let mut run = serde_json::from_str(&text).ok()?;
        session::current()?.traces.describe(&mut run);
        jni.new_string(&run.to_string())
    })
}

unsafe extern "system" fn forget_traces(env: *mut jni::JNIEnv, _: jni::jclass, numbers: jni::jintArray) {
    guarded((), || {
        if let Some(session) = session::current() {
            // SAFETY: the JVM calls with the environment of this thread, and an array.
            session.traces.forget(&trace_numbers(&unsafe { JniEnv::from_raw(env) }, numbers));
        }
    });
}

/// The numbers of an `int[]` that the JVM calls with.
fn int_values(jni: &JniEnv, array: jni::jintArray) -> Vec<jni::jint> {
    // SAFETY: an array of this call.
    unsafe {
        let mut numbers = vec![0; jni.get_array_length(array) as usize];
        jni.get_int_array_region(array, 0, numbers.len() as jni::jsize, &mut numbers);
        numbers
    }
}

fn trace_numbers(jni: &JniEnv, array: jni::jintArray) -> Vec<u8> {
    int_values(jni, array).into_iter().filter_map(|number| u8::try_from(number).ok()).collect()
}

unsafe extern "system" fn checkpoints(env: *mut jni::JNIEnv, _: jni::jclass, receiver: jni::jobject) {
    // SAFETY: the JVM calls with the environment of this thread, and an object or null.
    guarded((), || bridge::set_checkpoint(&unsafe { JniEnv::from_raw(env) }, receiver));
}

unsafe extern "system" fn watch_exhaustion(_: *mut jni::JNIEnv, _: jni::jclass, watch: jni::jboolean) {
    guarded((), || {
        if let Some(session) = session::current() {
            exhaustion::watch(&session.jvmti(), watch != jni::JNI_FALSE);
        }
    });
}

unsafe extern "system" fn is_exhausted(_: *mut jni::JNIEnv, _: jni::jclass) -> jni::jboolean {
    boolean(exhaustion::take())
}

unsafe extern "system" fn container_memory(env: *mut jni::JNIEnv, _: jni::jclass) -> jni::jobject {
    or_null(env, |jni| {
        let (used, limit) = container::memory()?;
        long_array(jni, &[used as jni::jlong, limit as jni::jlong])
    })
}

unsafe extern "system" fn spent(env: *mut jni::JNIEnv, _: jni::jclass) -> jni::jobject {
    or_null(env, |jni| {
        let (start, classes) = session::current()?.spent();
        long_array(jni, &[start.as_nanos() as jni::jlong, classes.as_nanos() as jni::jlong])
    })
}

/// Waits in native code, so the JVM does not wait for this thread.
unsafe extern "system" fn analyse(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    program: jni::jstring,
    dump: jni::jstring,
    patience_ms: jni::jlong,
) -> jni::jobject {
    or_null(env, |jni| {
        // SAFETY: the JVM calls with two strings.
        let (program, dump) = unsafe { (jni.get_string_lossy(program)?, jni.get_string_lossy(dump)?) };
        match analyse::threads(&program, &dump, Duration::from_millis(patience_ms.max(0) as u64)) {
            Ok(rows) => {
                let numbers: Vec<jni::jlong> = rows.into_iter().flat_map(|(id, bytes)| [id, bytes]).collect();
                long_array(jni, &numbers)
            }
            Err(reason) => jni.new_string(&reason),
        }
    })
}

/// Waits in native code, as above.
unsafe extern "system" fn read_dump(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    program: jni::jstring,
    dump: jni::jstring,
    specification: jni::jstring,
    patience_ms: jni::jlong,
) -> jni::jobject {
    or_null(env, |jni| {
        // SAFETY: the JVM calls with three strings.
        let [program, dump, specification] = unsafe {
            [jni.get_string_lossy(program)?, jni.get_string_lossy(dump)?, jni.get_string_lossy(specification)?]
        };
        let patience = Duration::from_millis(patience_ms.max(0) as u64);
        match analyse::measured(&program, &dump, &specification, patience) {
            Ok(figures) => {
                let holders = figures.holders.into_iter().flat_map(|(row, text)| [row.to_string(), text]);
                let parts = [long_array(jni, &figures.numbers)?, strings(jni, &holders.collect::<Vec<_>>())?];
                // SAFETY: references of this call.
                unsafe { object_array(jni, &parts) }
            }
            Err(reason) => jni.new_string(&reason),
        }
    })
}

unsafe extern "system" fn stop(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    thread: jni::jobject,
    work: jni::jobject,
    error: jni::jobject,
    patience_ms: jni::jlong,
) -> jni::jint {
    let told = guarded(Told::Refused, || {
        let Some(session) = session::current() else { return Told::Refused };
        let fixed = session.select.config().shortage.as_ref().map(|shortage| &shortage.fixed);
        // SAFETY: the JVM calls with the environment of this thread, and references of this call.
        unsafe {
            let patience = Duration::from_millis(patience_ms.max(0) as u64);
            let order = Order { thread, work, error, fixed, patience };
            stop::stop(&session.jvmti(), &JniEnv::from_raw(env), &order)
        }
    });
    told as jni::jint
}

fn long_array(jni: &JniEnv, numbers: &[jni::jlong]) -> Option<jni::jobject> {
    let array = jni.new_long_array(numbers.len() as jni::jsize)?;
    // SAFETY: an array of this call, as long as the numbers.
    unsafe { jni.set_long_array_region(array, 0, numbers.len() as jni::jsize, numbers) };
    Some(array)
}

/// Calls with Java strings as texts, if there is a session with a channel.
fn with_channel<const N: usize>(
    env: *mut jni::JNIEnv,
    strings: [jni::jstring; N],
    call: impl FnOnce(&Session, &Channel, [String; N]),
) {
    guarded((), || {
        // SAFETY: the JVM calls with the environment of this thread.
        let jni = unsafe { JniEnv::from_raw(env) };
        let Some(session) = session::current() else { return };
        let Some(channel) = session.channel() else { return };
        let texts = strings.map(|string| match string.is_null() {
            true => String::new(),
            // SAFETY: a string of this call.
            false => unsafe { jni.get_string_lossy(string) }.unwrap_or_default(),
        });
        call(&session, channel, texts);
    });
}
