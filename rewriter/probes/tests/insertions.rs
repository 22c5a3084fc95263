//! The patch engine: what inserted code runs on, and what moves.

mod support;

use support::patched::{DISTANCES, far_jumps, insert_at_4, patched, printed};
use weighbridge_bytecode::patch::{ClassPatch, Insertion, NewPc, OldPc, Position, Sequence, Workspace};
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, Instruction, PoolOffsets, op};
use weighbridge_bytecode::{BytecodeErrorKind, Result};
use weighbridge_tests::classes::compiled;

#[test]
fn no_insertion_gives_the_same_bytes() {
    for (name, bytes) in compiled("shapes").into_iter().chain(compiled("tables")) {
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
fn every_table_follows_its_instructions() {
    let class = &compiled("tables")["Tables"];
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
    let class = &compiled("tables")["Tables"];
    let entry = |_: &CodeAttribute<'_>, i: &Instruction<'_>| match i.pc {
        0 => vec![Position::Entry],
        _ => Vec::new(),
    };
    let after = patched(class, i16::MAX, |m| m.name().unwrap() == b"countDown", entry).unwrap();
    insta::assert_snapshot!("class_entry", printed(&after, b"countDown"));
}

#[test]
fn a_widened_if_gets_the_frame_that_its_fall_through_needs() {
    let class = &compiled("tables")["Tables"];
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
fn jumps_are_widened_exactly_when_16_bits_no_longer_reach() {
    let text = |distance| {
        let after = patched(&far_jumps(distance), i16::MAX, |_| true, insert_at_4).unwrap();
        let text = printed(&after, b"wide");
        text.lines().filter(|line| !line.ends_with("nop")).collect::<Vec<_>>().join("\n")
    };
    let reaching = text(DISTANCES[0]);
    assert!(reaching.contains(": ifeq 32768\n") && reaching.contains(": goto 32768\n"), "{reaching}");
    let beyond = text(DISTANCES[1]);
    insta::assert_snapshot!("class_far", beyond);
}

#[test]
fn insertions_where_none_can_be_are_refused() {
    let class = &compiled("tables")["Tables"];
    let error = |pc: u32, position| {
        let mut memory = PoolOffsets::default();
        let class = ClassFile::read(class, &mut memory).unwrap();
        let mut workspace = Workspace::default();
        let mut patch = ClassPatch::new(&class, &mut workspace);
        let method = class.methods().unwrap().map(Result::unwrap).find(|m| m.name().unwrap() == b"countDown").unwrap();
        let (code, sequence) = (method.code().unwrap().unwrap(), Sequence::new());
        let error = patch.insert(&method, &code, &[Insertion { at: OldPc(pc), position, sequence: &sequence }]);
        let error = error.map(<[NewPc]>::to_vec).unwrap_err();
        assert_eq!(error.kind(), BytecodeErrorKind::Internal);
        error.to_string()
    };
    let errors =
        [error(1, Position::Before), error(3, Position::Entry), error(8, Position::After), error(9, Position::Before)];
    insta::assert_snapshot!("class_misplaced", errors.join("\n"));
}

#[test]
fn one_pool_entry_serves_all_insertions_that_need_it() {
    let class = &compiled("shapes")["Shapes"];
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
