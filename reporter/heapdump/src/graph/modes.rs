//! Which references keep an object alive.

use super::own;
use crate::class::{ClassIndex, Classes};
use crate::hprof::{Dump, FieldType};

/// Whether soft references are followed. The virtual machine clears them before it runs out of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FollowSoft {
    /// Like any other field.
    #[default]
    Strong,
    /// Never, like weak references.
    Weak,
}

/// How references and threads are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReferenceModel {
    /// Weak, phantom and final references are not followed. Threads and frames are nodes. What a `Thread` object holds
    /// for its thread (its task, its thread locals) belongs to the thread's node. `ThreadGroup.threads` holds nothing.
    /// Nothing is held by tables of the runtime that measures the program.
    #[default]
    Memory,
    /// As in Eclipse MAT: all references are followed, and the local variables of a thread are references of its
    /// `Thread` object.
    Mat,
}

/// How the graph of a heap is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Modes {
    /// Soft references.
    pub soft: FollowSoft,
    /// The model.
    pub references: ReferenceModel,
}

/// Fields of `java.lang.Thread` and its subclasses in the JDK that hold what the thread works on. JDK 19 moved `target`
/// into `holder` (JDK-8284161). `scopedValueBindings` is of JEP 506, `cont` and `runContinuation` are of JEP 444.
const THREAD_FIELDS: [(&str, &[&str]); 2] = [
    ("java.lang.Thread", &["target", "holder", "threadLocals", "inheritableThreadLocals", "scopedValueBindings"]),
    ("java.lang.VirtualThread", &["cont", "runContinuation"]),
];

/// Which fields of a class's instances are followed, as offsets into the field values of an instance record.
#[derive(Debug, Default, Clone)]
pub(super) struct Followed {
    pub(super) fields: Vec<u32>,
    /// Fields that belong to the thread and not to its object, if the thread is live.
    pub(super) of_thread: Vec<u32>,
    /// Names of static fields that are not followed.
    pub(super) left_out: Vec<u64>,
}

impl Modes {
    /// The plan of every class, by its number.
    pub(super) fn plans(&self, dump: &Dump, classes: &Classes) -> Vec<Followed> {
        let named = |name| classes.find_by_name(name);
        let reference = named("java.lang.ref.Reference");
        let soft = named("java.lang.ref.SoftReference");
        let group = named("java.lang.ThreadGroup");
        let of_thread: Vec<(ClassIndex, &[&str])> =
            THREAD_FIELDS.iter().filter_map(|(class, fields)| Some((named(class)?, *fields))).collect();
        let memory = self.references == ReferenceModel::Memory;
        let is = |class, ancestor: Option<ClassIndex>| ancestor.is_some_and(|ancestor| classes.is_a(class, ancestor));
        let names = |field: u64, name: &str| dump.text(field).as_deref() == Some(name);
        let plan = |class| {
            let clears = is(class, reference) && memory && !(is(class, soft) && self.soft == FollowSoft::Strong);
            let tables = |class| if memory { own::tables(classes.get(class)) } else { &[] };
            let is_table = |class, field: u64| tables(class).iter().any(|name| names(field, name));
            let statics = classes.get(class).statics.iter().map(|field| field.name);
            let left_out = statics.filter(|field| is_table(class, *field)).collect();
            let mut followed = Followed { left_out, ..Followed::default() };
            for (declaring, field, offset) in classes.instance_fields(class, dump.ids().bytes()) {
                if field.kind != FieldType::Object {
                    continue;
                }
                let cleared = clears && Some(declaring) == reference && names(field.name, "referent");
                let listed = memory && Some(declaring) == group && names(field.name, "threads");
                let threads = of_thread.iter().find(|(class, _)| *class == declaring);
                if cleared || listed || is_table(declaring, field.name) {
                    continue;
                }
                match threads.is_some_and(|(_, fields)| fields.iter().any(|name| names(field.name, name))) {
                    true => followed.of_thread.push(offset),
                    false => followed.fields.push(offset),
                }
            }
            followed
        };
        classes.iter().map(|(class, _)| plan(class)).collect()
    }
}
