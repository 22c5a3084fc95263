//! Whether a method can be started again with its arguments.

use crate::Result;
use crate::read::{
    ClassFile, CodeAttribute, Member, StackMapFrame, StackMapFrameKind, StackMapFrames, VerificationType, access,
    descriptor::{self, Parameters},
};

/// Whether `this` and the parameters have their values and types of the entry in all code of a method, no constructor: no
/// instruction stores to them, and every stack map frame has them.
///
/// # Errors
/// `ClassFormat` for damaged code or frames.
pub fn keeps_parameters(class: &ClassFile<'_>, method: &Member<'_>, code: &CodeAttribute<'_>) -> Result<bool> {
    let is_static = method.access_flags & access::STATIC != 0;
    let slots = descriptor::method_slots(method.descriptor()?)?.0 + u16::from(!is_static);
    for instruction in code.instructions() {
        if instruction?.stored_local().is_some_and(|(local, _)| local < slots) {
            return Ok(false);
        }
    }
    let Some(table) = code.stack_map_table() else { return Ok(true) };
    let own: Option<&[u8]> = if is_static { None } else { Some(class.name()?) };
    let parameters = Parameters::from_descriptor(method.descriptor()?)?.collect::<Result<Vec<_>>>()?;
    let count = parameters.len() + usize::from(!is_static);
    let mut locals = count;
    for frame in StackMapFrames::new(table)? {
        let frame = frame?;
        match frame.kind {
            StackMapFrameKind::Same | StackMapFrameKind::SameLocals1StackItem => {}
            StackMapFrameKind::Chop(dropped) => locals = locals.saturating_sub(dropped.into()),
            StackMapFrameKind::Append(added) => locals += usize::from(added),
            StackMapFrameKind::Full if starts_with(&frame, own, &parameters, class)? => {
                locals = usize::from(frame.counts.0);
            }
            StackMapFrameKind::Full => return Ok(false),
        }
        if locals < count {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a full frame starts with `this` and the parameters.
fn starts_with(
    frame: &StackMapFrame<'_>,
    own: Option<&[u8]>,
    parameters: &[&[u8]],
    class: &ClassFile<'_>,
) -> Result<bool> {
    let mut locals = frame.locals();
    let mut next = || locals.next().transpose();
    let is = |local, name: &[u8]| match local {
        Some(VerificationType::Object(index)) => class.pool.class_name(index).map(|of_frame| of_frame == name),
        _ => Ok(false),
    };
    if let Some(own) = own
        && !is(next()?, own)?
    {
        return Ok(false);
    }
    for &parameter in parameters {
        let local = next()?;
        let same = match parameter {
            [b'L', name @ .., b';'] => is(local, name)?,
            [b'[', ..] => is(local, parameter)?,
            [b'J', ..] => local == Some(VerificationType::Long),
            [b'D', ..] => local == Some(VerificationType::Double),
            [b'F', ..] => local == Some(VerificationType::Float),
            _ => local == Some(VerificationType::Integer),
        };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}
