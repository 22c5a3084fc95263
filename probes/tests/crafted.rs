//! Constructors that no Java compiler makes: JVMs accept each before and after, and run its probes.

use weighbridge_bytecode::read::{ClassFile, PoolOffsets, access, op, print};
use weighbridge_bytecode::{Error, ErrorKind};
use weighbridge_probes::SkipReason;
use weighbridge_probes::constructor::{ConstructorProbe, Objects, Outcome, Placement, Track};
use weighbridge_tests::assembler::{Assembler, Code};
use weighbridge_tests::classes::{Classes, Program, link, probe, with_constructor_probes};
use weighbridge_tests::jdks;

const OBJECT: &str = "java/lang/Object";

fn super_call(class: &mut Assembler) -> [u8; 3] {
    class.invoke(op::INVOKESPECIAL, OBJECT, "<init>", "()V")
}

/// A class `Made` with one constructor `()V` and a `main` that calls it once.
fn made(major: u16, code: impl FnOnce(&mut Assembler) -> Code) -> Vec<u8> {
    let mut class = Assembler::new("Made", OBJECT);
    class.major = major;
    let code = code(&mut class);
    class.constructor("()V", code).main_that_makes_one().build()
}

/// Rewrites it, runs both on the JVMs, and checks that one object is registered.
fn registers_once(class: &[u8]) -> (Placement, String) {
    let outcome = with_constructor_probes(class, &probe(0, Track::Live)).unwrap();
    let Outcome::Rewritten(rewritten) = outcome else { panic!("{outcome:?}") };
    let before = Program::new(&Classes::from([("Made".to_owned(), class.to_vec())]));
    let after = Program::new(&Classes::from([("Made".to_owned(), rewritten.bytes.clone())]));
    for jdk in jdks() {
        assert_eq!(before.run(jdk, "Made"), "");
        let calls = after.run(jdk, "Made");
        let live: Vec<_> = calls.lines().filter(|line| line.starts_with("live")).collect();
        // Before 49 the probe cannot pass the class.
        let call = if class[7] < 49 { "live other Made 1000 x1" } else { "live Made 1000 x1" };
        assert_eq!(live, [call], "Java {}", jdk.version);
    }
    (rewritten.sites[0].0.call.placement, printed(&rewritten.bytes))
}

fn printed(class: &[u8]) -> String {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(class, &mut memory).unwrap();
    let constructor = class.methods().unwrap().next().unwrap().unwrap();
    print::method(&class, &constructor).unwrap()
}

fn skipped(class: &[u8]) -> SkipReason {
    match with_constructor_probes(class, &probe(0, Track::Live)).unwrap() {
        Outcome::Skipped(reason) => reason,
        rewritten => panic!("{rewritten:?}"),
    }
}

/// A class whose constructor only calls `super()`.
fn plain(major: u16, flags: u16) -> Vec<u8> {
    let mut class = Assembler::new("Made", OBJECT);
    class.major = major;
    class.flags |= flags;
    let code = [&[op::ALOAD_0][..], &super_call(&mut class), &[op::RETURN]].concat();
    class.constructor("()V", Code { max_stack: 1, max_locals: 1, code, ..Code::default() });
    class.main_that_makes_one().build()
}

#[test]
fn a_constructor_passes_its_class_only_where_it_is_needed() {
    let forms = [
        (Objects::All, "All(Ljava/lang/Object;Ljava/lang/Class;I)V"),
        (Objects::Own, "Own(Ljava/lang/Object;Ljava/lang/Class;I)V"),
    ];
    for (objects, form) in forms {
        let call = |major, flags, track| {
            let probe = ConstructorProbe { objects, ..probe(0, track) };
            match with_constructor_probes(&plain(major, flags), &probe).unwrap() {
                Outcome::Rewritten(rewritten) => printed(&rewritten.bytes),
                Outcome::Skipped(reason) => panic!("{reason}"),
            }
        };
        assert!(call(52, 0, Track::Live).contains(&format!(".live{form}")));
        let counted = form.replace("/Object;", "/Class;");
        assert!(call(52, 0, Track::Count).contains(&format!(".count{counted}")));
        // A final class has no subclasses, at any age.
        for major in [48, 52] {
            assert!(call(major, access::FINAL, Track::Live).contains(".live(Ljava/lang/Object;I)V"));
            assert!(call(major, access::FINAL, Track::Count).contains(".count(I)V"));
        }
        // The constructors of an old class cannot pass it, so the runtime compares.
        assert!(call(48, 0, Track::Live).contains(".liveAll("));
    }
}

