//! Stacks of Java frames, each kept once.
//!
//! The JVM is asked for a stack before the lock of those that are kept is taken (`locks`): [`StackHere`].

use std::collections::HashMap;

use jvmti_bindings::prelude::*;

use weighbridge_bytecode::read::mutf8;
use weighbridge_probes::table::dotted;

use crate::names::{internal_name, method_name};

/// Stacks that are told apart; those beyond them are one more, without frames.
const MOST: usize = 10_000;

/// The name of what the JVM does not name.
const UNKNOWN: &[u8] = b"?";

/// A method, and where it is.
type FrameKey = (usize, jni::jlong);

/// The stack of a thread at this moment, innermost frame first.
pub(super) struct StackHere {
    keys: Vec<FrameKey>,
    /// Made when a stack is new: most are not.
    names: Option<Vec<String>>,
}

impl StackHere {
    /// The stack of this thread, by so many frames.
    pub(super) fn take(jvmti: &Jvmti, frames: jni::jint) -> StackHere {
        // SAFETY: null is this thread.
        let stack = unsafe { jvmti.get_stack_trace(std::ptr::null_mut(), 0, frames) }.unwrap_or_default();
        StackHere { keys: stack.iter().map(|frame| (frame.method as usize, frame.location)).collect(), names: None }
    }

    /// Asks for the names of its frames.
    pub(super) fn name_frames(&mut self, jvmti: &Jvmti, env: *mut jni::JNIEnv) {
        let name = |&(method, at): &FrameKey| frame_name(jvmti, env, method as jni::jmethodID, at);
        self.names = Some(self.keys.iter().map(name).collect());
    }

    fn top(&self, frames: jni::jint) -> usize {
        self.keys.len().min(usize::try_from(frames).unwrap_or(0))
    }
}

/// The stacks that a trace has met.
#[derive(Default)]
pub(super) struct Stacks {
    known: HashMap<Vec<FrameKey>, usize>,
    pub(super) frames: Vec<Vec<String>>,
}

impl Stacks {
    /// The number of the innermost frames of a stack, if it has one.
    pub(super) fn find(&self, stack: &StackHere, frames: jni::jint) -> Option<usize> {
        let key = &stack.keys[..stack.top(frames)];
        let beyond = || if self.known.len() < MOST { None } else { self.known.get(&[][..]) };
        self.known.get(key).or_else(beyond).copied()
    }

    /// The same of a stack that may be new; `None` if it is and its frames have no names yet.
    pub(super) fn find_or_add(&mut self, stack: &StackHere, frames: jni::jint) -> Option<usize> {
        if let Some(known) = self.find(stack, frames) {
            return Some(known);
        }
        let top = if self.known.len() < MOST { stack.top(frames) } else { 0 };
        let names = stack.names.as_ref()?[..top].to_vec();
        self.frames.push(names);
        self.known.insert(stack.keys[..top].to_vec(), self.frames.len() - 1);
        Some(self.frames.len() - 1)
    }
}

/// `com.acme.Shop.open:12`; without the line if the environment may not ask for it.
fn frame_name(jvmti: &Jvmti, env: *mut jni::JNIEnv, method: jni::jmethodID, at: jni::jlong) -> String {
    // SAFETY: a method of a frame of this thread, whose environment this is. Native code keeps no local reference of ours.
    unsafe {
        let class = jvmti.get_method_declaring_class(method).ok();
        let of = class.and_then(|class| internal_name(jvmti, class)).unwrap_or_else(|| UNKNOWN.to_owned());
        class.into_iter().for_each(|class| JniEnv::from_raw(env).delete_local_ref(class));
        let name = method_name(jvmti, method).unwrap_or_else(|| UNKNOWN.to_owned());
        let lines = if at < 0 { Vec::new() } else { jvmti.get_line_number_table(method).unwrap_or_default() };
        let begun = lines.iter().filter(|line| line.start_location <= at).max_by_key(|line| line.start_location);
        let line = begun.map_or_else(String::new, |line| format!(":{}", line.line_number));
        format!("{}.{}{line}", dotted(&of), mutf8::decode(&name))
    }
}
