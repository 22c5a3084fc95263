//! The oracles of the corpus run find damage; the output of each kind is damaged in another way.

use std::fs;
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, PoolOffsets};
use weighbridge_probes::every_kind::ProbeKind;
use xtask::corpus::fetch::Cache;
use xtask::corpus::harness::{Harness, Variant};
use xtask::corpus::kind::{self, ClassChange, Engine};
use xtask::corpus::read::write_jar;

/// The class to rewrite, which has handlers, frames, local variables, arrays and fields.
const CLASS: &str = "Compare.class";

/// The byte of a method that is incremented to damage the output of a kind.
fn damage(kind: ProbeKind, code: &CodeAttribute<'_>) -> Option<usize> {
    let table = |name: &[u8]| Some(code.attribute(name).expect("sound attributes")?.position());
    match kind {
        // line_number of the first entry, which follows the count and start_pc.
        ProbeKind::Live => Some(table(b"LineNumberTable")? + 5),
        // length of the first local variable, which follows the count and start_pc.
        ProbeKind::Count => Some(table(b"LocalVariableTable")? + 5),
        // The low byte of max_locals, after the attribute's name and length and max_stack.
        ProbeKind::Method => Some(code.offset + 9),
        // end_pc of the first handler, after the count and start_pc.
        ProbeKind::Coverage => (code.handlers().len() > 0).then_some(code.code_offset + code.code.len() + 5),
        // The first frame's type, after the count; of a same_frame it is one later.
        ProbeKind::Usage => table(b"StackMapTable").map(|at| at + 2),
        ProbeKind::Entry | ProbeKind::Work | ProbeKind::Events => panic!("{kind:?} is not compared"),
    }
}

#[test]
fn a_damaged_line_variable_max_locals_handler_or_frame_is_found() {
    let cache = Cache::open(&weighbridge_jdk::to_build_with()).expect("a cache");
    let harness = Harness::compile(&cache).expect("the Java side");
    let bytes = fs::read(harness.classes().join(CLASS)).expect("a compiled class");
    let work = cache.folder.join(format!("damaged-{}", std::process::id()));
    let jar = |folder: &str, bytes: &[u8]| {
        write_jar(work.join(folder).join("a.jar"), std::iter::once((CLASS, bytes))).expect("a jar")
    };
    let variant =
        |name: &str, folder: &str, bytes: &[u8]| Variant { name: name.to_owned(), jars: vec![jar(folder, bytes)] };
    let original = variant("original", "original", &bytes);
    let mut variants = Vec::new();
    let kinds = || ProbeKind::ALL.iter().copied().filter(|kind| kind::has_known_positions(*kind));
    for kind in kinds() {
        let change = Engine::default().rewrite(kind, &bytes, 7).expect("a rewritable class");
        let ClassChange::Rewritten(mut rewritten, _) = change else { panic!("{kind:?}: {change:?}") };
        let at = {
            let mut memory = PoolOffsets::default();
            let class = ClassFile::read(&rewritten, &mut memory).expect("a class");
            let codes = class.methods().expect("methods").filter_map(|m| m.expect("a method").code().expect("code"));
            // The last method that can be damaged: constructors come first, and may be too small.
            codes.filter_map(|code| damage(kind, &code)).last().expect("something to damage")
        };
        rewritten[at] = rewritten[at].wrapping_add(1);
        variants.push(variant(kind::name(kind), &kind::folder(kind), &rewritten));
    }
    let (texts, unread) = harness.compare(&original, &variants, &work).expect("a comparison");
    assert!(unread.is_empty(), "{unread:?}");
    for kind in kinds() {
        let differences = &texts[kind::name(kind)].differences;
        assert_eq!(differences.len(), 1, "{kind:?}: {differences:?}");
        assert!(differences[0].starts_with("Compare.class: "), "{differences:?}");
    }
    assert!(texts[kind::name(ProbeKind::Live)].differences[0].contains("LINENUMBER"), "{texts:?}");
    assert!(texts[kind::name(ProbeKind::Method)].differences[0].contains("max_locals"), "{texts:?}");

    let path = cache.tool("asm").expect("ASM");
    let all: Vec<Variant> = std::iter::once(original).chain(variants).collect();
    let linked = harness.link(&all, &path, &work).expect("linking");
    fs::remove_dir_all(&work).expect("the work folder");
    assert_eq!(linked["original"].linked, 1, "{linked:?}");
    let lost = &linked[kind::name(ProbeKind::Usage)].lost;
    assert!(lost.len() == 1 && lost[0].contains("-> VerifyError"), "a frame at the wrong pc: {lost:?}");
}
