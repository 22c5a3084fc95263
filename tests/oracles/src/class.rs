//! Class files: reading, patching nothing, and rewriting.

use weighbridge_bytecode::patch::{ClassPatch, Insertion, OldPc, Position, Sequence, Workspace};
use weighbridge_bytecode::read::{ClassFile, PoolOffsets, op, print};
use weighbridge_bytecode::{BytecodeErrorKind, Result};
use weighbridge_probes::constructor::{Clones, ConstructorProbe, Constructors, MAX_ID, Objects, Track};
use weighbridge_probes::every_kind::{Engines, ProbeKind, ProbeVisitor};
use weighbridge_probes::method::{MethodProbe, Methods};
use weighbridge_probes::{Engine, Outcome, ProbeStrategy};

const BRIDGE: &str = "Weighbridge$0123456789abcdef";

/// Any bytes, and every part of a class, are read or give an error with an offset inside the bytes.
pub fn reading(bytes: &[u8]) {
    if let Err(error) = read(bytes) {
        assert_ne!(error.kind(), BytecodeErrorKind::Internal, "{error}");
        assert!(error.offset().is_none_or(|offset| offset <= bytes.len() as u64), "{error} of {}", bytes.len());
        assert!(!error.to_string().contains('\n'), "more than one line: {error}");
    }
}

fn read(bytes: &[u8]) -> Result<()> {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(bytes, &mut memory)?;
    class.interfaces().try_for_each(|name| name.map(drop))?;
    class.annotations()?.for_each(drop);
    print::class(&class).map(drop)
}

/// A patch that inserts nothing gives the same bytes.
pub fn identity(bytes: &[u8]) {
    let mut memory = PoolOffsets::default();
    let mut workspace = Workspace::default();
    if let Ok(class) = ClassFile::read(bytes, &mut memory) {
        assert!(ClassPatch::new(&class, &mut workspace).finish() == bytes, "a patch without insertions changed bytes");
    }
}

/// Rewriting gives a class, a reason or an error, and a sound class stays sound.
pub fn rewriting(bytes: &[u8]) {
    let mut memory = PoolOffsets::default();
    let Ok(class) = ClassFile::read(bytes, &mut memory) else { return };
    let sound = is_sound(bytes);
    let mut written = Written { class: &class, bytes, sound };
    for track in [Track::Live, Track::Count] {
        for objects in [Objects::All, Objects::Own, Objects::Copies] {
            let probe = ConstructorProbe { bridge: BRIDGE, id: MAX_ID, track, objects, clones: Clones::All };
            written.visit(&mut Constructors::default(), &probe);
        }
    }
    let arguments = MethodProbe { bridge: BRIDGE, first_id: 0, wanted: |_: &[u8]| true, arguments: true };
    written.visit(&mut Methods::default(), &arguments);
    let mut engines = Engines::default();
    for kind in ProbeKind::ALL.iter().copied() {
        engines.visit(kind, BRIDGE, 100_000, &mut written);
    }
    for reach in [i16::MAX, 0] {
        if let Ok(patched) = everywhere(&class, reach) {
            assert!(!sound || is_sound(&patched), "a sound class was patched into an unsound one, reach {reach}");
        }
    }
}

/// A class that is accepted can be written, and a sound class stays sound.
struct Written<'c> {
    class: &'c ClassFile<'c>,
    bytes: &'c [u8],
    sound: bool,
}

impl ProbeVisitor for Written<'_> {
    type Answer = ();

    fn visit<K: ProbeStrategy>(&mut self, engine: &mut Engine<K::Call, K::Memory>, probe: &K) {
        let Written { class, bytes, sound } = *self;
        let decided = matches!(engine.decide(class, probe), Ok(Ok(_)));
        match engine.rewrite(class, probe) {
            Ok(Outcome::Rewritten(rewritten)) => {
                assert!(decided, "a class was refused and then rewritten");
                assert!(rewritten.bytes.len() > bytes.len(), "a rewritten class is not longer");
                assert!(read(&rewritten.bytes).is_ok() || read(bytes).is_err(), "a rewritten class cannot be read");
                assert!(!sound || is_sound(&rewritten.bytes), "a sound class was rewritten into an unsound one");
            }
            Ok(Outcome::Skipped(_)) => assert!(!decided, "a class was accepted and then refused"),
            Err(error) => {
                assert_ne!(error.kind(), BytecodeErrorKind::Internal, "{error}");
                assert!(
                    !decided || error.kind() != BytecodeErrorKind::Limit,
                    "a class was accepted and has no room: {error}"
                );
            }
        }
    }
}

/// Accepted by both readers: ours, and the structural verifier of `ristretto_classfile`.
fn is_sound(bytes: &[u8]) -> bool {
    let other = || ristretto_classfile::ClassFile::from_slice(bytes).is_ok_and(|class| class.verify().is_ok());
    read(bytes).is_ok() && other()
}

/// The class with code inserted before and after each instruction; jumps of more than `reach` bytes are widened.
///
/// # Errors
/// As [`ClassPatch::insert`].
pub fn everywhere(class: &ClassFile<'_>, reach: i16) -> Result<Vec<u8>> {
    let mut workspace = Workspace::with_reach(reach);
    let mut patch = ClassPatch::new(class, &mut workspace);
    let mut sequence = Sequence::new();
    let over = sequence.int(1, &mut patch.pool)?.jump(op::IFEQ, 1);
    sequence.null().raw(&[op::POP], 1, 0).land(over);
    for method in class.methods()? {
        let method = method?;
        let Some(code) = method.code()? else { continue };
        let positions = code.instructions().map_while(Result::ok).flat_map(|instruction| {
            let after = (!instruction.ends_flow()).then_some(Position::After);
            let positions = [Some(Position::Before), after].into_iter().flatten();
            positions.map(move |position| (OldPc(instruction.pc), position))
        });
        let insertions: Vec<_> =
            positions.map(|(at, position)| Insertion { at, position, sequence: &sequence }).collect();
        patch.insert(&method, &code, &insertions).inspect_err(|error| {
            assert!(
                matches!(
                    error.kind(),
                    BytecodeErrorKind::ClassFormat | BytecodeErrorKind::Limit | BytecodeErrorKind::Internal
                ),
                "{error}"
            );
        })?;
    }
    Ok(patch.finish())
}
