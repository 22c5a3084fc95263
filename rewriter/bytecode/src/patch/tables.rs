//! The tables after the code array: exception table, debug tables, type annotations.

use super::changes::{MethodContext, OldPc};
use super::edit::CodeEdit;
use super::frames;
use super::layout::{append_u2, set_length};
use crate::read::{Attribute, ClassCursor, CodeAttribute, CodeTarget, TypeAnnotationTargets};
use crate::{BytecodeErrorKind, Error, Result};

/// Writes the exception table and the attributes of the code with new pcs.
///
/// Attributes without pcs, and those that the JVMS does not define, are copied.
pub(super) fn write(edit: &CodeEdit, mut method: MethodContext<'_, '_>, out: &mut Vec<u8>) -> Result<()> {
    let code = method.code;
    append_u2(out, count_of(code.handlers().len() + method.changes.catches.len(), "handlers")?);
    for handler in code.handlers() {
        for pc in [handler.start_pc, handler.end_pc, handler.handler_pc] {
            append_u2(out, edit.layout.limit(OldPc(pc.into())).0);
        }
        append_u2(out, handler.catch_type.0.into());
    }
    let starts = &edit.starts[method.changes.insertions.len()..];
    for (catch, start) in method.changes.catches.iter().zip(starts) {
        let end = match catch.covered.end.0 == code.length() {
            // The handlers before it are between the end of the code and its own.
            true => *start,
            false => edit.layout.limit(catch.covered.end),
        };
        for pc in [edit.layout.limit(catch.covered.start), end, *start] {
            append_u2(out, pc.0);
        }
        append_u2(out, catch.catch_type.0.into());
    }
    let new_table = frames::needs_new_table(&method)?;
    append_u2(out, count_of(usize::from(code.attributes.remaining()) + usize::from(new_table), "attributes")?);
    if new_table {
        let name = method.pool.utf8(b"StackMapTable")?;
        append_u2(out, name.0.into());
        let length_at = out.len();
        out.extend([0; 4]);
        frames::write_all(edit, &mut method, None, out)?;
        set_length(out, length_at)?;
    }
    for attribute in code.attributes.clone() {
        let attribute = attribute?;
        append_u2(out, attribute.name.0.into());
        let length_at = out.len();
        out.extend([0; 4]);
        write_info(edit, &mut method, &attribute, out)?;
        set_length(out, length_at)?;
    }
    Ok(())
}

/// The count, if it is at most 65,535.
fn count_of(count: usize, what: &str) -> Result<u32> {
    match u16::try_from(count) {
        Ok(count) => Ok(count.into()),
        Err(_) => Err(Error::new(BytecodeErrorKind::Limit, format!("the code would have {count} {what}"))),
    }
}

fn write_info(
    edit: &CodeEdit,
    method: &mut MethodContext<'_, '_>,
    attribute: &Attribute<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let code = method.code;
    let moved = |pc, at| moved(edit, code, pc, at);
    let mut info = attribute.info;
    let start = out.len();
    match attribute.name()? {
        b"LineNumberTable" => {
            out.extend_from_slice(info.rest());
            for entry in 0..info.u2()? {
                let at = info.position();
                let start_pc = info.u2()?;
                info.skip(2)?;
                set(out, start + 2 + 4 * usize::from(entry), moved(start_pc.into(), at)?);
            }
        }
        b"LocalVariableTable" | b"LocalVariableTypeTable" => {
            out.extend_from_slice(info.rest());
            for entry in 0..info.u2()? {
                let mut range = info.window(10)?;
                let (start_pc, length) = moved_range(&mut range, moved)?;
                let at = start + 2 + 10 * usize::from(entry);
                set(out, at, start_pc);
                set(out, at + 2, length);
            }
        }
        b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
            let base = info.position();
            out.extend_from_slice(info.rest());
            for target in TypeAnnotationTargets::new(info)? {
                match target? {
                    CodeTarget::LocalVariable { at, count } => {
                        info.skip(at - info.position())?;
                        for entry in 0..usize::from(count) {
                            let mut range = info.window(6)?;
                            let (start_pc, length) = moved_range(&mut range, moved)?;
                            let at = start + at - base + 6 * entry;
                            set(out, at, start_pc);
                            set(out, at + 2, length);
                        }
                    }
                    CodeTarget::Offset { at } => {
                        info.skip(at - info.position())?;
                        let pc = OldPc(info.u2()?.into());
                        set(out, start + at - base, edit.layout.instruction(pc).0);
                    }
                    CodeTarget::Catch | CodeTarget::Declaration => {}
                }
            }
        }
        b"StackMapTable" => frames::write_table(edit, method, info, out)?,
        b"StackMap" => frames::write_old_map(edit, info, out)?,
        _ => out.extend_from_slice(info.rest()),
    }
    Ok(())
}

/// The new `start_pc` and `length` of a table's entry.
///
/// A range from pc 0 is that of a parameter. It keeps its start: the parameter is visible while code at the entry runs.
fn moved_range(range: &mut ClassCursor<'_>, moved: impl Fn(u32, usize) -> Result<u32>) -> Result<(u32, u32)> {
    let at = range.position();
    let (start, length) = (u32::from(range.u2()?), u32::from(range.u2()?));
    let end = moved(start + length, at)?;
    let start = if start == 0 { 0 } else { moved(start, at)? };
    Ok((start, end - start))
}

fn moved(edit: &CodeEdit, code: &CodeAttribute<'_>, pc: u32, at: usize) -> Result<u32> {
    match pc <= code.length() {
        true => Ok(edit.layout.limit(OldPc(pc)).0),
        false => {
            let length = code.length();
            let message = format!("pc {pc} of a debug table is outside the code of {length} bytes");
            Err(Error::class_format(message, at))
        }
    }
}

fn set(out: &mut [u8], at: usize, value: u32) {
    out[at..at + 2].copy_from_slice(&(value as u16).to_be_bytes());
}
