//! Moves stack map frames: new deltas, frame types for these, and new pcs in `Uninitialized`. Frames that an edit needs in
//! addition are inferred ([`TypeState`]).

use super::changes::MethodContext;
use super::edit::CodeEdit;
use super::layout::append_u2;
use super::type_state::TypeState;
use super::{NewPc, OldPc, Position};
use crate::read::{ClassCursor, CpIndex, StackMapFrame, StackMapFrameKind, StackMapFrames, VerificationType};
use crate::{BytecodeErrorKind, Error, Result};

/// Writes a `StackMapTable`'s info.
///
/// Frames keep their kinds and get new deltas. If the edit needs additional frames, all are written anew.
pub(super) fn write_table(
    edit: &CodeEdit,
    method: &mut MethodContext<'_, '_>,
    info: ClassCursor<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    if edit.has_widened_if() || needs_frames(method) {
        return write_all(edit, method, Some(StackMapFrames::new(info)?), out);
    }
    let frames = StackMapFrames::new(info)?;
    append_u2(out, frames.remaining().into());
    let mut previous = None;
    for frame in frames {
        let frame = frame?;
        let pc = edit.layout.limit(OldPc(frame.pc));
        let delta = offset_delta(previous, pc)?;
        previous = Some(pc);
        if delta == frame.offset_delta {
            let head = if frame.bytes[0] < 128 { 1 } else { 3 };
            out.extend_from_slice(&frame.bytes[..head]);
        } else {
            write_head(frame.kind, delta, out);
        }
        write_types(edit, &frame, out)?;
    }
    Ok(())
}

/// Whether the changes need additional frames, or more types in the method's frames.
fn needs_frames(method: &MethodContext<'_, '_>) -> bool {
    let changes = method.changes;
    !changes.locals.is_empty()
        || !changes.catches.is_empty()
        || changes.insertions.iter().any(|insertion| !insertion.sequence.landings.is_empty())
}

/// Whether a method without `StackMapTable` needs one. Class files before 50.0 have none (JVMS §4.10.2).
///
/// Code with jumps or handlers that has none gets none: no verifier by type checking sees it. HotSpot forgets the tables of
/// classes that it does not verify, those of the boot loader, and gives such code to agents that retransform them.
pub(super) fn needs_new_table(method: &MethodContext<'_, '_>) -> Result<bool> {
    let code = method.code;
    if method.class.major_version < 50 || code.stack_map_table().is_some() || !needs_frames(method) {
        return Ok(false);
    }
    for instruction in code.instructions() {
        let instruction = instruction?;
        if instruction.branches() || instruction.ends_flow() && instruction.end() < code.length() {
            return Ok(false);
        }
    }
    Ok(code.handlers().len() == 0)
}

