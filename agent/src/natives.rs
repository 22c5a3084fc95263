//! The native methods of the runtime's class `NativeAgent` and of its loader.

use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use jvmti_bindings::prelude::*;

use weighbridge_runtime::RUNTIME_CLASSES;

use crate::channel::{Channel, Work};
use crate::heap;
use crate::loaders::Home;
use crate::session::{self, Session};

/// Those of the runtime's class `NativeAgent`.
pub(crate) fn of_runtime() -> [jni::JNINativeMethod; 11] {
    [
        method(c"takeClasses", c"()[Ljava/lang/Object;", take_classes as *mut c_void),
        method(c"wantsIds", c"()Z", wants_ids as *mut c_void),
        method(c"giveIds", c"(II)V", give_ids as *mut c_void),
        method(c"countObjects", c"()[J", count_objects as *mut c_void),
        method(c"takeObjects", c"([J[J)[Ljava/lang/Object;", take_objects as *mut c_void),
        method(c"nextRequest", c"()[Ljava/lang/String;", next_request as *mut c_void),
        method(c"reply", c"(Ljava/lang/String;ZLjava/lang/String;)V", reply as *mut c_void),
        method(c"follow", c"(Ljava/lang/String;Ljava/lang/String;)V", follow as *mut c_void),
        method(c"isFollowed", c"()Z", is_followed as *mut c_void),
        method(c"publish", c"(Ljava/lang/String;)V", publish as *mut c_void),
        method(c"ask", c"(Ljava/lang/String;)Ljava/lang/String;", ask as *mut c_void),
    ]
}

/// That of `RuntimeLoader`.
pub(crate) fn of_loader() -> [jni::JNINativeMethod; 1] {
    [method(c"bytes", c"(Ljava/lang/String;)[B", bytes as *mut c_void)]
}

fn method(name: &CStr, signature: &CStr, function: *mut c_void) -> jni::JNINativeMethod {
    jni::JNINativeMethod { name: name.as_ptr().cast_mut(), signature: signature.as_ptr().cast_mut(), fnPtr: function }
}

/// Runs a native method; a panic must not reach the JVM.
fn guarded<T>(otherwise: T, run: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(otherwise)
}

unsafe extern "system" fn bytes(env: *mut jni::JNIEnv, _: jni::jclass, name: jni::jstring) -> jni::jobject {
    let bytes = guarded(None, || {
        // SAFETY: the JVM calls with the environment of this thread, and a string or null.
        unsafe {
            let jni = JniEnv::from_raw(env);
            let name = if name.is_null() { None } else { jni.get_string_lossy(name) }?;
            let index = RUNTIME_CLASSES.binary_search_by(|(known, _)| (*known).cmp(&name)).ok()?;
            let (_, bytes) = RUNTIME_CLASSES[index];
            let array = jni.new_byte_array(bytes.len() as jni::jsize)?;
            let signed: Vec<jni::jbyte> = bytes.iter().map(|&byte| byte as jni::jbyte).collect();
            jni.set_byte_array_region(array, 0, signed.len() as jni::jsize, &signed);
            Some(array)
        }
    });
    bytes.unwrap_or(std::ptr::null_mut())
}

unsafe extern "system" fn take_classes(env: *mut jni::JNIEnv, _: jni::jclass) -> jni::jobject {
    let taken = guarded(None, || {
        // SAFETY: the JVM calls with the environment of this thread.
        let jni = unsafe { JniEnv::from_raw(env) };
        let (table, home) = session::current()?.take_classes(&jni)?;
        let (length, loader) = match home {
            Home::Boot => (2, std::ptr::null_mut()),
            Home::Loader(loader) => (2, loader),
            Home::Gone => (1, std::ptr::null_mut()),
        };
        // SAFETY: references of this call. After an exception (no memory) null goes back, and Java throws it.
        unsafe {
            let object = jni.find_class("java/lang/Object")?;
            let taken = jni.new_object_array(length, object, std::ptr::null_mut())?;
            jni.set_object_array_element(taken, 0, jni.new_string(&table)?);
            if length == 2 {
                jni.set_object_array_element(taken, 1, loader);
            }
            Some(taken)
        }
    });
    taken.unwrap_or(std::ptr::null_mut())
}

unsafe extern "system" fn wants_ids(_: *mut jni::JNIEnv, _: jni::jclass) -> jni::jboolean {
    let wants = guarded(false, || session::current().is_some_and(|session| session.wants_ids()));
    if wants { jni::JNI_TRUE } else { jni::JNI_FALSE }
}

unsafe extern "system" fn give_ids(_: *mut jni::JNIEnv, _: jni::jclass, first: jni::jint, count: jni::jint) {
    guarded((), || {
        if let (Some(session), Ok(first), Ok(count)) = (session::current(), u32::try_from(first), u32::try_from(count))
        {
            session.give_ids(first..first.saturating_add(count));
        }
    });
}

