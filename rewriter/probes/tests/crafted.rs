//! What the engine decides on constructors that no Java compiler makes. That the JVM accepts them is in `jvm/crafted.rs`.

mod support;

use support::crafted::{
    OBJECT, long_constructor, made, plain, printed, skipped, subroutine_before_super, super_call, with_pool,
};
use weighbridge_bytecode::read::{access, op};
use weighbridge_bytecode::{BytecodeErrorKind, Error};
use weighbridge_probes::SkipReason;
use weighbridge_probes::constructor::{ConstructorProbe, Objects, Outcome, Track};
use weighbridge_tests::assembler::{Assembler, Code};
use weighbridge_tests::classes::{probe, with_constructor_probes};

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
fn a_this_that_is_in_no_local_after_super_is_skipped() {
    let class = made(52, |class| {
        let code = [&[op::ALOAD_0, op::ACONST_NULL, op::ASTORE_0][..], &super_call(class), &[op::RETURN]].concat();
        Code { max_stack: 2, max_locals: 1, code, ..Code::default() }
    });
    assert_eq!(skipped(&class).to_string(), "no local variable holds `this` after super(...) in the constructor ()V");
}

#[test]
fn before_version_49_the_class_argument_is_null() {
    let outcome = with_constructor_probes(&plain(48, 0), &probe(70_000, Track::Live)).unwrap();
    let Outcome::Rewritten(rewritten) = outcome else { panic!("{outcome:?}") };
    insta::assert_snapshot!("class_before_49", printed(&rewritten.bytes));
}

#[test]
fn a_subroutine_before_super_is_skipped_by_name() {
    assert_eq!(skipped(&subroutine_before_super()).to_string(), "the constructor ()V has jsr or ret before super(...)");
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
    assert_eq!(error.kind(), BytecodeErrorKind::Limit);
    error
}

#[test]
fn code_may_grow_to_65535_bytes_and_no_further() {
    // `aload_0; ldc; iconst_0; invokestatic`: what this probe takes, not the most that any may.
    assert!(matches!(
        with_constructor_probes(&long_constructor(65_535 - 7), &probe(0, Track::Live)),
        Ok(Outcome::Rewritten(_))
    ));
    assert_eq!(
        limit(&long_constructor(65_535 - 6)).to_string(),
        "<init>()V: the code would have 65536 bytes; a method may have 65535"
    );
}

#[test]
fn a_pool_may_grow_to_65535_entries_and_no_further() {
    // The bridge and its method, with their names.
    assert!(matches!(
        with_constructor_probes(&with_pool(65_535 - 6), &probe(0, Track::Live)),
        Ok(Outcome::Rewritten(_))
    ));
    assert_eq!(limit(&with_pool(65_535 - 5)).to_string(), "<init>()V: the constant pool is full (65535 entries)");
}
