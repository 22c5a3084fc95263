//! A dump of a running JVM, taken for one report: in a file that has no name when it is read.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use rustix::fs::StatVfs;
use weighbridge_ending::signals::BeforeTheEnd;
use weighbridge_ending::{Failure, output};
use weighbridge_jvms::{AttachTarget, Safepoints};
use weighbridge_reporter::heap::DumpedProcess;
use weighbridge_reporter::units::bytes;

use crate::private_folder::{DUMP, PrivateFolder};

/// How long a JVM may take to listen and to tell of its heap.
const PATIENCE: Duration = Duration::from_secs(60);
/// A dump takes as long as it takes: a JVM that ends or is stopped is seen meanwhile, and a signal ends the wait.
const UNTIL_IT_ENDS: Duration = Duration::from_secs(7 * 24 * 3600);
/// A reference of 4 bytes takes 8 in a dump, and a header of 12 bytes 25. From JDK 22 on, parts are written and then joined.
const OF_HEAP_IN_USE: u64 = 2;
/// Names and classes.
const BESIDE_THE_HEAP: u64 = 16 << 20;
/// What HotSpot says of a dump that is whole. Its status is 0 in any case.
const WHOLE: &str = "Heap dump file created";
const NAME: &str = "dump.hprof";

/// What is wanted of a dump.
pub struct DumpRequest<'a> {
    /// A collection before.
    pub live: bool,
    /// Where it stays.
    pub keep: Option<&'a Path>,
    /// Whether it may replace a file there.
    pub force: bool,
    /// Takes what has to be said and is no error.
    pub warn: fn(String),
}

/// A dump that is whole and open.
pub struct Taken {
    pub(super) file: File,
    /// What it is called in messages.
    pub(super) name: PathBuf,
    /// Whose it is, and what it cost.
    pub process: DumpedProcess,
}

/// Lets a JVM write a dump, opens it and removes it.
///
/// # Errors
/// What [`AttachTarget::command`] says, that there is no room, or the JVM's words why the dump is not whole. Nothing is left.
pub fn take(target: &AttachTarget, wanted: &DumpRequest<'_>, before_the_end: &BeforeTheEnd) -> Result<Taken, Failure> {
    let needed = estimate_dump_size(target, wanted.warn)?;
    let temporary = rustix::fs::fstatvfs(target.temporary_folder().descriptor());
    check_room(needed, temporary, &format!("/tmp of process {}", target.pid()))?;
    if let Some(folder) = wanted.keep.map(output::folder_of) {
        check_room(needed, rustix::fs::statvfs(folder), &folder.display().to_string())?;
    }
    let mut private = PrivateFolder::make(target)?;
    // A folder of its own: JVMs from 22 on write several files, and make no more of them when it is gone.
    let name = format!("{DUMP}{}-{}", target.inner_pid(), std::process::id());
    let remove = private.removal_of_inner(&name);
    let taken = before_the_end.begin(remove, || private.make_inner(&name)).map_err(Failure::from).and_then(|folder| {
        let process = dump(target, &folder.inside(NAME), wanted.live)?;
        let file = folder.open(NAME, "the dump")?;
        if let Some(keep) = wanted.keep {
            folder.keep(NAME, &file, (keep, wanted.force), before_the_end)?;
        }
        let name = wanted.keep.map_or_else(|| format!("process {}", target.pid()).into(), Path::to_owned);
        Ok(Taken { file, name, process })
    });
    before_the_end.act();
    taken
}

/// Lets the JVM write the dump to a path of its own, and measures what that costs the program.
fn dump(target: &AttachTarget, path: &str, live: bool) -> Result<DumpedProcess, Failure> {
    let at_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
    let before = target.safepoints();
    let begin = Instant::now();
    let answer = target.command("dumpheap", &[path, if live { "-live" } else { "-all" }], UNTIL_IT_ENDS);
    let answered = begin.elapsed();
    let answer = answer?;
    if !answer.contains(WHOLE) {
        // Newer JVMs say first that they begin. One that was killed then says no more: this tells it.
        target.heap_in_use(PATIENCE)?;
        let words = answer.trim().lines().next_back().unwrap_or("the JVM does not say why");
        return Err(Failure::input(format!("process {}: the dump is not whole: {words}", target.pid())));
    }
    let stopped = before.zip(target.safepoints()).and_then(|(before, after)| stopped(before, after, answered));
    Ok(DumpedProcess {
        pid: target.pid(),
        main: target.main().map(str::to_owned),
        at_ms,
        live,
        stopped_ms: stopped.map(|stopped| rounded_up(stopped.time)),
        safepoints: stopped.map(|stopped| stopped.count),
        answered_ms: rounded_up(answered),
    })
}

/// What was counted between two moments; `None` if that cannot be of the dump.
fn stopped(before: Safepoints, after: Safepoints, answered: Duration) -> Option<Safepoints> {
    let count = after.count.checked_sub(before.count)?;
    let time = after.time.checked_sub(before.time)?;
    (count > 0 && time > Duration::ZERO && time <= answered).then_some(Safepoints { count, time })
}

fn rounded_up(time: Duration) -> u64 {
    u64::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

/// The most bytes that a dump may take on disk, or `None` if the JVM's words about its heap are not understood.
fn estimate_dump_size(target: &AttachTarget, warn: fn(String)) -> Result<Option<(u64, u64)>, Failure> {
    let in_use = target.heap_in_use(PATIENCE)?;
    if in_use.is_none() {
        warn(format!("process {} does not tell its heap in use: free disk is not checked", target.pid()));
    }
    Ok(in_use.map(|in_use| (in_use, in_use.saturating_mul(OF_HEAP_IN_USE).saturating_add(BESIDE_THE_HEAP))))
}

fn check_room(needed: Option<(u64, u64)>, disk: rustix::io::Result<StatVfs>, shown: &str) -> Result<(), Failure> {
    let Some((in_use, needed)) = needed else { return Ok(()) };
    let found = disk.map_err(io::Error::from).with_context(|| shown.to_owned())?;
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    if free < needed {
        return Err(Failure::input(format!(
            "{shown}: {} are free, and the dump may take {} (twice the heap in use, {}, and its classes); make room, or \
             write the dump elsewhere with jcmd",
            bytes(free),
            bytes(needed),
            bytes(in_use)
        )));
    }
    Ok(())
}
