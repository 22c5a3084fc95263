//! Whether a method has room for insertions, decided without inserting.

use crate::read::{CodeAttribute, op};
use crate::{BytecodeErrorKind, Error, Result};

/// The most that the code at one site needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// Bytes of code.
    pub bytes: u32,
    /// Slots above the operand stack at the site.
    pub stack: u16,
    /// Slots above the method's local variables; all sites of a method share them.
    pub locals: u16,
    /// Constants that all sites of a class share, without the numbers that sites load.
    pub constants: u16,
}

/// An error unless a method has room for so many sites, wherever they are.
///
/// This overestimates a little: it assumes a full operand stack at each site, and that every jump is widened once the code
/// is longer than a jump can reach.
///
/// # Errors
/// `Limit`; `ClassFormat` for damaged code.
pub fn room(code: &CodeAttribute<'_>, sites: usize, need: Need) -> Result<()> {
    const MOST: u64 = u16::MAX as u64;
    let at_most = |what: &str, now: u64, more: u64| match now + more <= MOST {
        true => Ok(()),
        false => Err(Error::new(
            BytecodeErrorKind::Limit,
            format!("{what} of {now} may grow by {more}; a method may have {MOST}"),
        )),
    };
    at_most("max_stack", code.max_stack.into(), need.stack.into())?;
    at_most("max_locals", code.max_locals.into(), need.locals.into())?;
    let length = u64::from(code.length());
    let mut more = sites as u64 * u64::from(need.bytes);
    // True for nearly all code. No jump is widened then, and a switch has four bytes or more per byte of padding.
    if length + length / 4 + more <= i16::MAX as u64 {
        return Ok(());
    }
    for instruction in code.instructions() {
        more += match instruction?.opcode() {
            op::TABLESWITCH | op::LOOKUPSWITCH => 3,
            op::GOTO | op::JSR => 2,
            op::IFEQ..=op::IF_ACMPNE | op::IFNULL | op::IFNONNULL => 5,
            _ => 0,
        };
    }
    at_most("code", length, more)
}
