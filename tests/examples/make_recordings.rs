//! Makes recordings to measure with: `make_recordings DIR FILES SNAPSHOTS CLASSES COMPONENTS SECONDS [DISTINCT]`.
//!
//! `fleet 1000 100 200 20 60 20` is what a report of a thousand JVMs reads, `day 1 8640 200 20 10` a day of one.
//! Of more files than DISTINCT the others are JVMs of their own with the snapshots of one of those: made quickly.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use weighbridge_tests::made_recording::{self, Shape};

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let usage = "make_recordings DIR FILES SNAPSHOTS CLASSES COMPONENTS SECONDS [DISTINCT]";
    let folder = PathBuf::from(arguments.next().expect(usage));
    let mut optional = || arguments.next().map(|text| text.parse::<u64>().expect(usage));
    let mut number = || optional().expect(usage);
    let files = number();
    let shape = Shape {
        snapshots: number(),
        classes: number() as usize,
        components: number() as usize,
        interval_ms: number() * 1_000,
        seed: 0,
    };
    let distinct = optional().unwrap_or(files).clamp(1, files);
    fs::create_dir_all(&folder)?;
    let path = |seed: u64| folder.join(format!("jvm-{seed:04}.wbr"));
    let make = |seed: u64| -> io::Result<()> {
        let output = BufWriter::new(File::create(path(seed))?);
        if seed <= distinct {
            return made_recording::write(output, &Shape { seed, ..shape });
        }
        let other = fs::read(path((seed - 1) % distinct + 1))?;
        made_recording::write_with_snapshots_of(&other, output, &Shape { seed, ..shape })
    };
    side_by_side(1..=distinct, make)?;
    side_by_side(distinct + 1..=files, make)
}

fn side_by_side(seeds: RangeInclusive<u64>, make: impl Fn(u64) -> io::Result<()> + Sync) -> io::Result<()> {
    let next = AtomicU64::new(*seeds.start());
    let work = || loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed > *seeds.end() {
            return Ok(());
        }
        make(seed)?;
    };
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker that does not panic"))
    })
}
