//! Probes of work: the JVM's verdict, the calls that arrive, and what refusals, cancels and retries do.

use std::collections::BTreeMap;

use weighbridge_bytecode::read::op;
use weighbridge_probes::work::{Role, Roles};
use weighbridge_tests::assembler::{Assembler, Code};
use weighbridge_tests::classes::{Classes, compiled};
use weighbridge_tests::jdks;
use weighbridge_tests::running::{Program, link};

use crate::support::worked::{bridge, with_work, worked};

fn all_linked(results: &BTreeMap<String, String>) -> bool {
    results.values().all(|result| result == "linked")
}

#[test]
fn a_program_runs_the_same_while_no_receiver_is_set() {
    let (plain, program) = (Program::new(&compiled("work")), Program::new(&worked().0));
    for jdk in jdks() {
        let results = link(jdk, &worked().0);
        assert!(all_linked(&results), "Java {}: {results:#?}", jdk.version);
        let (before, after) = (plain.run(jdk, "Plain"), program.run(jdk, "Plain"));
        // The bridge has asked for a runtime; nothing else arrived.
        assert_eq!(after.strip_prefix(&before), Some("link contract 5, table  x1\n"), "Java {}", jdk.version);
    }
}

#[test]
fn calls_are_balanced_refused_cancelled_and_run_again() {
    let program = Program::new(&worked().0);
    for jdk in jdks() {
        let output = program.run(jdk, "Work");
        insta::allow_duplicates! { insta::assert_snapshot!("work_calls", output); }
    }
}

/// `static long work(long, int)`, with probes of all roles, which fails twice; what its call gives on all JVMs.
fn made(major: u16, code: impl FnOnce(&mut Assembler, [u8; 3]) -> Code) -> String {
    let mut class = Assembler::new("Made", "java/lang/Object");
    class.major = major;
    let next = class.invoke(op::INVOKESTATIC, "Crafted", "next", "(I)I");
    let code = code(&mut class, next);
    let bytes = class.method(9, "work", "(JI)J", code).build();
    let role = Role::new(0);
    let roles = Roles { permit: role, admit: None, retry: role, checkpoint: true };
    let (after, refused) = with_work(&bytes, |_| roles);
    assert!(refused.is_empty(), "{refused:?}");
    let mut classes = compiled("work");
    classes.insert("Made".to_owned(), bytes);
    for jdk in jdks() {
        assert!(all_linked(&link(jdk, &classes)), "the original, Java {}", jdk.version);
    }
    classes.insert("Made".to_owned(), after);
    classes.extend([bridge()]);
    let program = Program::new(&classes);
    let mut said: Vec<String> = jdks().iter().map(|jdk| program.run(jdk, "Crafted")).collect();
    said.dedup();
    assert_eq!(said.len(), 1, "{said:#?}");
    said.remove(0).lines().filter(|line| line.starts_with("made")).collect()
}

/// The result is `2^33 + 5`: the arguments are those of the call.
const RUNS_AGAIN: &str = "made: 8589934597 [enter 1,0,1, again, again, leave] passed ";

/// `lload_0; iload_2; i2l; ladd; lreturn`.
const SUM: [u8; 5] = [op::LLOAD_0, op::ILOAD_0 + 2, 0x85, 0x61, 0xAD];

/// `iconst_0; istore_3`, at 0, then from 2: `iinc 3 by 1; iload_3; invokestatic next`, up to 9.
fn loop_head(next: [u8; 3]) -> Vec<u8> {
    [&[op::ICONST_0, op::ISTORE_0 + 3, op::IINC, 3, 1, op::ILOAD_0 + 3][..], &next].concat()
}

/// A frame with the parameters and the counter at `delta`.
fn frames(first_delta: u16, others: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let [high, low] = first_delta.to_be_bytes();
    let count = 1 + others.len() as u16;
    vec![("StackMapTable", [&count.to_be_bytes()[..], &[252, high, low, 1], others].concat())]
}

#[test]
fn a_loop_to_the_first_instruction_has_its_frame_once() {
    let said = made(52, |_, next| {
        // 0: iload_2; 1: next; 4: ifgt 0 (it is never, for 5 is more than 3); 7: the sum
        let code = [&[op::ILOAD_0 + 2][..], &next, &[op::IFEQ + 4, 255, 252], &SUM].concat();
        let tables = vec![("StackMapTable", vec![0, 1, 0])];
        Code { max_stack: 4, max_locals: 3, code, tables, ..Code::default() }
    });
    assert_eq!(said, format!("{RUNS_AGAIN}3 open 0"));
}

