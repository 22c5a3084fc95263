//! Recordings of any length, made without a JVM, for tests and benchmarks of readers.
//!
//! They look like those of a server with a pool of caches: classes in components, some counted exactly and some
//! sampled, live counts that go up and down, and one class that leaks. The identities of the format hold:
//! `exclusive_bytes` and `shared_bytes` add up to `deep_bytes`, ages to `live`, and the exclusive bytes of the components
//! and `shared_once_bytes` to the measured bytes. The same shape gives the same bytes.

use std::io::{self, Write};

use flate2::bufread::GzDecoder;
use weighbridge_recording::{
    ClassLine, ClassRow, Collections, ComponentRow, Cost, Footer, Header, Jvm, JvmHeap, Line, LinkLine, OriginRow,
    SiteNode, SiteObjects, Sites, Snapshot, TagRow, ThreadRow, Total, Track, WalkOutcome, Writer,
};

/// Midnight of 2026-11-20 (UTC), milliseconds since the Unix epoch: when the first recording starts.
const FIRST_START_MS: u64 = 1_795_132_800_000;
const AGE_FROM: [u64; 6] = [0, 1, 2, 4, 8, 16];
/// One class in this many is sampled.
const SAMPLED: usize = 5;
/// One snapshot in this many follows a full collection.
const COLLECTED: u64 = 6;

/// What a made recording holds.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Snapshots.
    pub snapshots: u64,
    /// Classes, each with a row in every snapshot.
    pub classes: usize,
    /// Components; the classes are assigned to them in turn.
    pub components: usize,
    /// Milliseconds from one snapshot to the next.
    pub interval_ms: u64,
    /// Determines all figures; recordings with different seeds are of different JVMs of one program.
    pub seed: u64,
}

impl Shape {
    /// A day with a snapshot every 10 seconds, of 200 classes in 20 components.
    pub fn day() -> Self {
        Shape { snapshots: 8_640, classes: 200, components: 20, interval_ms: 10_000, seed: 1 }
    }

    /// Name of a component: `web.0`, `store.1`, ...
    pub fn component(&self, index: usize) -> String {
        format!("{}.{index}", ["web", "store", "search", "batch"][index % 4])
    }

    /// Name of a class. Class 0 is the one that leaks.
    pub fn class(&self, index: usize) -> String {
        let noun = ["Session", "Page", "Entry", "Order", "Index", "Buffer", "Token"][index % 7];
        format!("com.acme.{}.{noun}{index}", self.component(index % self.components))
    }
}

/// Writes a recording of this shape, with one snapshot per gzip member.
pub fn write(output: impl Write, shape: &Shape) -> io::Result<()> {
    assert!(shape.classes > 0 && shape.components > 0, "a recording has classes and components");
    let mut random = Random(shape.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut writer = Writer::new(output);
    announce(&mut writer, shape, &mut random)?;
    let mut live: Vec<u64> = (0..shape.classes).map(|_| 100 + random.below(20_000)).collect();
    let mut allocated = live.clone();
    for seq in 1..=shape.snapshots {
        for (id, live) in live.iter_mut().enumerate() {
            let turnover = random.below(*live / 4 + 10);
            allocated[id] += turnover;
            *live = match id {
                0 => *live + 400 + random.below(200),
                _ => (*live + turnover).saturating_sub(random.below(2 * turnover + 1)),
            };
        }
        allocated[0] += 600;
        writer.line(&Line::Snapshot(Box::new(snapshot(shape, seq, &live, &allocated))))?;
        if seq == shape.snapshots {
            writer.line(&Line::Sites(sites(shape, seq, &live)))?;
        }
        writer.end_member()?;
    }
    writer.line(&footer(shape))?;
    writer.finish()?.flush()
}

/// Writes a recording of this shape with the snapshots of `other`, a recording of a shape that differs only in its seed.
/// This takes a hundredth of the time of [`write`].
pub fn write_with_snapshots_of(other: &[u8], mut output: impl Write, shape: &Shape) -> io::Result<()> {
    let mut snapshots = other;
    io::copy(&mut GzDecoder::new(&mut snapshots), &mut io::sink())?;
    let mut writer = Writer::new(&mut output);
    announce(&mut writer, shape, &mut Random(shape.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)))?;
    output.write_all(snapshots)?;
    output.flush()
}

