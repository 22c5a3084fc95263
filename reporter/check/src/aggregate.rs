//! Reads many recordings and adds them up.

use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use weighbridge_ending::{Failure, Progress, messages};
use weighbridge_recording::{ReadLimits, Reader};
use weighbridge_reporter::{Aggregate, Aggregator, Folded};

use crate::foreign;

/// Recordings that are in memory at once: they are read in parallel, then added in their order.
const AT_ONCE: usize = 32;

/// Reads recordings and warns of damaged ones. Gives how many were refused. `begin_progress`: who is told of the work.
pub fn aggregate<P: Progress>(
    files: &[PathBuf],
    limits: ReadLimits,
    begin_progress: impl FnOnce() -> P,
) -> Result<(Aggregate, usize), Failure> {
    let bar = begin_progress();
    let size = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
    bar.start(files.iter().map(|path| size(path)).sum());
    let mut aggregator = Aggregator::new();
    let mut refused = Vec::new();
    // Several recordings use all cores without reading ahead.
    let alone = files.len() == 1;
    for batch in files.chunks(AT_ONCE) {
        let read = |path: &PathBuf| {
            bar.start_file(&path.display().to_string());
            let folded =
                Reader::open_with_limits(path, limits).and_then(if alone { Folded::read_ahead } else { Folded::read });
            bar.advance(size(path));
            folded
        };
        let folded: Vec<_> = batch.par_iter().map(read).collect();
        for folded in folded {
            match folded {
                Ok(folded) => aggregator.add(folded),
                Err(error) => refused.push(error),
            }
        }
    }
    drop(bar);
    if aggregator.is_empty()
        && let [only] = &refused[..]
    {
        return Err(Failure::input(foreign::explain_refusal(only)));
    }
    for error in &refused {
        messages::warn(format!("{}; left out", foreign::explain_refusal(error)));
    }
    if aggregator.is_empty() {
        return Err(Failure::input(format!("none of the {} files is a recording that can be read", files.len())));
    }
    let aggregate = aggregator.finish();
    for damaged in &aggregate.damaged {
        messages::warn(format!("{}: {}; the part before it is used", damaged.file, damaged.damage));
    }
    Ok((aggregate, refused.len()))
}
