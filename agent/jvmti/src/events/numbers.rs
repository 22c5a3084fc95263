//! What the numbers in the probes stand for, and the lines that tell it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use serde_json::json;
use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, Member, access, mutf8};
use weighbridge_probes::events::Numbers;
use weighbridge_probes::table::dotted;

use crate::locks::lock;
use crate::readable::readable;

/// Numbers of methods, fields and sites.
#[derive(Debug, Default)]
pub(super) struct Book(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Class, name and descriptor.
    methods: HashMap<Box<[u8]>, u32>,
    /// Class and name.
    fields: HashMap<Box<[u8]>, u32>,
    /// Method, line and class.
    sites: HashMap<(u32, u16, Box<[u8]>), u32>,
    lines: String,
}

impl Book {
    fn lock(&self) -> MutexGuard<'_, Known> {
        lock(&self.0)
    }

    /// The lines so far, which are forgotten.
    pub(super) fn take(&self) -> String {
        std::mem::take(&mut self.lock().lines)
    }

    /// A class stays as it is.
    pub(super) fn skipped(&self, class: &[u8], reason: &str) {
        self.lock().line(&json!(["skipped", dotted(class), reason]));
    }
}

impl Known {
    fn line(&mut self, line: &serde_json::Value) {
        self.lines.push_str(&line.to_string());
        self.lines.push('\n');
    }
}

/// A name that no other triple has: names have no `;` (JVMS §4.2.2), but that of a class array, which is not asked for here.
fn key(class: &[u8], name: &[u8], descriptor: &[u8]) -> Box<[u8]> {
    [class, b";", name, b";", descriptor].concat().into()
}

fn text(name: &[u8]) -> String {
    mutf8::decode(name).into_owned()
}

impl Numbers for &Book {
    fn method(&self, class: &ClassFile<'_>, method: &Member<'_>, line: u16) -> Result<u32> {
        let (of, name, descriptor) = (class.name()?, method.name()?, method.descriptor()?);
        let mut known = self.lock();
        let next = known.methods.len() as u32 + 1;
        let number = *known.methods.entry(key(of, name, descriptor)).or_insert(next);
        if number == next {
            let is_static = method.access_flags & access::STATIC != 0;
            known.line(&json!(["method", number, dotted(of), text(name), text(descriptor), line, is_static]));
        }
        Ok(number)
    }

    fn field(&self, class: &[u8], name: &[u8]) -> u32 {
        let mut known = self.lock();
        let next = known.fields.len() as u32 + 1;
        let number = *known.fields.entry(key(class, name, b"")).or_insert(next);
        if number == next {
            known.line(&json!(["field", number, dotted(class), text(name)]));
        }
        number
    }

    fn site(&self, method: u32, line: u16, made: &[u8]) -> u32 {
        let mut known = self.lock();
        let next = known.sites.len() as u32 + 1;
        let number = *known.sites.entry((method, line, made.into())).or_insert(next);
        if number == next {
            known.line(&json!(["site", number, method, line, readable(&mutf8::decode(made))]));
        }
        number
    }

    fn skip_method(&self, class: &ClassFile<'_>, method: &Member<'_>, reason: String) {
        let name = class.name().map(dotted).unwrap_or_default();
        self.lock().line(&json!(["skipped", format!("{name}.{}", method.title()), reason]));
    }
}
