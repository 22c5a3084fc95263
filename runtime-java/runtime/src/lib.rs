//! The Java runtime, compiled when this crate is built and embedded as bytes.

/// The runtime jar: `weighbridge-runtime.jar`, agent and class-path library in one. Reproducible bytes.
pub const RUNTIME_JAR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/weighbridge-runtime.jar"));

/// The class file of `io.weighbridge.loader.RuntimeLoader`, which loads [`RUNTIME_CLASSES`]. Not part of the jar.
pub const RUNTIME_LOADER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/RuntimeLoader.class"));

/// Dotted names and class files of the runtime, the same as in its jar, in the order of the names.
pub const RUNTIME_CLASSES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/classes.rs"));

/// The class file of `io.weighbridge.template.Bridge` (docs/probe-contract.md). Not part of the jar.
pub const BRIDGE_TEMPLATE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/Bridge.class"));

/// The class file of `io.weighbridge.template.Traces`, which the probes of traces call. Not part of the jar.
pub const TRACES_TEMPLATE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/Traces.class"));

/// The class file of `io.weighbridge.template.Events`, which the probes of every event call. Not part of the jar.
pub const EVENTS_TEMPLATE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/Events.class"));

/// An executable jar that links every class of the archives named by its argument file (`LinkClasses`): what
/// `weighbridge verify --jvm` runs. Not part of the runtime.
pub const VERIFY_JAR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/weighbridge-verify.jar"));
