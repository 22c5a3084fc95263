//! Probes of work: the printed change, and what gets none.

mod support;

use support::worked::{METHODS, with_work, worked};
use weighbridge_bytecode::read::{ClassFile, PoolOffsets, op, print};
use weighbridge_probes::work::{Role, Roles, WorkProbe, Works};
use weighbridge_probes::{Outcome, SkipReason};
use weighbridge_tests::assembler::{Assembler, Code};
use weighbridge_tests::classes::{BRIDGE, compiled};

fn printed(class: &[u8], names: &[&str]) -> String {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(class, &mut memory).unwrap();
    let methods = class.methods().unwrap().map(Result::unwrap);
    let wanted = |name: &[u8]| names.iter().any(|wanted| wanted.as_bytes() == name);
    methods.filter(|m| wanted(m.name().unwrap())).map(|m| print::method(&class, &m).unwrap()).collect()
}

#[test]
fn a_call_is_reported_polls_and_can_run_again() {
    let (classes, _) = worked();
    let names = ["wide", "nested", "block", "described", "counted"];
    let text = printed(&classes["Worker"], &names) + &printed(&classes["Task"], &names);
    insta::assert_snapshot!("work_code", text);
}

#[test]
fn each_role_alone_has_only_its_code() {
    let class = &compiled("work")["Worker"];
    let (permit, retry) = (Role::new(0), Role::new(1));
    let alone = |roles: Roles| {
        let of = |name: &[u8]| if name == b"switches" { roles } else { Roles::default() };
        printed(&with_work(class, of).0, &["switches"])
    };
    let text = [
        ("permit", alone(Roles { permit, ..Roles::default() })),
        ("retry", alone(Roles { retry, ..Roles::default() })),
        ("checkpoint", alone(Roles { checkpoint: true, ..Roles::default() })),
    ];
    insta::assert_snapshot!("work_roles", text.map(|(role, code)| format!("{role}\n{code}")).join("\n"));
}

#[test]
fn constructors_and_static_initialisers_keep_their_code() {
    let before = &compiled("work")["Worker"];
    let after = with_work(before, |_| Roles { checkpoint: true, ..Roles::default() }).0;
    let names = ["<init>", "<clinit>"];
    assert_eq!(printed(before, &names), printed(&after, &names));
}

#[test]
fn methods_without_code_and_those_that_lose_their_arguments_are_named() {
    let (_, refused) = worked();
    let sentences: Vec<String> = refused.iter().map(|refusal| refusal.to_string()).collect();
    let expected =
        ["missing: a native method has no code", "changes: it cannot run again, because its arguments are not kept"];
    assert_eq!(sentences, expected);
}

#[test]
fn without_a_role_a_class_stays_as_it_is() {
    let classes = compiled("work");
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(&classes["Plain"], &mut memory).unwrap();
    let probe = WorkProbe { bridge: BRIDGE, roles: |name: &[u8]| panic_unless_known(name) };
    let outcome = Works::default().rewrite(&class, &probe).unwrap();
    assert!(matches!(outcome, Outcome::Skipped(SkipReason::NoSite)), "{outcome:?}");
}

fn panic_unless_known(name: &[u8]) -> Roles {
    assert!(!name.starts_with(b"<") && !METHODS.iter().any(|method| method.as_bytes() == name));
    Roles::default()
}

#[test]
fn code_without_the_frames_that_it_needs_gets_none() {
    let mut class = Assembler::new("Made", "java/lang/Object");
    // 0: iload_0; 1: ifgt 0; 4: return, as HotSpot gives a class of the boot loader that it did not verify.
    let code = vec![op::ILOAD_0, op::IFEQ + 4, 255, 255, op::RETURN];
    class.method(9, "loops", "(I)V", Code { max_stack: 1, max_locals: 1, code, ..Code::default() });
    class.method(9, "ends", "()V", Code { code: vec![op::RETURN], ..Code::default() });
    let role = Role::new(0);
    let roles = Roles { permit: role, admit: None, retry: role, checkpoint: true };
    let after = with_work(&class.build(), |_| roles).0;
    assert!(!printed(&after, &["loops"]).contains("// frame"));
    assert!(printed(&after, &["ends"]).contains("// frame"));
}
