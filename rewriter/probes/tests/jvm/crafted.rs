//! Constructors that no Java compiler makes, each accepted by the JVM before and after, with the calls that arrive.

use weighbridge_bytecode::read::op;
use weighbridge_probes::constructor::{Outcome, Placement, Track};
use weighbridge_tests::assembler::{Assembler, Code};
use weighbridge_tests::classes::{Classes, probe, with_constructor_probes};
use weighbridge_tests::running::{Program, link};
use weighbridge_tests::{every_java, jdks};

use crate::support::crafted::{
    OBJECT, long_constructor, made, plain, printed, subroutine_before_super, super_call, with_pool,
};

/// Rewrites it, shows the JVMs both, and checks that one object is registered.
fn registers_once(class: &[u8]) -> (Placement, String) {
    let outcome = with_constructor_probes(class, &probe(0, Track::Live)).unwrap();
    let Outcome::Rewritten(rewritten) = outcome else { panic!("{outcome:?}") };
    let before = Program::new(&Classes::from([("Made".to_owned(), class.to_vec())]));
    let after = Program::new(&Classes::from([("Made".to_owned(), rewritten.bytes.clone())]));
    for jdk in every_java() {
        assert_eq!(before.run(jdk, "Made"), "");
        let calls = after.run(jdk, "Made");
        let live: Vec<_> = calls.lines().filter(|line| line.starts_with("live")).collect();
        // Before 49 the class is not known to be the object's own.
        let call = if class[7] < 49 { "live other Made 1000 x1" } else { "live Made 1000 x1" };
        assert_eq!(live, [call], "Java {}", jdk.version);
    }
    (rewritten.sites[0].0.call.placement, printed(&rewritten.bytes))
}

#[test]
fn a_constructor_that_overwrites_local_0_registers_right_after_super() {
    let class = made(52, |class| {
        let code = [&[op::ALOAD_0][..], &super_call(class), &[op::ACONST_NULL, op::ASTORE_0, op::RETURN]].concat();
        Code { max_stack: 1, max_locals: 1, code, ..Code::default() }
    });
    let (placement, text) = registers_once(&class);
    assert_eq!(placement, Placement::AfterSuper);
    insta::assert_snapshot!("class_overwritten", text);
}

#[test]
fn a_long_or_a_widened_store_over_local_0_counts_as_overwriting_it() {
    for store in [&[op::LSTORE_0][..], &[op::WIDE, op::LSTORE, 0, 0], &[op::LSTORE, 0]] {
        let class = made(52, |class| {
            let code = [&[op::ALOAD_0][..], &super_call(class), &[0x09], store, &[op::RETURN]].concat();
            Code { max_stack: 2, max_locals: 2, code, ..Code::default() }
        });
        assert_eq!(registers_once(&class).0, Placement::AfterSuper);
    }
}

#[test]
fn a_frame_that_drops_local_0_moves_the_probe_to_super() {
    let class = made(52, |class| {
        let code = [&[op::ALOAD_0][..], &super_call(class), &[op::GOTO, 0, 3, op::RETURN]].concat();
        // One full frame at 7: no locals, no stack.
        let tables = vec![("StackMapTable", vec![0, 1, 255, 0, 7, 0, 0, 0, 0])];
        Code { max_stack: 1, max_locals: 1, code, tables, ..Code::default() }
    });
    assert_eq!(registers_once(&class).0, Placement::AfterSuper);
}

#[test]
fn the_local_that_holds_this_after_super_is_used_wherever_it_is() {
    let class = made(52, |class| {
        let code = [
            &[op::ALOAD_0, op::ASTORE, 7, op::ACONST_NULL, op::ASTORE_0, op::ALOAD, 7][..],
            &super_call(class),
            &[op::RETURN],
        ]
        .concat();
        Code { max_stack: 1, max_locals: 8, code, ..Code::default() }
    });
    let (placement, text) = registers_once(&class);
    assert_eq!(placement, Placement::AfterSuper);
    assert!(text.contains("10: aload 7\n"), "{text}");
}

#[test]
fn several_super_calls_on_different_paths_register_at_the_common_return() {
    let class = made(52, |class| {
        let call = super_call(class);
        let code = [
            &[op::ALOAD_0, op::ICONST_0, op::IFEQ, 0, 9][..], // to 11
            &call,                                            // at 5
            &[op::GOTO, 0, 6],                                // at 8, to 14
            &call,                                            // at 11
            &[op::RETURN],
        ]
        .concat();
        let this = class.class("Made").to_be_bytes();
        // At 11: [uninitializedThis], stack [uninitializedThis]; at 14: [Made].
        let tables = vec![("StackMapTable", [&[0, 2, 64 + 11, 6, 255, 0, 2, 0, 1, 7][..], &this, &[0, 0]].concat())];
        Code { max_stack: 2, max_locals: 1, code, tables, ..Code::default() }
    });
    assert_eq!(registers_once(&class).0, Placement::Returns);
}

