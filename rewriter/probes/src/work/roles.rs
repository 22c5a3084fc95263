//! What a method is to the runtime, and the number that says so.

use std::fmt;

use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{Member, mutf8};

/// The greatest index of a role: an id has ten bits for each, of which 0 means none.
pub const MAX_INDEX: u16 = (1 << 10) - 2;

/// The index of a pattern in the list of a role; at most [`MAX_INDEX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role(u16);

impl Role {
    /// `None` for an index above [`MAX_INDEX`].
    pub fn new(index: usize) -> Option<Role> {
        u16::try_from(index).ok().filter(|index| *index <= MAX_INDEX).map(Role)
    }
}

/// The roles of a method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Roles {
    /// It may be cancelled.
    pub permit: Option<Role>,
    /// Its calls may be delayed or refused.
    pub admit: Option<Role>,
    /// It may run again from its start.
    pub retry: Option<Role>,
    /// It asks at its entry and in its loops whether it has to end.
    pub checkpoint: bool,
}

impl Roles {
    /// True if the method gets no probe.
    pub fn is_empty(&self) -> bool {
        *self == Roles::default()
    }

    /// The id of its calls: the indices plus one, with ten bits each, in the order of the fields. `None` if nobody asks for
    /// its calls.
    pub fn id(&self) -> Option<u32> {
        let bits = |role: Option<Role>, shift: u32| role.map_or(0, |Role(index)| u32::from(index + 1) << shift);
        let id = bits(self.permit, 0) | bits(self.admit, 10) | bits(self.retry, 20);
        (id != 0).then_some(id)
    }
}

/// A method that does not get what its roles ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Its name.
    pub method: String,
    /// Why.
    pub reason: &'static str,
}

impl Refusal {
    pub(super) fn new(method: &Member<'_>, reason: &'static str) -> Result<Refusal> {
        Ok(Refusal { method: mutf8::decode(method.name()?).into_owned(), reason })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.method, self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_ten_bits_for_each_index_and_zero_for_none() {
        let role = |index| Some(Role::new(index).unwrap());
        let roles = Roles { permit: role(0), admit: role(4), retry: role(999), checkpoint: false };
        assert_eq!(roles.id(), Some(1 | 5 << 10 | 1000 << 20));
        let greatest = role(usize::from(MAX_INDEX));
        let id = Roles { permit: greatest, admit: greatest, retry: greatest, checkpoint: true }.id();
        assert_eq!(id, Some((1 << 30) - 1));
        assert_eq!(Role::new(usize::from(MAX_INDEX) + 1), None);
        let asks = Roles { checkpoint: true, ..Roles::default() };
        assert!(asks.id().is_none() && !asks.is_empty() && Roles::default().is_empty());
    }
}
