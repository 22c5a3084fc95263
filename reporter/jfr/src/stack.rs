//! Stacks of threads.

use std::borrow::Cow;

use crate::value::{List, Object, Value};

/// The stack of a thread, innermost frame first.
#[derive(Debug, Clone, Copy)]
pub struct Stack<'c> {
    /// Tells the stack from others of the chunk.
    pub key: i64,
    /// Frames outside the last one are missing (`stackdepth` of the recording).
    pub is_cut: bool,
    frames: List<'c>,
}

/// A frame of a stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame<'c> {
    /// The class that declares the method, as Java writes it: `com.acme.Order`.
    pub class: String,
    /// The name of the method.
    pub method: Cow<'c, str>,
    /// The line in its source, if it is known.
    pub line: Option<u64>,
}

impl<'c> Stack<'c> {
    pub(crate) fn of(event: &Object<'c>) -> Option<Self> {
        let key = event.key("stackTrace")?;
        let Value::Object(stack) = event.get("stackTrace") else { return None };
        let Value::List(frames) = stack.get("frames") else { return None };
        Some(Stack { key, is_cut: matches!(stack.get("truncated"), Value::Bool(true)), frames })
    }

    /// Its frames.
    pub fn frames(&self) -> impl Iterator<Item = Frame<'c>> + use<'c> {
        self.frames.iter().filter_map(|value| match value {
            Value::Object(frame) => Some(Frame::of(&frame)),
            _ => None,
        })
    }
}

impl<'c> Frame<'c> {
    fn of(frame: &Object<'c>) -> Self {
        let method = match frame.get("method") {
            Value::Object(method) => Some(method),
            _ => None,
        };
        let class = method.and_then(|method| method.get("type").class_name());
        Frame {
            class: class.unwrap_or_default(),
            method: method.and_then(|method| method.get("name").into_text()).unwrap_or(Cow::Borrowed("?")),
            line: frame.get("lineNumber").as_int().and_then(|line| u64::try_from(line).ok()).filter(|line| *line > 0),
        }
    }
}
