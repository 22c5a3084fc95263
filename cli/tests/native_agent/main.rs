//! The native agent from the start of the JVM: which classes get probes, what is counted, and that the program and the other
//! parts of the JVM do not notice.

mod jdk_classes;
mod overflow;
mod programs;
mod selection;
mod surroundings;
mod work;