/// Writes all frames anew, with those that the edit needs; `frames` are those of the method, if it has any.
///
/// The instruction after a `goto_w` must have a frame, and a widened `if` adds one. Each jump target and each handler must
/// have one, too (JVMS §4.10.1.6). Added local variables are in all frames except those in the code that stores them.
pub(super) fn write_all(
    edit: &CodeEdit,
    method: &mut MethodContext<'_, '_>,
    frames: Option<StackMapFrames<'_>>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let (code, changes) = (method.code, method.changes);
    let entry = TypeState::at_entry(method.class, method.method, method.pool)?;
    let mut encoder = Encoder {
        edit,
        own_locals: code.max_locals,
        added: &[],
        previous_pc: None,
        previous_locals: entries(&entry.locals),
        count: 0,
    };
    let count_at = out.len();
    append_u2(out, 0);
    // The insertions with jumps, in code order.
    let mut jumping: Vec<usize> =
        (0..changes.insertions.len()).filter(|&i| !changes.insertions[i].sequence.landings.is_empty()).collect();
    jumping.sort_by_key(|&i| edit.starts[i]);
    let mut jumping = jumping.into_iter().peekable();
    let mut next_at = |pc: u32, position: Position| {
        jumping.next_if(|&i| changes.insertions[i].at.0 == pc && changes.insertions[i].position == position)
    };
    let landings = |insertion: usize| {
        let start = edit.starts[insertion].0;
        changes.insertions[insertion].sequence.landings.iter().map(move |&landing| NewPc(start + u32::from(landing)))
    };
    let mut frames = frames.into_iter().flatten();
    // The types at the last frame, and those at the current instruction.
    let (mut framed, mut state, mut is_known) = (entry.clone(), entry.clone(), true);
    while let Some(insertion) = next_at(0, Position::Entry) {
        for pc in landings(insertion) {
            encoder.write(pc, &state, out)?;
        }
    }
    encoder.added = changes.locals;
    if changes.catches.iter().any(|catch| catch.sequence.restart.is_some()) {
        encoder.write(edit.layout.limit(OldPc(0)), &entry, out)?;
    }
    let mut next_frame = || -> Result<Option<StackMapFrame<'_>>> { frames.next().transpose() };
    let mut frame = next_frame()?;
    for instruction in code.instructions() {
        let instruction = instruction?;
        let pc = instruction.pc;
        if let Some(here) = frame.as_ref().filter(|frame| frame.pc == pc) {
            framed.apply(here)?;
            state.clone_from(&framed);
            is_known = true;
            encoder.write(edit.layout.limit(OldPc(pc)), &framed, out)?;
            frame = next_frame()?;
        }
        if !is_known {
            let message = format!("the code at pc {pc} needs a frame");
            return Err(Error::class_format(message, code.code_offset + pc as usize));
        }
        while let Some(insertion) = next_at(pc, Position::Before) {
            for landing in landings(insertion) {
                encoder.write(landing, &state, out)?;
            }
        }
        state.step(&instruction, code, method.class, method.pool)?;
        is_known = !instruction.ends_flow();
        // A frame of the original at this pc is valid for all paths to it.
        let own = frame.as_ref().filter(|frame| frame.pc == instruction.end()).map(|f| edit.layout.limit(OldPc(f.pc)));
        if let Some(fall_through) = edit.widened_if(OldPc(pc))
            && own != Some(fall_through)
        {
            encoder.write(fall_through, &state, out)?;
        }
        while let Some(insertion) = next_at(pc, Position::After) {
            for landing in landings(insertion).filter(|&landing| own != Some(landing)) {
                encoder.write(landing, &state, out)?;
            }
        }
    }
    if let Some(frame) = frame {
        let message = format!("no instruction starts at the frame's pc {}", frame.pc);
        return Err(Error::class_format(message, code.code_offset));
    }
    for (catch, &start) in changes.catches.iter().zip(&edit.starts[changes.insertions.len()..]) {
        let thrown = match catch.catch_type {
            CpIndex(0) => method.pool.class(b"java/lang/Throwable")?,
            class => class,
        };
        let locals = if catch.sequence.restart.is_some() { entry.locals.clone() } else { Vec::new() };
        let caught = TypeState { locals, stack: vec![VerificationType::Object(thrown)] };
        let landings = catch.sequence.landings.iter().map(|&landing| NewPc(start.0 + u32::from(landing)));
        for pc in std::iter::once(start).chain(landings) {
            encoder.write(pc, &caught, out)?;
        }
    }
    out[count_at..count_at + 2].copy_from_slice(&encoder.count.to_be_bytes());
    Ok(())
}

/// Writes each frame in its shortest kind.
struct Encoder<'e> {
    edit: &'e CodeEdit,
    /// Slots of the local variables without the added ones.
    own_locals: u16,
    /// The local variables above these in each frame.
    added: &'e [VerificationType],
    previous_pc: Option<NewPc>,
    previous_locals: Vec<VerificationType>,
    count: u16,
}

impl Encoder<'_> {
    fn write(&mut self, pc: NewPc, state: &TypeState, out: &mut Vec<u8>) -> Result<()> {
        if self.previous_pc == Some(pc) {
            // A jump lands where another insertion starts: the types have not changed.
            return Ok(());
        }
        let delta = offset_delta(self.previous_pc, pc)?;
        let (locals, stack) = (self.locals(state), entries(&state.stack));
        let before = &self.previous_locals;
        let common = before.iter().zip(&locals).take_while(|(a, b)| a == b).count();
        let (dropped, added) = (before.len() - common, locals.len() - common);
        let kind = match (dropped, added, stack.len()) {
            (0, 0, 0) => StackMapFrameKind::Same,
            (0, 0, 1) => StackMapFrameKind::SameLocals1StackItem,
            (1..=3, 0, 0) => StackMapFrameKind::Chop(dropped as u8),
            (0, 1..=3, 0) => StackMapFrameKind::Append(added as u8),
            _ => StackMapFrameKind::Full,
        };
        write_head(kind, delta, out);
        let first = if kind == StackMapFrameKind::Full { 0 } else { common };
        for entries in [&locals[first..], &stack[..]] {
            if kind == StackMapFrameKind::Full {
                append_u2(out, entries.len() as u32);
            }
            for &entry in entries {
                write_type(self.edit, entry, out);
            }
        }
        self.previous_pc = Some(pc);
        self.previous_locals = locals;
        self.count = self.count.checked_add(1).ok_or_else(|| {
            Error::new(BytecodeErrorKind::Limit, "the code would have more than 65535 stack map frames")
        })?;
        Ok(())
    }

    /// The local variables of a state as entries, with the added ones.
    fn locals(&self, state: &TypeState) -> Vec<VerificationType> {
        let mut locals = entries(&state.locals);
        if self.added.is_empty() {
            return locals;
        }
        let used: u16 = locals.iter().map(|local| local.slots()).sum();
        locals.extend((used..self.own_locals).map(|_| VerificationType::Top));
        locals.extend_from_slice(self.added);
        locals
    }
}

