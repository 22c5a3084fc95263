//! From a trace to the lives of its objects.

use crate::engine::Engine;
use crate::error::Error;
use crate::event::Event;
use crate::merge::Merge;
use crate::replayed::Replayed;
use crate::settings::Settings;
use crate::trace::Trace;

/// How often the progress is told, in events.
const STEP: u64 = 1 << 16;
/// Bytes of blocks in memory, without a limit.
const MOST_BLOCKS: usize = 1 << 30;

impl Trace {
    /// Gives all events to `take` in the order of the whole program, with the number of their thread and their time.
    ///
    /// # Errors
    /// The trace cannot be read or contradicts its format.
    pub fn each(&self, take: &mut dyn FnMut(u64, u64, &Event)) -> Result<(), Error> {
        Merge::new(self, MOST_BLOCKS)?.run(|thread, key, event| {
            take(self.threads().get(thread as usize).copied().unwrap_or_default(), key.clock(), event);
            Ok(())
        })
    }
}

/// Finds the lives of all objects of a trace. `progress` is told from time to time how many events are done.
///
/// # Errors
/// The trace cannot be read, contradicts its format, or needs more memory than allowed.
pub fn replay(trace: &Trace, settings: &Settings, progress: &mut dyn FnMut(u64)) -> Result<Replayed, Error> {
    let mut engine = Engine::new(trace.names(), settings);
    let error = |kind| Error::new(trace.file(), kind);
    let mut marks = trace.names().marks.iter().peekable();
    let most = settings.memory.map_or(MOST_BLOCKS, |memory| usize::try_from(memory / 8).unwrap_or(usize::MAX));
    let mut events = 0;
    Merge::new(trace, most)?.run(|thread, key, event| {
        while let Some(mark) = marks.next_if(|mark| mark.clock <= key.clock()) {
            engine.mark(&mark.text);
        }
        engine.take(thread, event).map_err(error)?;
        events += 1;
        if events % STEP == 0 {
            progress(events);
        }
        Ok(())
    })?;
    marks.for_each(|mark| engine.mark(&mark.text));
    progress(events);
    let replayed = engine.finish().map_err(error)?;
    Ok(Replayed { threads: trace.threads().len() as u32, ..replayed })
}
