//! The native agent's library (`agent/jvmti/`), embedded as bytes.

/// A shared library for the machine that this program runs on: `libweighbridge.so`, `.dylib` or `.dll`.
pub const AGENT_LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library"));

/// What the file of the library is called.
pub const FILE_NAME: &str = if cfg!(windows) {
    "weighbridge.dll"
} else if cfg!(target_os = "macos") {
    "libweighbridge.dylib"
} else {
    "libweighbridge.so"
};
