//! Stacks of threads.

use std::borrow::Cow;

use crate::value::{Object, RecordedValue, ValueList};

/// The stack of a thread, innermost frame first.
#[derive(Debug, Clone, Copy)]
pub struct Stack<'c> {
    /// Tells the stack from others of the chunk.
    pub key: i64,
    /// Frames outside the last one are missing (`stackdepth` of the recording).
    pub is_cut: bool,
    frames: ValueList<'c>,
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
    pub(crate) fn from_event(event: &Object<'c>) -> Option<Self> {
        let key = event.key("stackTrace")?;
        let RecordedValue::Object(stack) = event.get("stackTrace") else { return None };
        let RecordedValue::List(frames) = stack.get("frames") else { return None };
        Some(Stack { key, is_cut: matches!(stack.get("truncated"), RecordedValue::Bool(true)), frames })
    }

    /// Its frames.
    pub fn frames(&self) -> impl Iterator<Item = Frame<'c>> + use<'c> {
        self.frames.iter().filter_map(|value| match value {
            RecordedValue::Object(frame) => Some(Frame::from_object(&frame)),
            _ => None,
        })
    }
}

impl<'c> Frame<'c> {
    fn from_object(frame: &Object<'c>) -> Self {
        let method = match frame.get("method") {
            RecordedValue::Object(method) => Some(method),
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
