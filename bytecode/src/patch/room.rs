//! Whether code has room for what is inserted, decided without inserting it.

use crate::read::{CodeAttribute, op};
use crate::{Error, ErrorKind, Result};

/// The most that one site takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// Bytes of code.
    pub bytes: u32,
    /// Slots above the operand stack at the site.
    pub stack: u16,
    /// Slots above the method's local variables; all sites of a method share them.
    pub locals: u16,
    /// Constants that all sites of a class share; the numbers that sites load come on top.
    pub constants: u16,
}

/// An error unless so many sites fit into a method, wherever they are.
///
/// It asks for a little more than may be needed: an operand stack that is full at each site, and every jump widened once the
/// code is longer than a jump reaches.
///
/// # Errors
/// `Limit`; `ClassFormat` for damaged code.
pub fn room(code: &CodeAttribute<'_>, sites: usize, need: Need) -> Result<()> {
    const MOST: u64 = u16::MAX as u64;
    let at_most = |what: &str, now: u64, more: u64| match now + more <= MOST {
        true => Ok(()),
        false => {
            Err(Error::new(ErrorKind::Limit, format!("{what} of {now} may grow by {more}; a method may have {MOST}")))
        }
    };
    at_most("max_stack", code.max_stack.into(), need.stack.into())?;
    at_most("max_locals", code.max_locals.into(), need.locals.into())?;
    let length = u64::from(code.length());
    let mut more = sites as u64 * u64::from(need.bytes);
    // Enough for nearly all code: no jump is widened, and each switch takes four bytes or more for each byte of padding.
    if length + length / 4 + more <= i16::MAX as u64 {
        return Ok(());
    }
    for instruction in code.instructions() {
        more += match instruction?.opcode() {
            op::TABLESWITCH | op::LOOKUPSWITCH => 3,
            op::GOTO | op::JSR => 2,
            op::GOTO_W | op::JSR_W => 0,
            opcode if is_if(opcode) => 5,
            _ => 0,
        };
    }
    at_most("code", length, more)
}

fn is_if(opcode: u8) -> bool {
    matches!(opcode, op::IFEQ..=op::IF_ACMPNE | op::IFNULL | op::IFNONNULL)
}
