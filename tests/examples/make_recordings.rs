//! Makes recordings to measure with: `make_recordings DIR FILES SNAPSHOTS CLASSES COMPONENTS SECONDS`.
//!
//! `fleet 1000 100 200 20 60` is what a report of a thousand JVMs reads, `day 1 8640 200 20 10` a day of one.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use weighbridge_tests::made_recording::{self, Shape};

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let usage = "make_recordings DIR FILES SNAPSHOTS CLASSES COMPONENTS SECONDS";
    let folder = PathBuf::from(arguments.next().expect(usage));
    let mut number = || arguments.next().and_then(|text| text.parse::<u64>().ok()).expect(usage);
    let files = number();
    let shape = Shape {
        snapshots: number(),
        classes: number() as usize,
        components: number() as usize,
        interval_ms: number() * 1_000,
        seed: 0,
    };
    fs::create_dir_all(&folder)?;
    let next = AtomicU64::new(1);
    let make = || -> io::Result<()> {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed > files {
                return Ok(());
            }
            let file = File::create(folder.join(format!("jvm-{seed:04}.wbr")))?;
            made_recording::write(BufWriter::new(file), &Shape { seed, ..shape })?;
        }
    };
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(make)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker that does not panic"))
    })
}