#[test]
fn a_switch_and_a_wide_jump_poll_where_they_can_jump_back() {
    let switch = made(52, |_, next| {
        // 9: lookupswitch, at 10 padded to 12: default 36, {1: 2, 2: 2}; 36: the sum
        let operands = [27i32, 2, 1, -7, 2, -7].map(i32::to_be_bytes).concat();
        let code = [&loop_head(next)[..], &[op::LOOKUPSWITCH, 0, 0], &operands, &SUM].concat();
        Code { max_stack: 4, max_locals: 4, code, tables: frames(2, &[33]), ..Code::default() }
    });
    // Three entries, two of which fail, and three rounds.
    assert_eq!(switch, format!("{RUNS_AGAIN}6 open 0"));
    let wide = made(52, |_, next| {
        // 9: ifeq 17; 12: goto_w 2; 17: the sum
        let back = [&[op::GOTO_W][..], &(-10i32).to_be_bytes()].concat();
        let code = [&loop_head(next)[..], &[op::IFEQ, 0, 8], &back, &SUM].concat();
        Code { max_stack: 4, max_locals: 4, code, tables: frames(2, &[14]), ..Code::default() }
    });
    assert_eq!(wide, format!("{RUNS_AGAIN}5 open 0"));
}

#[test]
fn classes_without_frames_run_again() {
    // Of 50 the older verifier takes what has no frames.
    for major in [46, 48, 49, 50] {
        let said = made(major, |_, next| {
            // 9: ifgt 2; 12: the sum
            let code = [&loop_head(next)[..], &[op::IFEQ + 4, 255, 249], &SUM].concat();
            Code { max_stack: 4, max_locals: 4, code, ..Code::default() }
        });
        assert_eq!(said, format!("{RUNS_AGAIN}6 open 0"), "version {major}");
    }
}

#[test]
fn a_subroutine_runs_again() {
    let said = made(48, |_, next| {
        // 9: ifgt 2; 12: jsr 20; 15: the sum; 20: astore 4; ret 4
        let tail = [&[op::JSR, 0, 8][..], &SUM, &[op::ASTORE, 4, op::RET, 4]].concat();
        let code = [&loop_head(next)[..], &[op::IFEQ + 4, 255, 249], &tail].concat();
        Code { max_stack: 4, max_locals: 5, code, ..Code::default() }
    });
    assert_eq!(said, format!("{RUNS_AGAIN}6 open 0"));
}

#[test]
fn a_jump_back_over_32_kilobytes_is_widened_and_runs_again() {
    let said = made(52, |_, next| {
        // 9: nops to 32,767; then ifgt 2, which just reaches.
        let mut code = loop_head(next);
        code.resize(32_767, op::NOP);
        let back = (2i32 - 32_767) as i16;
        code.extend([&[op::IFEQ + 4][..], &back.to_be_bytes(), &SUM].concat());
        Code { max_stack: 4, max_locals: 4, code, tables: frames(2, &[]), ..Code::default() }
    });
    assert_eq!(said, format!("{RUNS_AGAIN}6 open 0"));
}

#[test]
fn a_frame_that_drops_an_argument_leaves_the_method_without_retry() {
    let mut class = Assembler::new("Made", "java/lang/Object");
    // goto 3; lconst_0; lreturn, where the frame has the long alone.
    let code = vec![op::GOTO, 0, 3, 0x09, 0xAD];
    let tables = vec![("StackMapTable", vec![0, 1, 250, 0, 3])];
    class.method(9, "work", "(JI)J", Code { max_stack: 2, max_locals: 3, code, tables, ..Code::default() });
    let roles = Roles { permit: Role::new(0), retry: Role::new(0), ..Roles::default() };
    let (after, refused) = with_work(&class.build(), |_| roles);
    assert_eq!(refused.len(), 1);
    let classes = Classes::from([("Made".to_owned(), after), bridge()]);
    for jdk in jdks() {
        assert!(all_linked(&link(jdk, &classes)), "Java {}", jdk.version);
    }
}