unsafe extern "system" fn count_objects(env: *mut jni::JNIEnv, _: jni::jclass) -> jni::jobject {
    let counts = guarded(None, || {
        // SAFETY: the JVM calls with the environment of this thread.
        let jni = unsafe { JniEnv::from_raw(env) };
        let counts = session::current().map_or_else(Vec::new, |session| heap::count(&session.jvmti()));
        let array = jni.new_long_array(counts.len() as jni::jsize)?;
        // SAFETY: an array of this call, as long as the counts.
        unsafe { jni.set_long_array_region(array, 0, counts.len() as jni::jsize, &counts) };
        Some(array)
    });
    counts.unwrap_or(std::ptr::null_mut())
}

unsafe extern "system" fn take_objects(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    wanted: jni::jlongArray,
    counts: jni::jlongArray,
) -> jni::jobject {
    let taken = guarded(None, || {
        // SAFETY: the JVM calls with the environment of this thread, and two arrays. After an exception (no memory) null goes
        // back, and Java throws it.
        unsafe {
            let jni = JniEnv::from_raw(env);
            let [wanted, counts] = [wanted, counts].map(|array| {
                let mut values = vec![0; jni.get_array_length(array) as usize];
                jni.get_long_array_region(array, 0, values.len() as jni::jsize, &mut values);
                values
            });
            let (objects, ids) = heap::take(&session::current()?.jvmti(), &wanted, &counts);
            let length = objects.len() as jni::jsize;
            let class = jni.find_class("java/lang/Object")?;
            let array = jni.new_object_array(length, class, std::ptr::null_mut())?;
            for (index, &object) in objects.iter().enumerate() {
                jni.set_object_array_element(array, index as jni::jsize, object);
                jni.delete_local_ref(object);
            }
            let of_objects = jni.new_int_array(length)?;
            jni.set_int_array_region(of_objects, 0, length, &ids);
            let both = jni.new_object_array(2, class, std::ptr::null_mut())?;
            jni.set_object_array_element(both, 0, array);
            jni.set_object_array_element(both, 1, of_objects);
            Some(both)
        }
    });
    taken.unwrap_or(std::ptr::null_mut())
}

/// Waits in native code, so the JVM does not wait for this thread.
unsafe extern "system" fn next_request(env: *mut jni::JNIEnv, _: jni::jclass) -> jni::jobject {
    let request = guarded(None, || {
        // SAFETY: the JVM calls with the environment of this thread.
        let jni = unsafe { JniEnv::from_raw(env) };
        let session = session::current()?;
        let request = match session.channel()?.work() {
            Work::Answer(request) => request,
            Work::Detach(ticket) => {
                session.detach(&jni, ticket);
                return None;
            }
            Work::Nothing => return None,
        };
        // SAFETY: references of this call. After an exception (no memory) null goes back, and Java throws it.
        unsafe {
            let strings = jni.find_class("java/lang/String")?;
            let array = jni.new_object_array(request.len() as jni::jsize, strings, std::ptr::null_mut())?;
            for (index, text) in request.iter().enumerate() {
                let text = jni.new_string(text)?;
                jni.set_object_array_element(array, index as jni::jsize, text);
                jni.delete_local_ref(text);
            }
            Some(array)
        }
    });
    request.unwrap_or(std::ptr::null_mut())
}

unsafe extern "system" fn reply(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    key: jni::jstring,
    done: jni::jboolean,
    text: jni::jstring,
) {
    with_channel(env, [key, text], |session, channel, [key, text]| {
        channel.answer(&key, done != jni::JNI_FALSE, &text, |answer| session.describe(answer));
    });
}

unsafe extern "system" fn follow(env: *mut jni::JNIEnv, _: jni::jclass, key: jni::jstring, lines: jni::jstring) {
    with_channel(env, [key, lines], |_, channel, [key, lines]| channel.follow(&key, &lines));
}

unsafe extern "system" fn is_followed(_: *mut jni::JNIEnv, _: jni::jclass) -> jni::jboolean {
    let followed = guarded(false, || session::current().is_some_and(|session| session.is_followed()));
    if followed { jni::JNI_TRUE } else { jni::JNI_FALSE }
}

unsafe extern "system" fn publish(env: *mut jni::JNIEnv, _: jni::jclass, lines: jni::jstring) {
    with_channel(env, [lines], |_, channel, [lines]| channel.publish(&lines));
}

/// Waits in native code, so the JVM does not wait for this thread.
unsafe extern "system" fn ask(env: *mut jni::JNIEnv, _: jni::jclass, line: jni::jstring) -> jni::jstring {
    let mut reply = None;
    with_channel(env, [line], |_, channel, [line]| reply = Some(channel.ask(&line)));
    let string = guarded(None, || {
        // SAFETY: the JVM calls with the environment of this thread. After an exception (no memory) null goes back, and Java
        // throws it.
        unsafe { JniEnv::from_raw(env) }.new_string(&reply?)
    });
    string.unwrap_or(std::ptr::null_mut())
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
