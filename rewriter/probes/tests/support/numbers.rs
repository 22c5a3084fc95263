//! Numbers for the probes of every event: one more each time.

use std::cell::{Cell, RefCell};

use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, Member};
use weighbridge_probes::events::Numbers;

#[derive(Debug, Default)]
pub struct Counted {
    next: Cell<u32>,
    pub methods: Cell<u32>,
    pub left: RefCell<Vec<String>>,
}

impl Counted {
    pub fn from(first: u32) -> Self {
        Counted { next: Cell::new(first), ..Counted::default() }
    }

    fn next(&self) -> u32 {
        self.next.replace(self.next.get() + 1)
    }
}

impl Numbers for &Counted {
    fn method(&self, _: &ClassFile<'_>, _: &Member<'_>, _: u16) -> Result<u32> {
        self.methods.set(self.methods.get() + 1);
        Ok(self.next())
    }

    fn field(&self, _: &[u8], _: &[u8]) -> u32 {
        self.next()
    }

    fn site(&self, _: u32, _: u16, _: &[u8]) -> u32 {
        self.next()
    }

    fn skip_method(&self, class: &ClassFile<'_>, method: &Member<'_>, reason: String) {
        let name = String::from_utf8_lossy(class.name().unwrap_or_default()).into_owned();
        self.left.borrow_mut().push(format!("{name}.{}: {reason}", method.title()));
    }
}
