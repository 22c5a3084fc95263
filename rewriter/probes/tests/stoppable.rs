//! Where a thread may be stopped: by the comments at the lines of a program that `javac` has compiled.

use std::collections::BTreeMap;
use std::fs;

use weighbridge_bytecode::read::{ClassFile, CodeAttribute, Instruction, PoolOffsets, op};
use weighbridge_probes::stoppable::{is_allocation_or_loop, is_in_cleanup};
use weighbridge_tests::classes::compiled;
use weighbridge_tests::root;

/// The line of each pc that begins one (JVMS §4.7.12).
fn lines(code: &CodeAttribute<'_>) -> BTreeMap<u32, usize> {
    let mut lines = BTreeMap::new();
    for attribute in code.attributes.clone() {
        let attribute = attribute.expect("an attribute");
        if attribute.is_named(b"LineNumberTable").expect("a name") {
            let mut info = attribute.info;
            for _ in 0..info.u2().expect("a length") {
                lines.insert(u32::from(info.u2().expect("a pc")), usize::from(info.u2().expect("a line")));
            }
        }
    }
    lines
}

#[test]
fn lines_are_what_their_comments_say() {
    let source = fs::read_to_string(root().join("tests/java/cleanup/Cleanup.java")).expect("the source");
    let comment = |line: usize| source.lines().nth(line - 1).and_then(|text| text.split_once("// ")).map(|(_, c)| c);
    let classes = compiled("cleanup");
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(&classes["Cleanup"], &mut memory).expect("a class");
    let mut met: BTreeMap<&str, usize> = BTreeMap::new();
    for method in class.methods().expect("methods") {
        let method = method.expect("a method");
        let Some(code) = method.code().expect("code") else { continue };
        let lines = lines(&code);
        let bytes = code.code;
        for instruction in code.instructions() {
            let instruction: Instruction<'_> = instruction.expect("an instruction");
            let Some((_, &line)) = lines.range(..=instruction.pc).next_back() else { continue };
            let (stop, cleanup) = (is_allocation_or_loop(bytes, instruction.pc), is_in_cleanup(bytes, instruction.pc));
            match comment(line) {
                Some("cleanup") => assert!(cleanup, "line {line}, pc {}", instruction.pc),
                Some("stop") => assert!(!cleanup, "line {line}, pc {}", instruction.pc),
                _ => assert!(!stop || cleanup, "line {line}, pc {}", instruction.pc),
            }
            if let Some(comment) = comment(line).filter(|_| stop) {
                *met.entry(comment).or_default() += 1;
            }
        }
    }
    assert_eq!(met.len(), 2, "{met:?}");
    // The allocation in the `finally` block is there three times: for each return, and for exceptions.
    assert!(met["cleanup"] >= 7 && met["stop"] >= 6, "{met:?}");
}

#[test]
fn any_bytes_are_a_stopping_point_or_none_and_nothing_panics() {
    let mut state = 0x1234_5678_9abc_def0_u64;
    for _ in 0..10_000 {
        let mut code = Vec::new();
        for _ in 0..24 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            code.push((state >> 40) as u8);
        }
        for pc in 0..30 {
            let _ = (is_allocation_or_loop(&code, pc), is_in_cleanup(&code, pc));
        }
    }
    assert!(is_allocation_or_loop(&[op::NEW, 0, 1], 0));
    assert!(!is_allocation_or_loop(&[op::GOTO, 0, 3, op::RETURN], 0), "forwards");
}
