//! The last heap dump of each process, for as long as the console runs: questions about it do not stop the program again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use hyper::StatusCode;
use hyper::body::Bytes;
use weighbridge_ending::signals::BeforeTheEnd;
use weighbridge_live::dumps::HeldDump;

use super::answer::{Refusal, in_json};
use super::pace::{Pace, locked};

/// Dumps that are kept: their files take disk.
const MOST: usize = 4;
/// Ways that are shown to the objects of a class.
const WAYS: usize = 10;

/// The dumps by process.
#[derive(Default)]
pub(super) struct Dumps {
    held: Mutex<BTreeMap<u32, Arc<HeldDump>>>,
    /// One at a time is read: reading takes memory.
    reads: Mutex<()>,
    before_the_end: BeforeTheEnd,
}

impl Dumps {
    /// Takes one, and tells its classes.
    pub(super) fn take(&self, pid: u32, pace: &Pace) -> Result<Bytes, Refusal> {
        let room = {
            let held = locked(&self.held);
            held.len() < MOST || held.contains_key(&pid)
        };
        if !room {
            let why = format!("{MOST} dumps of other processes are kept already; restart the console");
            return Err(Refusal::new(StatusCode::CONFLICT, why));
        }
        let taken = pace.costly(pid, || HeldDump::take(pid, &self.before_the_end))?;
        locked(&self.held).insert(pid, Arc::new(taken));
        self.histogram(pid)
    }

    pub(super) fn histogram(&self, pid: u32) -> Result<Bytes, Refusal> {
        let held = self.find_dump(pid)?;
        let _alone = locked(&self.reads);
        in_json(&held.histogram()?)
    }

    /// What holds the objects of a class.
    pub(super) fn path(&self, pid: u32, class: &str) -> Result<Bytes, Refusal> {
        let held = self.find_dump(pid)?;
        let _alone = locked(&self.reads);
        in_json(&held.path(class, WAYS)?.sheet().data())
    }

    fn find_dump(&self, pid: u32) -> Result<Arc<HeldDump>, Refusal> {
        let held = locked(&self.held).get(&pid).cloned();
        held.ok_or_else(|| Refusal::new(StatusCode::NOT_FOUND, "no heap dump of this process was taken yet"))
    }

    /// A dump that is being written is given up, and its files go.
    pub(super) fn end(&self) {
        self.before_the_end.act_for_good();
    }
}
