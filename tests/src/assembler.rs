//! Class files assembled by tests, which no compiler of today makes.
#![expect(missing_docs, reason = "the names are those of JVMS §4")]

use std::collections::HashMap;

/// A class that is assembled.
pub struct Assembler {
    pool: Vec<u8>,
    count: u16,
    known: HashMap<Vec<u8>, u16>,
    methods: Vec<Vec<u8>>,
    pub major: u16,
    pub minor: u16,
    pub flags: u16,
    name: String,
    super_name: String,
}

/// The code of a method; `tables` are attributes of the code.
#[derive(Default)]
pub struct Code {
    pub max_stack: u16,
    pub max_locals: u16,
    pub code: Vec<u8>,
    pub handlers: Vec<[u16; 4]>,
    pub tables: Vec<(&'static str, Vec<u8>)>,
}

impl Assembler {
    pub fn new(name: &str, super_name: &str) -> Self {
        Assembler {
            pool: Vec::new(),
            count: 1,
            known: HashMap::new(),
            methods: Vec::new(),
            major: 52,
            minor: 0,
            flags: 0x0021,
            name: name.to_owned(),
            super_name: super_name.to_owned(),
        }
    }

    fn constant(&mut self, bytes: Vec<u8>) -> u16 {
        if let Some(&index) = self.known.get(&bytes) {
            return index;
        }
        let index = self.count;
        self.count += if matches!(bytes[0], 5 | 6) { 2 } else { 1 };
        self.pool.extend(&bytes);
        self.known.insert(bytes, index);
        index
    }

    pub fn utf8(&mut self, text: &str) -> u16 {
        let mut bytes = vec![1];
        bytes.extend((text.len() as u16).to_be_bytes());
        bytes.extend(text.as_bytes());
        self.constant(bytes)
    }

    fn of(&mut self, tag: u8, operands: &[u16]) -> u16 {
        let mut bytes = vec![tag];
        bytes.extend(operands.iter().flat_map(|o| o.to_be_bytes()));
        self.constant(bytes)
    }

    pub fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(name);
        self.of(7, &[name])
    }

    pub fn string(&mut self, text: &str) -> u16 {
        let text = self.utf8(text);
        self.of(8, &[text])
    }

    pub fn member(&mut self, tag: u8, class: &str, name: &str, descriptor: &str) -> u16 {
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        let name_and_type = self.of(12, &[name, descriptor]);
        let class = self.class(class);
        self.of(tag, &[class, name_and_type])
    }

    /// An instruction with a two-byte operand.
    pub fn with(opcode: u8, index: u16) -> [u8; 3] {
        let [high, low] = index.to_be_bytes();
        [opcode, high, low]
    }

    /// `opcode class.name descriptor`.
    pub fn invoke(&mut self, opcode: u8, class: &str, name: &str, descriptor: &str) -> [u8; 3] {
        let method = self.member(10, class, name, descriptor);
        Self::with(opcode, method)
    }

    /// Fills the pool with Integers until it has this count.
    pub fn fill_pool(&mut self, count: u16) {
        let mut value = 1 << 20;
        while self.count < count {
            let [a, b, c, d] = i32::to_be_bytes(value);
            self.constant(vec![3, a, b, c, d]);
            value += 1;
        }
    }

    pub fn pool_count(&self) -> u16 {
        self.count
    }

    pub fn method(&mut self, flags: u16, name: &str, descriptor: &str, code: Code) -> &mut Self {
        let mut bytes = flags.to_be_bytes().to_vec();
        for index in [self.utf8(name), self.utf8(descriptor), 1, self.utf8("Code")] {
            bytes.extend(index.to_be_bytes());
        }
        let mut info = Vec::new();
        info.extend(code.max_stack.to_be_bytes());
        info.extend(code.max_locals.to_be_bytes());
        info.extend((code.code.len() as u32).to_be_bytes());
        info.extend(&code.code);
        info.extend((code.handlers.len() as u16).to_be_bytes());
        info.extend(code.handlers.iter().flatten().flat_map(|pc| pc.to_be_bytes()));
        info.extend((code.tables.len() as u16).to_be_bytes());
        for (name, table) in &code.tables {
            info.extend(self.utf8(name).to_be_bytes());
            info.extend((table.len() as u32).to_be_bytes());
            info.extend(table);
        }
        bytes.extend((info.len() as u32).to_be_bytes());
        bytes.extend(info);
        self.methods.push(bytes);
        self
    }

    /// A constructor.
    pub fn constructor(&mut self, descriptor: &str, code: Code) -> &mut Self {
        self.method(1, "<init>", descriptor, code)
    }

    /// `main` that makes one object with the constructor `()V` and prints nothing.
    pub fn main_that_makes_one(&mut self) -> &mut Self {
        let name = self.name.clone();
        let new = Self::with(0xBB, self.class(&name));
        let init = self.invoke(0xB7, &name, "<init>", "()V");
        let code = [&new[..], &[0x59], &init, &[0x57, 0xB1]].concat();
        self.method(9, "main", "([Ljava/lang/String;)V", Code { max_stack: 2, max_locals: 1, code, ..Code::default() })
    }

    pub fn build(&mut self) -> Vec<u8> {
        let (name, super_name) = (self.name.clone(), self.super_name.clone());
        let (this, parent) = (self.class(&name), if super_name.is_empty() { 0 } else { self.class(&super_name) });
        let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE];
        for header in [self.minor, self.major, self.count] {
            bytes.extend(header.to_be_bytes());
        }
        bytes.extend(&self.pool);
        for header in [self.flags, this, parent, 0, 0, self.methods.len() as u16] {
            bytes.extend(header.to_be_bytes());
        }
        bytes.extend(self.methods.iter().flatten());
        bytes.extend([0, 0]);
        bytes
    }
}