#[test]
fn an_abstract_class_below_its_registrar_needs_no_probe() {
    let class = plain(52, access::ABSTRACT);
    let own = ConstructorProbe { objects: Objects::Own, ..probe(0, Track::Count) };
    let outcome = with_constructor_probes(&class, &own).unwrap();
    assert!(matches!(outcome, Outcome::Skipped(SkipReason::OnlySubclasses)), "{outcome:?}");
    let outcome = with_constructor_probes(&class, &probe(0, Track::Count)).unwrap();
    assert!(matches!(outcome, Outcome::Rewritten(_)), "{outcome:?}");
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
fn a_this_that_is_in_no_local_after_super_is_skipped() {
    let class = made(52, |class| {
        let code = [&[op::ALOAD_0, op::ACONST_NULL, op::ASTORE_0][..], &super_call(class), &[op::RETURN]].concat();
        Code { max_stack: 2, max_locals: 1, code, ..Code::default() }
    });
    assert_eq!(skipped(&class).to_string(), "no local variable holds `this` after super(...) in the constructor ()V");
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
fn values_on_the_stack_at_a_return_raise_max_stack() {
    let class = made(52, |class| {
        let code = [&[op::ALOAD_0][..], &super_call(class), &[op::ICONST_0, 0x09, op::RETURN]].concat();
        Code { max_stack: 3, max_locals: 1, code, ..Code::default() }
    });
    let (_, text) = registers_once(&class);
    assert!(text.contains("stack 6, "), "{text}");
}

#[test]
fn before_version_49_the_class_argument_is_null() {
    let class = made(48, |class| {
        let code = [&[op::ALOAD_0][..], &super_call(class), &[op::RETURN]].concat();
        Code { max_stack: 1, max_locals: 1, code, ..Code::default() }
    });
    let outcome = with_constructor_probes(&class, &probe(70_000, Track::Live)).unwrap();
    let Outcome::Rewritten(rewritten) = outcome else { panic!("{outcome:?}") };
    insta::assert_snapshot!("class_before_49", printed(&rewritten.bytes));
    let after = Program::new(&Classes::from([("Made".to_owned(), rewritten.bytes)]));
    for jdk in jdks() {
        // The class is not passed: the runtime's slow path, with a negative id.
        assert!(after.run(jdk, "Made").contains("live other Made 71000 x1"));
    }
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
fn a_subroutine_before_super_is_skipped_by_name() {
    let class = made(48, |class| {
        let code = [
            &[op::JSR, 0, 8][..], // at 0, to 8
            &[op::ALOAD_0],
            &super_call(class),
            &[op::RETURN],                // at 7
            &[op::ASTORE, 1, op::RET, 1], // at 8
        ]
        .concat();
        Code { max_stack: 1, max_locals: 2, code, ..Code::default() }
    });
    let before = Classes::from([("Made".to_owned(), class.clone())]);
    assert!(jdks().iter().all(|jdk| link(jdk, &before)["Made"] == "linked"));
    assert_eq!(skipped(&class).to_string(), "the constructor ()V has jsr or ret before super(...)");
}

#[test]
fn the_header_alone_says_why_a_class_is_skipped() {
    let reason = |change: fn(&mut Assembler)| {
        let mut class = Assembler::new("Made", OBJECT);
        change(&mut class);
        skipped(&class.build()).to_string()
    };
    let reasons = [
        reason(|c| c.flags = 0x0601),
        reason(|c| c.flags = 0x8000),
        reason(|c| (c.major, c.minor, c.flags) = (69, 65535, 0x0011)),
        reason(|c| c.major = 71),
        reason(|c| *c = Assembler::new(OBJECT, "")),
        reason(|c| *c = Assembler::new("a/Weighbridge$0123456789abcdef", OBJECT)),
        reason(|_| {}),
    ];
    insta::assert_snapshot!("class_skips", reasons.join("\n"));
}

fn limit(class: &[u8]) -> Error {
    let error = with_constructor_probes(class, &probe(0, Track::Live)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    error
}

/// A constructor with code of the given length and no room to spare.
fn long_constructor(length: usize) -> Vec<u8> {
    made(52, |class| {
        let mut code = [&[op::ALOAD_0][..], &super_call(class)].concat();
        code.resize(length - 1, op::NOP);
        code.push(op::RETURN);
        Code { max_stack: 1, max_locals: 1, code, ..Code::default() }
    })
}

#[test]
fn code_may_grow_to_65535_bytes_and_no_further() {
    // The most bytes of a probe, wherever the object and the constants are.
    registers_once(&long_constructor(65_535 - 16));
    assert_eq!(
        limit(&long_constructor(65_535 - 15)).to_string(),
        "<init>()V: code of 65520 may grow by 16; a method may have 65535"
    );
}

#[test]
fn a_pool_may_grow_to_65535_entries_and_no_further() {
    let with_pool = |count| {
        let mut class = Assembler::new("Made", OBJECT);
        let code = [&[op::ALOAD_0][..], &super_call(&mut class), &[op::RETURN]].concat();
        class.constructor("()V", Code { max_stack: 1, max_locals: 1, code, ..Code::default() });
        class.main_that_makes_one();
        class.fill_pool(count);
        let bytes = class.build();
        assert_eq!(class.pool_count(), count);
        bytes
    };
    // The most constants of the probes of a class.
    registers_once(&with_pool(65_535 - 24));
    assert_eq!(
        limit(&with_pool(65_535 - 23)).to_string(),
        "the constant pool of 65512 may grow by 24; it may have 65535"
    );
}

#[test]
fn the_test_itself_sees_a_class_that_does_not_verify() {
    // A return with a long on the stack is fine; a missing super(...) is not.
    let broken = made(52, |_| Code { max_stack: 0, max_locals: 1, code: vec![op::RETURN], ..Code::default() });
    for jdk in jdks() {
        let results = link(jdk, &Classes::from([("Made".to_owned(), broken.clone())]));
        assert!(results["Made"].starts_with("java.lang.VerifyError"), "{results:?}");
    }
}
