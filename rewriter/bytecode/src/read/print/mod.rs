//! Classes as text in the style of `javap -c -v`, for `explain` and for tests.
//!
//! The text has names instead of indices, so two versions of a method can be compared line by line even if their pools
//! differ. Stack map frames are between the instructions that they describe. The form of the text may change.

mod operands;

use super::class::{ClassFile, Member};
use super::code::CodeAttribute;
use super::cursor::ClassCursor;
use super::frames::{StackMapFrame, StackMapFrameKind, StackMapFrames, Types, VerificationType};
use super::pool::{CpIndex, Pool};
use super::{CodeTarget, TypeAnnotationTargets, mutf8};
use crate::Result;
use std::fmt::Write;

/// A class: header, fields, and methods as by [`method`].
///
/// # Errors
/// `ClassFormat` where the class is damaged.
pub fn class(class: &ClassFile<'_>) -> Result<String> {
    let name = mutf8::decode(class.name()?);
    let extends = class.super_name()?.map_or(String::new(), |s| format!(" extends {}", mutf8::decode(s)));
    let (flags, major, minor) = (class.access_flags, class.major_version, class.minor_version);
    let mut text = format!("class {name}{extends} // flags {flags:#06x}, version {major}.{minor}\n");
    for interface in class.interfaces() {
        line(&mut text, 1, format_args!("implements {}", mutf8::decode(interface?)));
    }
    for field in class.fields()? {
        let field = field?;
        line(&mut text, 1, format_args!("field {} // flags {:#06x}", field.title(), field.access_flags));
    }
    for member in class.methods()? {
        text += &method(class, &member?)?;
    }
    Ok(text)
}

/// A method: its code with frames, then its tables; one line if it has no code.
///
/// # Errors
/// `ClassFormat` where the method is damaged.
pub fn method(class: &ClassFile<'_>, member: &Member<'_>) -> Result<String> {
    let mut text = String::new();
    line(&mut text, 1, format_args!("{} // flags {:#06x}", member.title(), member.access_flags));
    if let Some(code) = member.code()? {
        self::code(&mut text, &code, &class.pool)?;
    }
    Ok(text)
}

fn line(text: &mut String, indent: usize, content: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{:1$}{content}", "", 2 * indent);
}

fn code(text: &mut String, code: &CodeAttribute<'_>, pool: &Pool<'_>) -> Result<()> {
    line(text, 2, format_args!("stack {}, locals {}, {} bytes", code.max_stack, code.max_locals, code.code.len()));
    let table = code.stack_map_table().map(StackMapFrames::new).transpose()?;
    let mut frames = table.into_iter().flatten().collect::<Result<Vec<_>>>()?.into_iter().peekable();
    for instruction in code.instructions() {
        let instruction = instruction?;
        while let Some(frame) = frames.next_if(|frame| frame.pc <= instruction.pc) {
            line(text, 4, format_args!("// {}", self::frame(&frame, pool)?));
        }
        let operands = operands::format_operands(&instruction, code.length(), pool)?;
        let mnemonic = operands::mnemonic(&instruction);
        line(text, 2, format_args!("{:>5}: {}", instruction.pc, format!("{mnemonic} {operands}").trim_end()));
    }
    for handler in code.handlers() {
        let caught = match handler.catch_type {
            CpIndex(0) => "any".into(),
            index => mutf8::decode(pool.class_name(index)?),
        };
        let (start, end, to) = (handler.start_pc, handler.end_pc, handler.handler_pc);
        line(text, 2, format_args!("try {start}..{end} catch {caught} at {to}"));
    }
    for attribute in code.attributes.clone() {
        let attribute = attribute?;
        let mut info = attribute.info;
        match attribute.name()? {
            b"StackMapTable" => {}
            b"LineNumberTable" => {
                let mut lines = String::new();
                for _ in 0..info.u2()? {
                    let (pc, number) = (info.u2()?, info.u2()?);
                    let _ = write!(lines, " {pc}:{number}");
                }
                line(text, 2, format_args!("lines{lines}"));
            }
            b"LocalVariableTable" | b"LocalVariableTypeTable" => variables(text, info, pool)?,
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => type_annotations(text, info)?,
            name => line(text, 2, format_args!("{}: {} bytes", mutf8::decode(name), info.remaining())),
        }
    }
    Ok(())
}

fn variables(text: &mut String, mut info: ClassCursor<'_>, pool: &Pool<'_>) -> Result<()> {
    for _ in 0..info.u2()? {
        let (start, length) = (info.u2()?, info.u2()?);
        let (name, descriptor) = (pool.utf8(CpIndex(info.u2()?))?, pool.utf8(CpIndex(info.u2()?))?);
        let (name, descriptor) = (mutf8::decode(name), mutf8::decode(descriptor));
        let (end, index) = (u32::from(start) + u32::from(length), info.u2()?);
        line(text, 2, format_args!("variable {index} {start}..{end} {name} {descriptor}"));
    }
    Ok(())
}

fn type_annotations(text: &mut String, info: ClassCursor<'_>) -> Result<()> {
    let mut operands = info;
    for target in TypeAnnotationTargets::new(info)? {
        match target? {
            CodeTarget::LocalVariable { at, count } => {
                operands.skip(at - operands.position())?;
                for _ in 0..count {
                    let (start, length, index) = (operands.u2()?, operands.u2()?, operands.u2()?);
                    let end = u32::from(start) + u32::from(length);
                    line(text, 2, format_args!("type annotation on variable {index} {start}..{end}"));
                }
            }
            CodeTarget::Offset { at } => {
                operands.skip(at - operands.position())?;
                line(text, 2, format_args!("type annotation at {}", operands.u2()?));
            }
            CodeTarget::Catch => line(text, 2, format_args!("type annotation on a catch")),
            CodeTarget::Declaration => line(text, 2, format_args!("type annotation on a declaration")),
        }
    }
    Ok(())
}

fn frame(frame: &StackMapFrame<'_>, pool: &Pool<'_>) -> Result<String> {
    let locals = || types(frame.locals(), pool);
    let stack = || types(frame.stack()?, pool);
    Ok(match frame.kind {
        StackMapFrameKind::Same => "frame same".to_owned(),
        StackMapFrameKind::SameLocals1StackItem => format!("frame same, stack {}", stack()?),
        StackMapFrameKind::Chop(count) => format!("frame chop {count}"),
        StackMapFrameKind::Append(_) => format!("frame append {}", locals()?),
        StackMapFrameKind::Full => format!("frame full {}, stack {}", locals()?, stack()?),
    })
}

fn types(types: Types<'_>, pool: &Pool<'_>) -> Result<String> {
    let mut names = Vec::new();
    for entry in types {
        names.push(match entry? {
            VerificationType::Object(class) => mutf8::decode(pool.class_name(class)?).into_owned(),
            VerificationType::Uninitialized(pc) => format!("uninitialized@{pc}"),
            VerificationType::UninitializedThis => "uninitializedThis".to_owned(),
            other => format!("{other:?}").to_lowercase(),
        });
    }
    Ok(format!("[{}]", names.join(", ")))
}
