//! Whole libraries: with every kind of insertion, the same classes link as before.

use std::fs::File;
use std::io::Read;
use weighbridge_bytecode::Result;
use weighbridge_bytecode::patch::{ClassPatch, Insertion, OldPc, Position, Sequence, Workspace};
use weighbridge_bytecode::read::{ClassFile, Instruction, Member, PoolOffsets, op};
use weighbridge_probes::constructor::{Constructors, Outcome, Track};
use weighbridge_probes::coverage::{Coverage, CoverageProbe};
use weighbridge_probes::entry::{Entries, EntryProbe, OpenedEntry};
use weighbridge_probes::events::{EventProbe, Events};
use weighbridge_probes::method::{MethodProbe, Methods};
use weighbridge_probes::usage::{UsageProbe, Usages};
use weighbridge_probes::work::{Role, Roles, WorkProbe, Works};
use weighbridge_probes::{Engine, Links, ProbeStrategy, bridge_class};
use weighbridge_tests::classes::{BRIDGE, Classes, probe};
use weighbridge_tests::running::link;

use crate::support::numbers::Counted;
use weighbridge_tests::{jar, jdks};

fn classes_of(artifact: &str) -> Classes {
    let mut zip = zip::ZipArchive::new(File::open(jar(artifact)).unwrap()).unwrap();
    let mut classes = Classes::new();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).unwrap();
        let entry_name = entry.name().unwrap().into_owned();
        let name = entry_name.strip_suffix(".class").filter(|n| !n.starts_with("META-INF/") && *n != "module-info");
        if let Some(name) = name {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            classes.insert(name.to_owned(), bytes);
        }
    }
    assert!(classes.len() > 500, "{artifact} has {} classes", classes.len());
    classes
}

type Choose = fn(&Member<'_>, &Instruction<'_>) -> Option<Position>;

fn entry_and_exit(_: &Member<'_>, i: &Instruction<'_>) -> Option<Position> {
    match (i.pc, i.opcode()) {
        (0, _) => Some(Position::Entry),
        (_, op::ATHROW | op::IRETURN..=op::RETURN) => Some(Position::Before),
        _ => None,
    }
}

fn after_allocations(_: &Member<'_>, i: &Instruction<'_>) -> Option<Position> {
    matches!(i.opcode(), op::NEW | op::NEWARRAY | op::ANEWARRAY | op::MULTIANEWARRAY).then_some(Position::After)
}

fn before_field_accesses(_: &Member<'_>, i: &Instruction<'_>) -> Option<Position> {
    matches!(i.opcode(), op::GETSTATIC..=op::PUTFIELD).then_some(Position::Before)
}

fn everywhere(_: &Member<'_>, i: &Instruction<'_>) -> Option<Position> {
    match (i.pc % 3, i.ends_flow()) {
        (0, _) | (_, true) => Some(Position::Before),
        (1, _) => Some(Position::After),
        _ => (i.pc == 0).then_some(Position::Entry),
    }
}

/// Inserts a call that needs two stack slots, and a jump over the rest.
fn insert(bytes: &[u8], reach: i16, choose: Choose) -> Result<Vec<u8>> {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(bytes, &mut memory)?;
    let mut workspace = Workspace::with_reach(reach);
    let mut patch = ClassPatch::new(&class, &mut workspace);
    let max = patch.pool.method_ref(b"java/lang/Math", b"max", b"(II)I")?;
    let mut sequence = Sequence::new();
    sequence.int(1_000_000, &mut patch.pool)?.int(-7, &mut patch.pool)?;
    sequence.invoke(op::INVOKESTATIC, max, 2, 1);
    let jump = sequence.jump(op::IFEQ, 1);
    sequence.null().raw(&[op::POP], 1, 0).land(jump);
    for method in class.methods()? {
        let method = method?;
        let Some(code) = method.code()? else { continue };
        let mut insertions = Vec::new();
        for instruction in code.instructions() {
            let instruction = instruction?;
            if let Some(position) = choose(&method, &instruction) {
                insertions.push(Insertion { at: OldPc(instruction.pc), position, sequence: &sequence });
            }
        }
        if !insertions.is_empty() {
            patch.insert(&method, &code, &insertions)?;
        }
    }
    Ok(patch.finish())
}

fn constructors(bytes: &[u8], track: Track, instrumenter: &mut Constructors) -> Option<Vec<u8>> {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(bytes, &mut memory).unwrap();
    match instrumenter.rewrite(&class, &probe(40_000, track)).unwrap() {
        Outcome::Rewritten(rewritten) => Some(rewritten.bytes),
        Outcome::Skipped(_) => None,
    }
}

/// Changes every class by `change`; the newest JVM must link the same classes.
fn links_the_same(classes: &Classes, kind: &str, mut change: impl FnMut(&[u8]) -> Option<Vec<u8>>) {
    let jdk = jdks().last().unwrap();
    let before = link(jdk, classes);
    let mut changed = classes.clone();
    let mut count = 0;
    for bytes in changed.values_mut() {
        if let Some(new) = change(bytes) {
            *bytes = new;
            count += 1;
        }
    }
    assert!(count > classes.len() / 2, "{kind}: {count} of {}", classes.len());
    let bridge = bridge_class(weighbridge_runtime::BRIDGE_TEMPLATE, BRIDGE, "", Links::Once).unwrap();
    changed.insert(BRIDGE.to_owned(), bridge);
    let mut after = link(jdk, &changed);
    assert_eq!(after.remove(BRIDGE).as_deref(), Some("linked"));
    let differences: Vec<_> = before.iter().zip(&after).filter(|(before, after)| before != after).take(5).collect();
    assert!(differences.is_empty() && before.len() == after.len(), "{kind}: {differences:#?}");
    assert!(before.values().filter(|result| *result == "linked").count() > classes.len() / 2);
}

