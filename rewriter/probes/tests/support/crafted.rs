//! Classes that no Java compiler makes.

use weighbridge_bytecode::read::{ClassFile, PoolOffsets, op, print};
use weighbridge_probes::SkipReason;
use weighbridge_probes::constructor::{Outcome, Track};
use weighbridge_tests::assembler::{Assembler, Code};
use weighbridge_tests::classes::{probe, with_constructor_probes};

pub const OBJECT: &str = "java/lang/Object";

pub fn super_call(class: &mut Assembler) -> [u8; 3] {
    class.invoke(op::INVOKESPECIAL, OBJECT, "<init>", "()V")
}

/// A class `Made` with one constructor `()V` and a `main` that calls it once.
pub fn made(major: u16, code: impl FnOnce(&mut Assembler) -> Code) -> Vec<u8> {
    let mut class = Assembler::new("Made", OBJECT);
    class.major = major;
    let code = code(&mut class);
    class.constructor("()V", code).main_that_makes_one().build()
}

pub fn printed(class: &[u8]) -> String {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(class, &mut memory).unwrap();
    let constructor = class.methods().unwrap().next().unwrap().unwrap();
    print::method(&class, &constructor).unwrap()
}

pub fn skipped(class: &[u8]) -> SkipReason {
    match with_constructor_probes(class, &probe(0, Track::Live)).unwrap() {
        Outcome::Skipped(reason) => reason,
        rewritten => panic!("{rewritten:?}"),
    }
}

/// A class whose constructor only calls `super()`.
pub fn plain(major: u16, flags: u16) -> Vec<u8> {
    let mut class = Assembler::new("Made", OBJECT);
    class.major = major;
    class.flags |= flags;
    let code = [&[op::ALOAD_0][..], &super_call(&mut class), &[op::RETURN]].concat();
    class.constructor("()V", Code { max_stack: 1, max_locals: 1, code, ..Code::default() });
    class.main_that_makes_one().build()
}

/// A constructor with code of the given length and no room to spare.
pub fn long_constructor(length: usize) -> Vec<u8> {
    made(52, |class| {
        let mut code = [&[op::ALOAD_0][..], &super_call(class)].concat();
        code.resize(length - 1, op::NOP);
        code.push(op::RETURN);
        Code { max_stack: 1, max_locals: 1, code, ..Code::default() }
    })
}

/// A class whose constructor jumps to a subroutine before it calls `super()`.
pub fn subroutine_before_super() -> Vec<u8> {
    made(48, |class| {
        let code = [
            &[op::JSR, 0, 8][..], // at 0, to 8
            &[op::ALOAD_0],
            &super_call(class),
            &[op::RETURN],                // at 7
            &[op::ASTORE, 1, op::RET, 1], // at 8
        ]
        .concat();
        Code { max_stack: 1, max_locals: 2, code, ..Code::default() }
    })
}

/// A class whose constant pool has this many entries.
pub fn with_pool(count: u16) -> Vec<u8> {
    let mut class = Assembler::new("Made", OBJECT);
    let code = [&[op::ALOAD_0][..], &super_call(&mut class), &[op::RETURN]].concat();
    class.constructor("()V", Code { max_stack: 1, max_locals: 1, code, ..Code::default() });
    class.main_that_makes_one();
    class.fill_pool(count);
    let bytes = class.build();
    assert_eq!(class.pool_count(), count);
    bytes
}
