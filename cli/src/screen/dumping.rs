//! Takes a heap dump of the watched process beside the view, which goes on.

use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;

use weighbridge_ending::signals::BeforeTheEnd;
use weighbridge_live::dumps::threads;
use weighbridge_reporter::heap::threads::ThreadReport;
use weighbridge_watch::Model;

/// The dump that is being taken, if there is one.
#[derive(Default)]
pub(super) struct Dumping {
    told: Option<Receiver<Result<ThreadReport, String>>>,
    before_the_end: BeforeTheEnd,
}

impl Dumping {
    /// What has to be done before the process ends: the folder of the dump goes.
    pub(super) fn before_the_end(&self) -> BeforeTheEnd {
        self.before_the_end.clone()
    }

    /// Begins, unless one is being taken.
    pub(super) fn begin(&mut self, pid: u32) {
        if self.told.is_some() {
            return;
        }
        let (sender, told) = channel();
        let before_the_end = self.before_the_end.clone();
        thread::spawn(move || {
            let figures = threads::of_process(pid, &before_the_end).map_err(|failure| failure.sentence());
            // The view may have ended.
            let _ = sender.send(figures);
        });
        self.told = Some(told);
    }

    /// Gives the model what the dump tells, once it does.
    pub(super) fn poll_figures(&mut self, model: &mut Model) {
        let Some(told) = &self.told else { return };
        match told.try_recv() {
            Ok(told) => model.dumped(told),
            Err(TryRecvError::Empty) => return,
            Err(TryRecvError::Disconnected) => model.dumped(Err("the dump was given up".to_owned())),
        }
        self.told = None;
    }
}

impl Drop for Dumping {
    fn drop(&mut self) {
        if self.told.is_some() {
            self.before_the_end.act_for_good();
        }
    }
}
