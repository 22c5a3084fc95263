//! Archives that the rewriter wrote, in JVMs and in the JDK's own reader, and archives that others published.

#[path = "../checked/mod.rs"]
mod checked;
#[path = "../craft/mod.rs"]
mod craft;
#[path = "../edited/mod.rs"]
mod edited;
mod fidelity_archives;
mod fidelity_loaders;
mod instrument_jars;
mod jar_fidelity;
mod jar_huge;
#[path = "../program/mod.rs"]
mod program;
mod verified;
