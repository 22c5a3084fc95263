//! The JVMs of this machine, and how they stand with Weighbridge.

use serde_json::json;
use weighbridge_ending::Failure;
use weighbridge_jvms::{AttachTarget, Jvm};

use crate::agent::Agent;

/// The list as JSON.
pub fn list_in_json() -> Result<serde_json::Value, Failure> {
    Ok(rows_in_json(&rows()?))
}

/// Each with a word for how it stands: `measuring`, `idle` or `-`.
pub fn rows() -> Result<Vec<(Jvm, &'static str)>, Failure> {
    Ok(weighbridge_jvms::list()?.into_iter().map(|jvm| (jvm.clone(), state(&jvm))).collect())
}

/// Such rows as JSON.
pub fn rows_in_json(rows: &[(Jvm, &str)]) -> serde_json::Value {
    rows.iter().map(|(jvm, state)| in_json(jvm, state)).collect()
}

/// How a JVM stands with Weighbridge.
fn state(jvm: &Jvm) -> &'static str {
    let measured = AttachTarget::find(jvm.pid).ok().and_then(|target| Agent::find(&target).ok().flatten()).is_some();
    match (measured, &jvm.weighbridge) {
        (true, _) => "measuring",
        (false, Some(_)) => "idle",
        (false, None) => "-",
    }
}

fn in_json(jvm: &Jvm, state: &str) -> serde_json::Value {
    json!({
        "pid": jvm.pid, "inner_pid": jvm.inner_pid, "user": jvm.user, "main": jvm.main, "version": jvm.version,
        "vm": jvm.vm.map(|vm| vm.to_string()), "obstacle": jvm.obstacle.map(|obstacle| obstacle.to_string()),
        "weighbridge": if state == "-" { None } else { Some(state) },
    })
}