/// The first member: the JVM and its classes.
fn announce<W: Write>(writer: &mut Writer<W>, shape: &Shape, random: &mut Random) -> io::Result<()> {
    writer.line(&header(shape, random))?;
    writer.line(&Line::Link(LinkLine {
        jar: Some("acme.jar".to_owned()),
        tool: Some("0.1.0".to_owned()),
        base: Some(0),
        skipped_total: Some(0),
        ..LinkLine::default()
    }))?;
    for id in 0..shape.classes {
        writer.line(&Line::Class(class_line(shape, id)))?;
    }
    writer.end_member()
}

fn header(shape: &Shape, random: &mut Random) -> Line {
    let id = (random.next(), random.next());
    let mut header = Header::new(
        "0.1.0",
        &format!(
            "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
            id.0 >> 32,
            id.0 & 0xffff,
            id.1 & 0xfff,
            id.1 >> 52,
            id.1 >> 4 & 0xffff_ffff_ffff
        ),
    );
    header.started_ms = Some(FIRST_START_MS + shape.seed % 2_000 * 30_000);
    header.sizes = Some("instrumentation".to_owned());
    header.access = Some("instrumentation".to_owned());
    header.jvm = Jvm {
        pid: Some(1_000 + shape.seed),
        version: Some("21.0.8".to_owned()),
        vendor: Some("Eclipse Adoptium".to_owned()),
        name: Some("OpenJDK 64-Bit Server VM".to_owned()),
        collector: Some("G1".to_owned()),
        max_heap_bytes: Some(4 << 30),
        compressed_oops: Some(true),
        compressed_class_pointers: Some(true),
        compact_headers: Some(false),
        object_alignment: Some(8),
        header_bytes: Some(12),
        reference_bytes: Some(4),
        main: Some("com.acme.Server".to_owned()),
    };
    Line::Header(header)
}

fn class_line(shape: &Shape, id: usize) -> ClassLine {
    ClassLine {
        id: id as u64,
        class: shape.class(id),
        component: Some(shape.component(id % shape.components)),
        track: Some(Track::Live),
        jar: Some("acme.jar".to_owned()),
        loader: None,
        fields: None,
    }
}

fn instance_bytes(id: usize) -> u64 {
    16 + 8 * (id as u64 % 9)
}

fn snapshot(shape: &Shape, seq: u64, live: &[u64], allocated: &[u64]) -> Snapshot {
    let uptime_ms = seq * shape.interval_ms;
    let started = FIRST_START_MS + shape.seed % 2_000 * 30_000;
    let rows: Vec<ClassRow> = (0..live.len()).map(|id| class_row(id, seq, live[id], allocated[id])).collect();
    let components: Vec<ComponentRow> =
        (0..shape.components.min(shape.classes)).map(|index| component_row(shape, index, &rows)).collect();
    let sum = |figure: fn(&ComponentRow) -> Option<u64>| components.iter().filter_map(figure).sum::<u64>();
    // Two components share each shared byte.
    let shared_once = sum(|row| row.shared_even_bytes);
    let measured = sum(|row| row.exclusive_bytes) + shared_once;
    Snapshot {
        seq,
        at_ms: Some(started + uptime_ms),
        uptime_ms: Some(uptime_ms),
        reason: Some(if seq == shape.snapshots { "exit" } else { "interval" }.to_owned()),
        label: None,
        collected: Some(seq.is_multiple_of(COLLECTED) || seq == shape.snapshots),
        marking: None,
        dump: None,
        interval: None,
        heap: Some(JvmHeap {
            used_bytes: Some(measured + (200 << 20)),
            committed_bytes: Some(2 << 30),
            max_bytes: Some(4 << 30),
            runtime_bytes: None,
        }),
        collections: Some(Collections { young: Some(seq * 3), full: Some(seq / COLLECTED), pause_ms: Some(seq * 12) }),
        age_from: AGE_FROM.to_vec(),
        threads: threads(&rows),
        tags: tags(&rows),
        total: Some(Total {
            measured_objects: Some(rows.iter().filter_map(|row| row.deep_objects).sum()),
            measured_bytes: Some(measured),
            off_heap_bytes: Some(0),
        }),
        shared_once_bytes: Some(shared_once),
        walk: Some(WalkOutcome {
            objects: Some(measured / 40),
            ns: Some(measured / 8),
            closed_objects: Some(0),
            roots_every: None,
            stopped: None,
        }),
        classes: rows,
        components,
    }
}

