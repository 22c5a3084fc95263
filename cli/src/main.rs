//! The `weighbridge` command.
fn main() {}