#[test]
fn of_super_and_this_on_different_paths_only_super_registers() {
    let mut class = Assembler::new("Made", OBJECT);
    let (call, delegate) = (super_call(&mut class), class.invoke(op::INVOKESPECIAL, "Made", "<init>", "(I)V"));
    // ()V is this(0); (I)V is `if (i == 0) super() else this(0)`.
    let delegating = [&[op::ALOAD_0, op::ICONST_0][..], &delegate, &[op::RETURN]].concat();
    let code = [
        &[op::ALOAD_0, op::ILOAD_0 + 1, op::IFEQ + 1, 0, 9][..], // to 11
        &call,                                                   // at 5
        &[op::GOTO, 0, 7],                                       // at 8, to 15
        &[op::ICONST_0],                                         // at 11
        &delegate,                                               // at 12
        &[op::RETURN],
    ]
    .concat();
    let this = class.class("Made").to_be_bytes();
    let tables = vec![("StackMapTable", [&[0, 2, 64 + 11, 6, 255, 0, 3, 0, 2, 7][..], &this, &[1, 0, 0]].concat())];
    class.constructor("()V", Code { max_stack: 2, max_locals: 1, code: delegating, ..Code::default() });
    class.constructor("(I)V", Code { max_stack: 2, max_locals: 2, code, tables, ..Code::default() });
    let class = class.main_that_makes_one().build();
    assert_eq!(registers_once(&class).0, Placement::AfterSuper);
}

#[test]
fn what_lies_on_the_stack_at_a_return_raises_max_stack() {
    let class = made(52, |class| {
        let code = [&[op::ALOAD_0][..], &super_call(class), &[op::ICONST_0, 0x09, op::RETURN]].concat();
        Code { max_stack: 3, max_locals: 1, code, ..Code::default() }
    });
    let (_, text) = registers_once(&class);
    assert!(text.contains("stack 6, "), "{text}");
}

#[test]
fn a_subroutine_after_super_is_left_to_the_old_verifier() {
    let class = made(48, |class| {
        let code = [
            &[op::ALOAD_0][..],
            &super_call(class),
            &[op::JSR, 0, 4],             // at 4, to 8
            &[op::RETURN],                // at 7
            &[op::ASTORE, 1, op::RET, 1], // at 8
        ]
        .concat();
        Code { max_stack: 1, max_locals: 2, code, ..Code::default() }
    });
    let (placement, text) = registers_once(&class);
    assert_eq!(placement, Placement::Returns);
    // The depth inside subroutines is not simulated: three above max_stack.
    assert!(text.contains("stack 4, "), "{text}");
}

#[test]
fn the_test_itself_sees_a_class_that_does_not_verify() {
    // A return with a long on the stack is fine; a missing super(...) is not.
    let broken = made(52, |_| Code { max_stack: 0, max_locals: 1, code: vec![op::RETURN], ..Code::default() });
    for jdk in every_java() {
        let results = link(jdk, &Classes::from([("Made".to_owned(), broken.clone())]));
        assert!(results["Made"].starts_with("java.lang.VerifyError"), "{results:?}");
    }
}

#[test]
fn before_version_49_the_object_arrives_without_its_class() {
    let outcome = with_constructor_probes(&plain(48, 0), &probe(70_000, Track::Live)).unwrap();
    let Outcome::Rewritten(rewritten) = outcome else { panic!("{outcome:?}") };
    let after = Program::new(&Classes::from([("Made".to_owned(), rewritten.bytes)]));
    for jdk in every_java() {
        // The class is not known to be the object's own: the runtime's slow path, a negative id.
        assert!(after.run(jdk, "Made").contains("live other Made 71000 x1"));
    }
}

#[test]
fn a_subroutine_before_super_that_is_skipped_links() {
    let before = Classes::from([("Made".to_owned(), subroutine_before_super())]);
    assert!(jdks().iter().all(|jdk| link(jdk, &before)["Made"] == "linked"));
}

#[test]
fn the_longest_code_and_the_largest_pool_that_can_take_a_probe_register() {
    registers_once(&long_constructor(65_535 - 7));
    registers_once(&with_pool(65_535 - 6));
}
