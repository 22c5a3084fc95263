//! Stack maps, moved: deltas anew, frame kinds chosen by the new delta, `Uninitialized` to its `new`.

use super::edit::CodeEdit;
use super::tables::put;
use super::{NewPc, OldPc};
use crate::classfile::{Cursor, Frame, FrameKind, Frames, VerificationType};
use crate::{Error, ErrorKind, Result};

/// Writes a `StackMapTable`'s info.
pub(super) fn write_table(edit: &CodeEdit, info: Cursor<'_>, out: &mut Vec<u8>) -> Result<()> {
    let frames = Frames::new(info)?;
    put(out, frames.remaining().into());
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

/// `offset_delta` of a frame after another one (JVMS §4.7.4).
fn offset_delta(previous: Option<NewPc>, NewPc(pc): NewPc) -> Result<u16> {
    let delta = match previous {
        None => Some(pc),
        Some(NewPc(previous)) => pc.checked_sub(previous + 1),
    };
    delta
        .and_then(|delta| u16::try_from(delta).ok())
        .ok_or_else(|| Error::new(ErrorKind::ClassFormat, "a frame stands outside the code"))
}

/// `frame_type` and, where it is not in there, `offset_delta`: the shortest form.
fn write_head(kind: FrameKind, delta: u16, out: &mut Vec<u8>) {
    let frame_type = match (kind, delta) {
        (FrameKind::Same, 0..=63) => return out.push(delta as u8),
        (FrameKind::SameLocals1StackItem, 0..=63) => return out.push(64 + delta as u8),
        (FrameKind::Same, _) => 251,
        (FrameKind::SameLocals1StackItem, _) => 247,
        (FrameKind::Chop(locals), _) => 251 - locals,
        (FrameKind::Append(locals), _) => 251 + locals,
        (FrameKind::Full, _) => 255,
    };
    out.push(frame_type);
    put(out, delta.into());
}

fn write_types(edit: &CodeEdit, frame: &Frame<'_>, out: &mut Vec<u8>) -> Result<()> {
    let (locals, stack) = frame.counts;
    if frame.kind == FrameKind::Full {
        put(out, locals.into());
    }
    for local in frame.locals() {
        write_type(edit, local?, out);
    }
    if frame.kind == FrameKind::Full {
        put(out, stack.into());
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
        VerificationType::Object(class) => put(out, class.0.into()),
        VerificationType::Uninitialized(pc) => {
            put(out, edit.layout.instruction(OldPc(pc.into())).0);
        }
        _ => {}
    }
}

/// Writes the info of a `StackMap`, CLDC's map of full frames with absolute pcs (JSR 139, appendix 1).
pub(super) fn write_old_map(edit: &CodeEdit, mut info: Cursor<'_>, out: &mut Vec<u8>) -> Result<()> {
    let frames = info.u2()?;
    put(out, frames.into());
    for _ in 0..frames {
        put(out, edit.layout.limit(OldPc(info.u2()?.into())).0);
        for _locals_then_stack in 0..2 {
            let types = info.u2()?;
            put(out, types.into());
            for _ in 0..types {
                write_type(edit, VerificationType::read(&mut info)?, out);
            }
        }
    }
    Ok(())
}