/// Types by slot as entries of a frame: one for a long or double, and no `Top` at the end.
fn entries(slots: &[VerificationType]) -> Vec<VerificationType> {
    let used = slots.iter().rposition(|&t| t != VerificationType::Top).map_or(0, |last| last + 1);
    let mut entries = Vec::with_capacity(used);
    let mut at = 0;
    while at < used {
        entries.push(slots[at]);
        at += usize::from(slots[at].slots());
    }
    entries
}

/// `offset_delta` of a frame after another one (JVMS §4.7.4).
fn offset_delta(previous: Option<NewPc>, NewPc(pc): NewPc) -> Result<u16> {
    let delta = match previous {
        None => Some(pc),
        Some(NewPc(previous)) => pc.checked_sub(previous + 1),
    };
    delta
        .and_then(|delta| u16::try_from(delta).ok())
        .ok_or_else(|| Error::new(BytecodeErrorKind::ClassFormat, "a frame is outside the code"))
}

/// Writes `frame_type` and, unless that includes it, `offset_delta`.
fn write_head(kind: StackMapFrameKind, delta: u16, out: &mut Vec<u8>) {
    let frame_type = match (kind, delta) {
        (StackMapFrameKind::Same, 0..=63) => return out.push(delta as u8),
        (StackMapFrameKind::SameLocals1StackItem, 0..=63) => return out.push(64 + delta as u8),
        (StackMapFrameKind::Same, _) => 251,
        (StackMapFrameKind::SameLocals1StackItem, _) => 247,
        (StackMapFrameKind::Chop(locals), _) => 251 - locals,
        (StackMapFrameKind::Append(locals), _) => 251 + locals,
        (StackMapFrameKind::Full, _) => 255,
    };
    out.push(frame_type);
    append_u2(out, delta.into());
}

fn write_types(edit: &CodeEdit, frame: &StackMapFrame<'_>, out: &mut Vec<u8>) -> Result<()> {
    let (locals, stack) = frame.counts;
    if frame.kind == StackMapFrameKind::Full {
        append_u2(out, locals.into());
    }
    for local in frame.locals() {
        write_type(edit, local?, out);
    }
    if frame.kind == StackMapFrameKind::Full {
        append_u2(out, stack.into());
    }
    if stack > 0 {
        for entry in frame.stack()? {
            write_type(edit, entry?, out);
        }
    }
    Ok(())
}

fn write_type(edit: &CodeEdit, entry: VerificationType, out: &mut Vec<u8>) {
    out.push(entry.tag());
    match entry {
        VerificationType::Object(class) => append_u2(out, class.0.into()),
        VerificationType::Uninitialized(pc) => {
            append_u2(out, edit.layout.instruction(OldPc(pc.into())).0);
        }
        _ => {}
    }
}

/// Writes the info of a `StackMap`, CLDC's map of full frames with absolute pcs (JSR 139, appendix 1).
pub(super) fn write_old_map(edit: &CodeEdit, mut info: ClassCursor<'_>, out: &mut Vec<u8>) -> Result<()> {
    let frames = info.u2()?;
    append_u2(out, frames.into());
    for _ in 0..frames {
        append_u2(out, edit.layout.limit(OldPc(info.u2()?.into())).0);
        for _locals_then_stack in 0..2 {
            let types = info.u2()?;
            append_u2(out, types.into());
            for _ in 0..types {
                write_type(edit, VerificationType::read(&mut info)?, out);
            }
        }
    }
    Ok(())
}