fn class_row(id: usize, seq: u64, live: u64, allocated: u64) -> ClassRow {
    let exact = id % SAMPLED != SAMPLED - 1;
    let tracked = if exact { live } else { live.min(1_000) };
    let deep = live * (instance_bytes(id) + 40);
    let shared = deep / 10 * (id as u64 % 3);
    let oldest = seq * 3;
    let mut ages = vec![0; AGE_FROM.len()];
    let young = live / 2;
    ages[0] = live - young;
    let bucket = AGE_FROM.iter().rposition(|from| *from <= oldest).unwrap_or(0);
    ages[bucket] += young;
    let mut full_ages = vec![0; AGE_FROM.len()];
    full_ages[0] = live;
    ClassRow {
        id: id as u64,
        allocated,
        live: Some(live),
        live_error: Some(if exact { 0.0 } else { live as f64 / (tracked as f64).sqrt().max(1.0) }),
        exact: Some(exact),
        tracked: Some(tracked),
        shallow_bytes: Some(live * instance_bytes(id)),
        met: None,
        // As older runtimes wrote.
        own_bytes: None,
        own_shared_bytes: None,
        deep_bytes: Some(deep),
        deep_objects: Some(live * 2),
        exclusive_bytes: Some(deep - shared),
        shared_bytes: Some(shared),
        off_heap_bytes: Some(0),
        oldest: Some(oldest),
        oldest_full: Some(seq / COLLECTED),
        generations: Some(if id == 0 { seq } else { 4 }),
        ages: Some(ages),
        full_ages: Some(full_ages),
        instance_bytes: Some(instance_bytes(id)),
        since_collection: Some(allocated / seq.max(1)),
        last_cycle: Some(allocated / seq.max(1)),
        ..ClassRow::default()
    }
}

fn component_row(shape: &Shape, index: usize, rows: &[ClassRow]) -> ComponentRow {
    let mine = || rows.iter().skip(index).step_by(shape.components);
    let sum = |figure: fn(&ClassRow) -> Option<u64>| mine().filter_map(figure).sum::<u64>();
    let shared = sum(|row| row.shared_bytes);
    ComponentRow {
        name: shape.component(index),
        live: Some(sum(|row| row.live)),
        live_error: Some(mine().filter_map(|row| row.live_error).fold(0.0, f64::hypot)),
        not_collected: None,
        not_collected_error: None,
        exact: Some(mine().all(|row| row.exact == Some(true))),
        shallow_bytes: Some(sum(|row| row.shallow_bytes)),
        own_bytes: None,
        own_shared_bytes: None,
        deep_bytes: Some(sum(|row| row.exclusive_bytes) + shared),
        exclusive_bytes: Some(sum(|row| row.exclusive_bytes)),
        shared_bytes: Some(shared),
        shared_even_bytes: Some(shared / 2),
        off_heap_bytes: Some(0),
    }
}

fn threads(rows: &[ClassRow]) -> Vec<ThreadRow> {
    let share = |name: &str, part: usize| {
        let mine = || rows.iter().skip(part).step_by(2);
        ThreadRow {
            name: name.to_owned(),
            figures: OriginRow {
                allocated: Some(mine().map(|row| row.allocated).sum()),
                live: Some(mine().filter_map(|row| row.live).sum()),
                live_error: Some(mine().filter_map(|row| row.live_error).fold(0.0, f64::hypot)),
                tracked: Some(mine().filter_map(|row| row.tracked).sum()),
                shallow_bytes: Some(mine().filter_map(|row| row.shallow_bytes).sum()),
                ..OriginRow::default()
            },
        }
    };
    vec![share("http-*", 0), share("batch-*", 1)]
}

/// Two of three classes were constructed under a tag, with the figures of their rows.
fn tags(rows: &[ClassRow]) -> Vec<TagRow> {
    let tagged = |value: &str, part: usize| {
        let mine = || rows.iter().skip(part).step_by(3);
        let error = mine().filter_map(|row| row.live_error).fold(0.0, f64::hypot);
        TagRow {
            key: "request".to_owned(),
            value: value.to_owned(),
            figures: OriginRow {
                allocated: Some(mine().map(|row| row.allocated).sum()),
                allocated_error: Some(error),
                live: Some(mine().filter_map(|row| row.live).sum()),
                live_error: Some(error),
                tracked: Some(mine().filter_map(|row| row.tracked).sum()),
                shallow_bytes: Some(mine().filter_map(|row| row.shallow_bytes).sum()),
                own_bytes: None,
                ..OriginRow::default()
            },
        }
    };
    vec![tagged("GET /orders", 0), tagged("other", 1)]
}

