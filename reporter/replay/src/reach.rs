//! When each object died: Merlin's algorithm (Hertz, Blackburn, Moss, McKinley, Stefanovic: Error-free garbage collection
//! traces, SIGMETRICS 2002).
//!
//! An object lives after an event if a chain of references leads to it from a static field, a local variable of a method
//! that runs, or the virtual machine; or if the event itself touches it or what leads to it: a value that was made or
//! returned lies on the operand stack until the next event uses it. It dies at the first event after which this is never
//! so again.
//!
//! While events come, each object keeps the last event at which it lost a reference or was touched. Most objects die
//! later than that says: when what refers to them dies. Fields of dead objects do not change, so at the end every dead
//! object still refers to what it kept alive. Going through the dead objects, those that lived longest first, each
//! gives its death to what it refers to. So an object is visited once.

use crate::objects::Objects;

/// Which objects were found.
struct ReachedSet(Vec<u64>);

impl ReachedSet {
    /// Whether it is found only now.
    fn first(&mut self, index: u32) -> bool {
        let (word, bit) = (&mut self.0[index as usize / 64], 1 << (index % 64));
        let first = *word & bit == 0;
        *word |= bit;
        first
    }
}

/// What lives after the last event, and what does not.
pub(crate) struct Reach {
    /// Each with its death in `lost` and `lost_allocated`, those that died last first.
    pub(crate) dead: Vec<u32>,
    pub(crate) live: Vec<u32>,
}

/// Finds the deaths of all objects. `events`: how many there were.
pub(crate) fn reach(objects: &mut Objects, roots: impl Iterator<Item = u32>, events: u64) -> Reach {
    let mut found = ReachedSet(vec![0; objects.state.len().div_ceil(64)]);
    let (mut live, mut open): (Vec<u32>, Vec<u32>) = (Vec::new(), roots.collect());
    // What the last event touched lives.
    open.extend(objects.indices().filter(|index| {
        let state = &objects.state[*index as usize];
        state.kept || state.lost >= events
    }));
    while let Some(index) = open.pop() {
        if found.first(index) {
            live.push(index);
            let slots = objects.state[index as usize].slots;
            objects.memory.each(&slots, |_, target, _| open.push(target));
        }
    }
    let mut order: Vec<(u64, u32)> =
        objects.indices().map(|index| (objects.state[index as usize].lost, index)).collect();
    order.retain(|(_, index)| found.0[*index as usize / 64] & (1 << (index % 64)) == 0);
    order.sort_unstable_by(|a, b| b.cmp(a));
    let mut dead = Vec::with_capacity(order.len());
    for (lost, index) in order {
        let allocated = objects.state[index as usize].lost_allocated;
        open.push(index);
        while let Some(index) = open.pop() {
            if found.first(index) {
                let state = &mut objects.state[index as usize];
                (state.lost, state.lost_allocated) = (lost, allocated);
                let slots = state.slots;
                dead.push(index);
                objects.memory.each(&slots, |_, target, _| open.push(target));
            }
        }
    }
    Reach { dead, live }
}
