//! The engine alone: puts constructor probes into every class of a jar, in one thread and in memory.
//!
//! `cargo bench -p weighbridge-rewriter --bench constructors -- JAR ROUNDS` prints megabytes of input per second of the
//! thread's CPU time, so that other load on the machine does not count.
//! `benches/asm/ConstructorCalls.java` does the same with ASM.

use std::env;
use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use weighbridge_bytecode::read::{ClassFile, PoolOffsets, op};
use weighbridge_probes::constructor::{Clones, ConstructorProbe, Constructors, Objects, Outcome, Placement, Track};
use weighbridge_rewriter::jar::{Archive, ByteSource, InflateBudget};

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo bench` adds `--bench`.
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [jar, rounds] = arguments.as_slice() else {
        // `cargo test --benches` runs this without arguments, too.
        println!("arguments: JAR ROUNDS");
        return Ok(());
    };
    let classes = read(Path::new(jar))?;
    let bytes: usize = classes.iter().map(Vec::len).sum();
    let mut engine = Constructors::default();
    for _ in 0..2 {
        round(&classes, &mut engine)?;
    }
    let mut rates = Vec::new();
    let mut done = Round::default();
    for _ in 0..rounds.parse()? {
        let started = cpu_time();
        done = round(&classes, &mut engine)?;
        rates.push(bytes as f64 / 1e6 / (cpu_time() - started).as_secs_f64());
    }
    let mut sorted = rates.clone();
    sorted.sort_by(f64::total_cmp);
    let median = sorted.get(sorted.len() / 2).ok_or("no rounds")?;
    let rates: Vec<String> = rates.iter().map(|rate| format!("{rate:.1}")).collect();
    let Round { bytes: bytes_out, skipped, probes, after_super, clones } = done;
    let returns = returns(&classes)?;
    println!(
        "{{\"engine\":\"weighbridge\",\"classes\":{},\"skipped\":{skipped},\"bytes_in\":{bytes},\
         \"bytes_out\":{bytes_out},\"probes\":{probes},\"after_super\":{after_super},\"returns\":{returns},\
         \"clone_probes\":{clones},\"median_mb_per_s\":{median:.1},\"mb_per_s\":[{}]}}",
        classes.len(),
        rates.join(","),
    );
    Ok(())
}

fn read(jar: &Path) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let archive = Archive::open(ByteSource::open(jar)?)?;
    let budget = InflateBudget::new(u32::MAX, u64::MAX);
    let classes = (0..archive.len()).filter(|&entry| archive.name(entry).ends_with(b".class"));
    Ok(classes.map(|entry| archive.content(entry, &budget)).collect::<Result<_, _>>()?)
}

/// What a round wrote.
#[derive(Default)]
struct Round {
    /// Unchanged classes included.
    bytes: usize,
    skipped: usize,
    /// Probes in constructors.
    probes: usize,
    /// Those after `super(...)`, because local 0 is not `this` at every return.
    after_super: usize,
    /// Probes at `clone()`, which the ASM program does not insert.
    clones: usize,
}

fn probe(id: usize) -> ConstructorProbe<'static> {
    let bridge = "bench/Weighbridge$0000000000000000";
    ConstructorProbe { bridge, id: id as u32, track: Track::Live, objects: Objects::All, clones: Clones::All }
}

fn round(classes: &[Vec<u8>], engine: &mut Constructors) -> Result<Round, Box<dyn Error>> {
    let mut done = Round::default();
    let mut pool = PoolOffsets::default();
    for (id, content) in classes.iter().enumerate() {
        let probe = probe(id);
        let class = ClassFile::read(content, &mut pool)?;
        match engine.rewrite(&class, &probe)? {
            Outcome::Rewritten(rewritten) => {
                let count_of =
                    |wanted| rewritten.sites.iter().filter(|(site, _)| site.call.placement == wanted).count();
                let clones = count_of(Placement::BeforeClone) + count_of(Placement::AfterClone);
                done.after_super += count_of(Placement::AfterSuper);
                done.probes += rewritten.sites.len() - clones;
                done.clones += clones;
                done.bytes += black_box(rewritten.bytes).len();
            }
            Outcome::Skipped(_) => {
                done.bytes += content.len();
                done.skipped += 1;
            }
        }
    }
    Ok(done)
}

/// The returns of all constructors with probes, where the ASM program inserts its calls. We insert fewer if one after
/// `super(...)` replaces several before returns.
fn returns(classes: &[Vec<u8>]) -> Result<usize, Box<dyn Error>> {
    let mut pool = PoolOffsets::default();
    let mut engine = Constructors::default();
    let probe = probe(0);
    let mut returns = 0;
    for content in classes {
        let class = ClassFile::read(content, &mut pool)?;
        let Outcome::Rewritten(rewritten) = engine.rewrite(&class, &probe)? else { continue };
        for method in class.methods()? {
            let method = method?;
            let is_probed = rewritten
                .sites
                .iter()
                .any(|(site, _)| site.method == method.index && !site.call.placement.is_of_clone());
            let Some(code) = method.code()?.filter(|_| is_probed) else { continue };
            for instruction in code.instructions() {
                returns += usize::from(instruction?.opcode() == op::RETURN);
            }
        }
    }
    Ok(returns)
}

/// CPU time of this thread.
#[cfg(unix)]
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Wall time, if there is no thread CPU time.
#[cfg(not(unix))]
fn cpu_time() -> Duration {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default()
}