/// The classes of some libraries link the same with the probes of a kind.
fn link_with<K: ProbeStrategy>(engine: &mut Engine<K::Call, K::Memory>, kind: &K) {
    let mut memory = PoolOffsets::default();
    for artifact in ["guava", "h2", "scala-library"] {
        links_the_same(&classes_of(artifact), artifact, |bytes| {
            match engine.rewrite(&ClassFile::read(bytes, &mut memory).unwrap(), kind).unwrap() {
                weighbridge_probes::Outcome::Rewritten(rewritten) => Some(rewritten.bytes),
                weighbridge_probes::Outcome::Skipped(_) => None,
            }
        });
    }
}

#[test]
fn all_constructors_of_guava_and_h2_and_scala_link_as_before() {
    let mut instrumenter = Constructors::default();
    for artifact in ["guava", "h2", "scala-library"] {
        let classes = classes_of(artifact);
        for track in [Track::Live, Track::Count] {
            links_the_same(&classes, artifact, |bytes| constructors(bytes, track, &mut instrumenter));
        }
    }
}

#[test]
fn all_methods_of_guava_and_h2_and_scala_link_with_handlers_and_a_local_variable_more() {
    let mut methods = Methods::default();
    for arguments in [false, true] {
        let wanted = |_: &[u8]| true;
        link_with(&mut methods, &MethodProbe { bridge: BRIDGE, first_id: 40_000, wanted, arguments });
    }
}

#[test]
fn all_lines_of_guava_and_h2_and_scala_link_with_probes() {
    link_with(&mut Coverage::default(), &CoverageProbe { bridge: BRIDGE, first_id: 40_000 });
}

#[test]
fn all_objects_of_guava_and_h2_and_scala_link_that_tell_their_use() {
    link_with(&mut Usages::default(), &UsageProbe { bridge: BRIDGE, id: 40_000, wanted: |_: &[u8]| true });
}

#[test]
fn all_methods_of_guava_and_h2_and_scala_link_that_open_scopes() {
    let mut entries = Entries::default();
    for argument in [None, Some(0), Some(1)] {
        let entry = |_: &[u8]| Some(OpenedEntry { id: 40_000, argument });
        link_with(&mut entries, &EntryProbe { bridge: BRIDGE, made: Some(40_001), entry });
    }
}

#[test]
fn all_of_guava_and_h2_and_scala_links_when_it_tells_every_event() {
    let numbers = Counted::from(40_000);
    link_with(&mut Events::default(), &EventProbe { bridge: BRIDGE, numbers: &numbers });
    let (methods, left) = (numbers.methods.get(), numbers.left.borrow());
    assert!(left.len() * 5_000 < methods as usize, "{} of {methods} methods: {left:#?}", left.len());
}

#[test]
fn all_methods_of_guava_and_h2_and_scala_link_as_work_that_polls_and_runs_again() {
    let mut works = Works::default();
    let mut memory = PoolOffsets::default();
    let role = Role::new(999);
    let roles = |_: &[u8]| Roles { permit: role, admit: role, retry: role, checkpoint: true };
    for artifact in ["guava", "h2", "scala-library"] {
        let (mut again, mut refused) = (0, 0);
        links_the_same(&classes_of(artifact), artifact, |bytes| {
            let class = ClassFile::read(bytes, &mut memory).unwrap();
            let outcome = works.rewrite(&class, &WorkProbe { bridge: BRIDGE, roles }).unwrap();
            refused += works.memory().refused.len();
            match outcome {
                weighbridge_probes::Outcome::Rewritten(rewritten) => {
                    again += rewritten.handlers;
                    Some(rewritten.bytes)
                }
                weighbridge_probes::Outcome::Skipped(_) => None,
            }
        });
        assert!(again > 20 * refused, "{artifact}: {again} handlers, {refused} methods that cannot run again");
    }
}

#[test]
fn any_insertion_into_guava_and_h2_links_as_before() {
    for artifact in ["guava", "h2"] {
        let classes = classes_of(artifact);
        let kinds: [(&str, i16, Choose); 6] = [
            ("everywhere", i16::MAX, everywhere),
            ("entry and exit", i16::MAX, entry_and_exit),
            ("allocations", i16::MAX, after_allocations),
            ("field accesses", i16::MAX, before_field_accesses),
            ("some jumps widened", 64, before_field_accesses),
            ("all jumps widened", 0, entry_and_exit),
        ];
        for (kind, reach, choose) in kinds {
            links_the_same(&classes, kind, |bytes| Some(insert(bytes, reach, choose).unwrap()));
        }
    }
}

#[test]
fn a_patch_without_insertions_is_the_original_for_every_class() {
    let mut workspace = Workspace::default();
    let mut memory = PoolOffsets::default();
    for artifact in ["bcprov-jdk18on", "lucene-core"] {
        for (name, bytes) in classes_of(artifact) {
            let class = ClassFile::read(&bytes, &mut memory).unwrap();
            assert!(ClassPatch::new(&class, &mut workspace).finish() == bytes, "{name}");
        }
    }
}
