//! The patch engine: when inserted code runs, what moves, and that programs run as before.

use weighbridge_bytecode::patch::{ClassPatch, Insertion, NewPc, OldPc, Position, Sequence, Workspace};
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, Instruction, Member, PoolOffsets, op, print};
use weighbridge_bytecode::{ErrorKind, Result};
use weighbridge_tests::assembler::{Assembler, Code};
use weighbridge_tests::classes::{Classes, Program, compile, link};
use weighbridge_tests::jdks;

/// Inserts one sequence at `positions` in every method whose name `methods` accepts.
fn patched(
    class: &[u8],
    reach: i16,
    methods: impl Fn(&Member<'_>) -> bool,
    positions: impl Fn(&CodeAttribute<'_>, &Instruction<'_>) -> Vec<Position>,
) -> Result<Vec<u8>> {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(class, &mut memory)?;
    let mut workspace = Workspace::with_reach(reach);
    let mut patch = ClassPatch::new(&class, &mut workspace);
    let mut sequence = Sequence::new();
    sequence.int(100_000, &mut patch.pool)?.raw(&[op::POP], 1, 0);
    for method in class.methods()? {
        let method = method?;
        let Some(code) = method.code()?.filter(|_| methods(&method)) else { continue };
        let mut insertions = Vec::new();
        for instruction in code.instructions() {
            let instruction = instruction?;
            let at = OldPc(instruction.pc);
            let here = positions(&code, &instruction).into_iter();
            insertions.extend(here.map(|position| Insertion { at, position, sequence: &sequence }));
        }
        patch.insert(&method, &code, &insertions)?;
    }
    Ok(patch.finish())
}

fn printed(class: &[u8], name: &[u8]) -> String {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(class, &mut memory).unwrap();
    let method = class.methods().unwrap().map(Result::unwrap).find(|m| m.name().unwrap() == name).unwrap();
    print::method(&class, &method).unwrap()
}

fn everywhere(_: &CodeAttribute<'_>, instruction: &Instruction<'_>) -> Vec<Position> {
    let mut positions = vec![Position::Before];
    positions.extend((instruction.pc == 0).then_some(Position::Entry));
    positions.extend((!instruction.ends_flow()).then_some(Position::After));
    positions
}

#[test]
fn no_insertion_gives_the_same_bytes() {
    for (name, bytes) in compile("shapes").into_iter().chain(compile("tables")) {
        let mut memory = PoolOffsets::default();
        let class = ClassFile::read(&bytes, &mut memory).unwrap();
        let mut workspace = Workspace::default();
        assert_eq!(ClassPatch::new(&class, &mut workspace).finish(), bytes, "{name}");
        // Even if every method is edited.
        let mut patch = ClassPatch::new(&class, &mut workspace);
        for method in class.methods().unwrap() {
            let method = method.unwrap();
            if let Some(code) = method.code().unwrap() {
                patch.insert(&method, &code, &[]).unwrap();
            }
        }
        assert_eq!(patch.finish(), bytes, "{name}");
    }
}

#[test]
fn every_table_moves_with_its_instructions() {
    let class = &compile("tables")["Tables"];
    let after = patched(
        class,
        i16::MAX,
        |m| m.name().unwrap() == b"method",
        |_, i| match i.opcode() {
            op::NEW | op::CHECKCAST | op::INSTANCEOF => vec![Position::After],
            op::INVOKESPECIAL | op::TABLESWITCH | op::IRETURN => vec![Position::Before],
            op::IINC => vec![Position::Before, Position::After],
            _ => Vec::new(),
        },
    );
    let (before, after) = (printed(class, b"method"), printed(&after.unwrap(), b"method"));
    insta::assert_snapshot!("class_tables", format!("{before}-- becomes\n{after}"));
}

#[test]
fn a_loop_back_to_pc_0_does_not_run_the_code_at_the_entry() {
    let class = &compile("tables")["Tables"];
    let entry = |_: &CodeAttribute<'_>, i: &Instruction<'_>| match i.pc {
        0 => vec![Position::Entry],
        _ => Vec::new(),
    };
    let after = patched(class, i16::MAX, |m| m.name().unwrap() == b"countDown", entry).unwrap();
    insta::assert_snapshot!("class_entry", printed(&after, b"countDown"));
}

#[test]
fn a_widened_if_gets_the_frame_that_its_fall_through_needs() {
    let class = &compile("tables")["Tables"];
    let after = patched(
        class,
        0,
        |m| m.name().unwrap() == b"method",
        |_, i| match i.pc {
            0 => vec![Position::Entry],
            _ => Vec::new(),
        },
    );
    insta::assert_snapshot!("class_widened", printed(&after.unwrap(), b"method"));
}

#[test]
fn programs_run_the_same_with_code_before_and_after_every_instruction_and_every_jump_widened() {
    let mut classes = compile("shapes");
    classes.extend(compile("tables"));
    let plain = Program::new(&classes);
    for reach in [i16::MAX, 100, 0] {
        let mut patched_classes = classes.clone();
        for bytes in patched_classes.values_mut() {
            *bytes = patched(bytes, reach, |_| true, everywhere).unwrap();
        }
        let program = Program::new(&patched_classes);
        for jdk in jdks() {
            for main in ["Shapes", "Tables"] {
                assert_eq!(program.run(jdk, main), plain.run(jdk, main), "reach {reach}, Java {}", jdk.version);
            }
            assert!(link(jdk, &patched_classes).values().all(|result| result == "linked"));
        }
    }
}

/// `static void wide()`: an `if` and a `goto` over `distance` bytes of nops, with one frame at the end.
fn far_jumps(distance: usize) -> Vec<u8> {
    let mut class = Assembler::new("Far", "java/lang/Object");
    // 0: iconst_0, 1: ifeq end, 4: lconst_0, 5: lstore_0, 6: goto end, then (dead, with a frame) nops to the end.
    let end = 9 + distance;
    let jump = |opcode, from: usize| {
        let [high, low] = ((end - from) as u16).to_be_bytes();
        [opcode, high, low]
    };
    let mut code = [&[op::ICONST_0][..], &jump(op::IFEQ, 1), &[0x09, op::LSTORE_0], &jump(op::GOTO, 6)].concat();
    code.resize(end, op::NOP);
    code.push(op::RETURN);
    let table = [&[0, 2, 9][..], &[251], &((end - 10) as u16).to_be_bytes()].concat();
    let tables = vec![("StackMapTable", table)];
    class.method(9, "wide", "()V", Code { max_stack: 2, max_locals: 2, code, tables, ..Code::default() });
    class.build()
}

#[test]
fn jumps_are_widened_exactly_when_16_bits_no_longer_reach() {
    // The if at 1 reaches 32,767 bytes: to 32,768. The insertion adds three.
    let insert_at_4 = |_: &CodeAttribute<'_>, i: &Instruction<'_>| match i.pc {
        4 => vec![Position::Before],
        _ => Vec::new(),
    };
    let text = |distance| {
        let before = far_jumps(distance);
        let after = patched(&before, i16::MAX, |_| true, insert_at_4).unwrap();
        for jdk in jdks() {
            for class in [&before, &after] {
                let results = link(jdk, &Classes::from([("Far".to_owned(), class.clone())]));
                assert_eq!(results["Far"], "linked", "Java {}", jdk.version);
            }
        }
        let text = printed(&after, b"wide");
        text.lines().filter(|line| !line.ends_with("nop")).collect::<Vec<_>>().join("\n")
    };
    let reaching = text(32_768 - 9 - 3);
    assert!(reaching.contains(": ifeq 32768\n") && reaching.contains(": goto 32768\n"), "{reaching}");
    let beyond = text(32_768 - 9 - 2);
    insta::assert_snapshot!("class_far", beyond);
}

#[test]
fn insertions_at_impossible_points_are_refused() {
    let class = &compile("tables")["Tables"];
    let error = |pc: u32, position| {
        let mut memory = PoolOffsets::default();
        let class = ClassFile::read(class, &mut memory).unwrap();
        let mut workspace = Workspace::default();
        let mut patch = ClassPatch::new(&class, &mut workspace);
        let method = class.methods().unwrap().map(Result::unwrap).find(|m| m.name().unwrap() == b"countDown").unwrap();
        let (code, sequence) = (method.code().unwrap().unwrap(), Sequence::new());
        let error = patch.insert(&method, &code, &[Insertion { at: OldPc(pc), position, sequence: &sequence }]);
        let error = error.map(<[NewPc]>::to_vec).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Internal);
        error.to_string()
    };
    let errors =
        [error(1, Position::Before), error(3, Position::Entry), error(8, Position::After), error(9, Position::Before)];
    insta::assert_snapshot!("class_misplaced", errors.join("\n"));
}

#[test]
fn one_pool_entry_serves_all_insertions_that_need_it() {
    let class = &compile("shapes")["Shapes"];
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(class, &mut memory).unwrap();
    let mut workspace = Workspace::default();
    let pool = &mut ClassPatch::new(&class, &mut workspace).pool;
    let count = pool.count();
    assert_eq!(pool.class(b"java/lang/Object").unwrap(), class.super_class);
    let name = pool.utf8(b"a new name").unwrap();
    assert_eq!((pool.count(), name.0), (count + 1, count));
    assert_eq!(pool.utf8(b"a new name").unwrap(), name);
    let method = pool.method_ref(b"java/lang/Object", b"a new name", b"()V").unwrap();
    assert_eq!(pool.method_ref(b"java/lang/Object", b"a new name", b"()V").unwrap(), method);
    // NameAndType and Methodref; `()V` and Object are there.
    assert_eq!(pool.count(), count + 3);
}
