//! The program `work` of `tests/java` with probes in its methods.

use weighbridge_bytecode::read::{ClassFile, PoolOffsets};
use weighbridge_probes::work::{Refusal, Role, Roles, WorkProbe, Works};
use weighbridge_probes::{Links, Outcome, bridge_class};
use weighbridge_tests::classes::{BRIDGE, Classes, compiled};

/// The methods of the program with probes, in the order of their indices.
pub const METHODS: [&str; 13] = [
    "wide",
    "nested",
    "switches",
    "locked",
    "block",
    "fails",
    "changes",
    "caught",
    "recursive",
    "endless",
    "missing",
    "described",
    "counted",
];

/// Each method has all roles; those of `admit` have the next index.
pub fn all_roles(method: &[u8]) -> Roles {
    match METHODS.iter().position(|name| name.as_bytes() == method) {
        None => Roles::default(),
        Some(index) => {
            Roles { permit: Role::new(index), admit: Role::new(index + 1), retry: Role::new(index), checkpoint: true }
        }
    }
}

/// A class with probes, and what was refused; panics if it has no site.
pub fn with_work(class: &[u8], roles: impl Fn(&[u8]) -> Roles) -> (Vec<u8>, Vec<Refusal>) {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(class, &mut memory).unwrap();
    let mut works = Works::default();
    match works.rewrite(&class, &WorkProbe { bridge: BRIDGE, roles }).unwrap() {
        Outcome::Rewritten(rewritten) => (rewritten.bytes, works.memory().refused.clone()),
        Outcome::Skipped(reason) => panic!("{reason}"),
    }
}

/// A bridge that the program links itself.
pub fn bridge() -> (String, Vec<u8>) {
    let bytes = bridge_class(weighbridge_runtime::BRIDGE_TEMPLATE, BRIDGE, "", Links::Again).unwrap();
    (BRIDGE.to_owned(), bytes)
}

/// The program with probes and a bridge; what was refused in `Worker`.
pub fn worked() -> (Classes, Vec<Refusal>) {
    let mut classes = compiled("work");
    let mut refused = Vec::new();
    for name in ["Task", "Worker"] {
        let class = classes.get_mut(name).unwrap();
        (*class, refused) = with_work(class, all_roles);
    }
    classes.extend([bridge()]);
    (classes, refused)
}
