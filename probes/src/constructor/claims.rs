//! Claims: a constructor tells the one of a superclass, which runs next, that it registers the object itself
//! (docs/probe-contract.md, "Claims").

use super::placement::{Decision, Placer};
use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, CpIndex, Pool, op, tag};

/// What the constructors of a class do about claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// Before `super(...)` they claim the object from the class with this id, whose constructors run next.
    pub from: Option<u32>,
    /// They leave objects to the subclasses that claim them; only those do whose code has no branches.
    pub heeded: bool,
}

/// What the constructors of a class could do about claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fitness {
    /// Each would heed a claim, or hands it on to one that does.
    pub heeds: bool,
    /// Each hands on what a subclass has claimed: nothing that could construct anything runs in front of its
    /// `super(...)` or `this(...)`.
    pub hands_on: bool,
    /// Some instructions more break no limit, wherever they stand.
    pub has_room: bool,
}

impl Fitness {
    /// Of a class without constructors.
    pub(super) fn of_class(class: &ClassFile<'_>) -> Fitness {
        Fitness { heeds: true, hands_on: true, has_room: class.pool.count() <= MOST_CONSTANTS }
    }

    pub(super) fn and(self, other: Fitness) -> Fitness {
        Fitness {
            heeds: self.heeds && other.heeds,
            hands_on: self.hands_on && other.hands_on,
            has_room: self.has_room && other.has_room,
        }
    }

    /// Of the constructor that was decided last.
    pub(super) fn of(
        code: &CodeAttribute<'_>,
        pool: &Pool<'_>,
        placer: &Placer,
        decision: &Decision,
    ) -> Result<Fitness> {
        let calls = placer.calls();
        let hands_on = match calls {
            [call] => nothing_runs_before(code, pool, call.pc)?,
            _ => false,
        };
        let delegates = !calls.is_empty() && calls.iter().all(|call| call.delegates);
        Ok(Fitness {
            heeds: match delegates {
                true => hands_on,
                false => placer.is_straight && !matches!(decision, Decision::Nothing),
            },
            hands_on,
            has_room: code.length() <= ROOMY && code.max_stack <= ROOMY as u16 && code.max_locals <= ROOMY as u16,
        })
    }
}

/// With as many constants at most, a class has room for those of a claim.
const MOST_CONSTANTS: usize = u16::MAX as usize - 64;
/// Half of what code, operand stack and local variables may have: the other half is more than a claim ever takes, however
/// many jumps it widens.
const ROOMY: u32 = 1 << 15;

/// Whether there are but loads and constants up to a pc: no code of anybody's runs, and nothing can be thrown but for want
/// of memory.
fn nothing_runs_before(code: &CodeAttribute<'_>, pool: &Pool<'_>, pc: u32) -> Result<bool> {
    for instruction in code.instructions() {
        let instruction = instruction?;
        if instruction.pc == pc {
            return Ok(true);
        }
        let runs_nothing = match instruction.opcode() {
            op::ACONST_NULL..=op::SIPUSH | op::ILOAD..=op::ALOAD_3 => true,
            op::LDC | op::LDC_W | op::LDC2_W => is_plain(pool, instruction.index())?,
            _ => false,
        };
        if !runs_nothing {
            return Ok(false);
        }
    }
    Ok(false)
}

/// Loading a class, a method handle or a dynamic constant may run anything.
fn is_plain(pool: &Pool<'_>, constant: CpIndex) -> Result<bool> {
    Ok(matches!(pool.tag(constant)?, tag::INTEGER | tag::FLOAT | tag::LONG | tag::DOUBLE | tag::STRING))
}