/// Two of three classes have a site, in a method below that of their component, for all but ten of their objects.
fn sites(shape: &Shape, seq: u64, live: &[u64]) -> Sites {
    let node = |id: usize, parent: Option<usize>, frame: String| SiteNode {
        id: id as u64,
        parent: parent.map(|id| id as u64),
        frame,
        cut: false,
    };
    let mut sites = Sites { seq, nodes: vec![node(0, None, "com.acme.Server.main".to_owned())], ..Sites::default() };
    for index in 0..shape.components {
        sites.nodes.push(node(1 + index, Some(0), format!("com.acme.{}.Service.handle", shape.component(index))));
    }
    let mut unknown = 0;
    for (class, live) in live.iter().enumerate() {
        let known = if class % 3 == 2 { 0 } else { live.saturating_sub(10) };
        unknown += live - known;
        if known > 0 {
            let id = 1 + shape.components + class;
            sites.nodes.push(node(id, Some(1 + class % shape.components), format!("{}.<init>", shape.class(class))));
            let bytes = known * instance_bytes(class);
            sites.objects.push(SiteObjects { site: id as u64, class: class as u64, objects: known, bytes });
        }
    }
    sites.unknown_objects = Some(unknown);
    sites
}

fn footer(shape: &Shape) -> Line {
    let uptime_ms = shape.snapshots * shape.interval_ms + 5;
    Line::Footer(Footer {
        at_ms: Some(FIRST_START_MS + shape.seed % 2_000 * 30_000 + uptime_ms),
        uptime_ms: Some(uptime_ms),
        reason: Some("exit".to_owned()),
        cost: Some(Cost {
            snapshots: Some(shape.snapshots),
            forced_collections: Some(shape.snapshots / COLLECTED),
            ..Cost::default()
        }),
    })
}

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `bound`, which is not 0.
    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weighbridge_recording::Reader;

    #[test]
    fn a_made_recording_reads_to_its_end_and_keeps_the_identities_of_the_format() {
        let shape = Shape { snapshots: 7, classes: 23, components: 4, interval_ms: 1_000, seed: 3 };
        let mut bytes = Vec::new();
        write(&mut bytes, &shape).unwrap();
        let mut reader = Reader::new("made.wbr", bytes.as_slice()).unwrap();
        let mut snapshots = 0;
        for line in reader.by_ref() {
            let Line::Snapshot(snapshot) = line.unwrap() else { continue };
            snapshots += 1;
            assert_eq!(snapshot.classes.len(), 23);
            for row in &snapshot.classes {
                assert_eq!(row.exclusive_bytes.unwrap() + row.shared_bytes.unwrap(), row.deep_bytes.unwrap());
                assert_eq!(row.ages.as_ref().unwrap().iter().sum::<u64>(), row.live.unwrap());
                assert!(row.allocated >= row.live.unwrap(), "{row:?}");
            }
            let exclusive: u64 = snapshot.components.iter().filter_map(|row| row.exclusive_bytes).sum();
            let measured = snapshot.total.unwrap().measured_bytes.unwrap();
            assert_eq!(exclusive + snapshot.shared_once_bytes.unwrap(), measured);
        }
        assert!(reader.damage().is_none());
        assert_eq!(snapshots, 7);
        let mut again = Vec::new();
        write(&mut again, &shape).unwrap();
        assert_eq!(bytes, again, "the same shape gives the same bytes");

        let (mut other, mut copy) = (Vec::new(), Vec::new());
        write_with_snapshots_of(&bytes, &mut copy, &Shape { seed: 4, ..shape }).unwrap();
        write(&mut other, &Shape { seed: 4, ..shape }).unwrap();
        let lines = |bytes: &[u8]| Reader::new("made.wbr", bytes).unwrap().map(Result::unwrap).collect::<Vec<_>>();
        let (lines, other, copy) = (lines(&bytes), lines(&other), lines(&copy));
        let announced = 2 + shape.classes;
        assert_eq!((&copy[..announced], &copy[announced..]), (&other[..announced], &lines[announced..]));
    }
}
