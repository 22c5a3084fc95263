//! The sample programs, compiled and packed when this crate is built (`samples/README.md`).

/// The executable jar of the shop, which `weighbridge demo` weighs.
pub const DEMO_JAR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/shop.jar"));

/// The main class of [`DEMO_JAR`].
pub const DEMO_MAIN: &str = "com.acme.shop.Shop";

/// The configuration for [`DEMO_JAR`].
pub const DEMO_CONFIG: &str = include_str!("../shop/weighbridge.toml");

/// The executable jar of the program that leaks slowly.
pub const LEAK_JAR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/leak.jar"));

/// The configuration for [`LEAK_JAR`].
pub const LEAK_CONFIG: &str = include_str!("../leak/weighbridge.toml");

/// The executable jar of the program that knows its own numbers.
pub const TRUTH_JAR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/truth.jar"));
