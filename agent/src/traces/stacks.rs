//! Stacks of Java frames, each kept once.

use std::collections::HashMap;

use jvmti_bindings::prelude::*;

use weighbridge_probes::table::dotted;

use crate::select::internal_name;

/// Stacks that are told apart; those beyond them are one more, without frames.
const MOST: usize = 10_000;

#[derive(Default)]
pub(super) struct Stacks {
    known: HashMap<Vec<(usize, jni::jlong)>, usize>,
    /// Innermost frame first.
    pub(super) frames: Vec<Vec<String>>,
}

impl Stacks {
    /// The number of the stack of this thread, by so many frames.
    pub(super) fn here(&mut self, jvmti: &Jvmti, env: *mut jni::JNIEnv, frames: jni::jint) -> usize {
        // SAFETY: null is this thread.
        let stack = unsafe { jvmti.get_stack_trace(std::ptr::null_mut(), 0, frames) }.unwrap_or_default();
        let mut key: Vec<(usize, jni::jlong)> =
            stack.iter().map(|frame| (frame.method as usize, frame.location)).collect();
        if self.known.len() >= MOST && !self.known.contains_key(&key) {
            key.clear();
        }
        let all = &mut self.frames;
        *self.known.entry(key).or_insert_with_key(|key| {
            all.push(key.iter().map(|&(method, at)| named(jvmti, env, method as jni::jmethodID, at)).collect());
            all.len() - 1
        })
    }
}

/// `com.acme.Shop.open:12`; without the line if the environment may not ask for it.
fn named(jvmti: &Jvmti, env: *mut jni::JNIEnv, method: jni::jmethodID, at: jni::jlong) -> String {
    // SAFETY: a method of a frame of this thread, whose environment this is. Native code keeps no local reference of ours.
    unsafe {
        let class = jvmti.get_method_declaring_class(method).ok();
        let of = class.and_then(|class| internal_name(jvmti, class)).unwrap_or_else(|| "?".to_owned());
        class.into_iter().for_each(|class| JniEnv::from_raw(env).delete_local_ref(class));
        let name = jvmti.get_method_name(method).map_or_else(|_| "?".to_owned(), |(name, ..)| name);
        let lines = if at < 0 { Vec::new() } else { jvmti.get_line_number_table(method).unwrap_or_default() };
        let begun = lines.iter().filter(|line| line.start_location <= at).max_by_key(|line| line.start_location);
        let line = begun.map_or_else(String::new, |line| format!(":{}", line.line_number));
        format!("{}.{name}{line}", dotted(of.as_bytes()))
    }
}
