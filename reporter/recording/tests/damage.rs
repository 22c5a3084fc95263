//! A reader ends early at a cut, a flipped bit or hostile data, and reports the offset.

use std::io::{self, BufReader, Read, Write};

use flate2::{Compression, write::GzEncoder};
use weighbridge_recording::{Damage, DamageKind, Error, Line, ReadLimits, Reader, RecordingErrorKind, copy_intact};

const V1: &[u8] = include_bytes!("fixtures/v1.wbr");
const HEADER: &str = "{\"kind\":\"header\",\"format\":1}\n";

fn read(bytes: &[u8]) -> Result<(Vec<Line>, Option<Damage>), Error> {
    let mut reader = Reader::new("test.wbr", bytes)?;
    let lines = reader.by_ref().collect::<Result<_, _>>()?;
    Ok((lines, reader.damage().cloned()))
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// The offsets of the members of `bytes`, and the length of all.
fn members(bytes: &[u8]) -> Vec<usize> {
    let mut starts = vec![0];
    while *starts.last().unwrap() < bytes.len() {
        let at = *starts.last().unwrap();
        let mut decoder = flate2::bufread::GzDecoder::new(&bytes[at..]);
        io::copy(&mut decoder, &mut io::sink()).unwrap();
        starts.push(bytes.len() - decoder.into_inner().len());
    }
    starts
}

#[test]
fn every_cut_delivers_the_complete_lines_before_it_and_names_its_offset() {
    let (whole, _) = read(V1).unwrap();
    let starts = members(V1);
    assert_eq!(starts.len(), 5);
    // The lines before the start of each member.
    let complete = [0, 6, 7, 10, 12];
    for cut in 1..V1.len() {
        let (at_least, member) = starts
            .iter()
            .zip(complete)
            .rev()
            .find(|(start, _)| **start <= cut)
            .map(|(start, lines)| (lines, *start))
            .unwrap();
        match read(&V1[..cut]) {
            Err(e) => {
                assert!(matches!(e.kind(), RecordingErrorKind::NoHeader(_)), "cut {cut}: {e}");
                assert_eq!(at_least, 0);
            }
            Ok((lines, damage)) => {
                assert_eq!(lines, whole[..lines.len()], "cut {cut}");
                assert!(lines.len() >= at_least, "cut {cut}");
                if cut == member {
                    assert_eq!(damage, None, "cut {cut} is between members");
                } else {
                    let damage = damage.unwrap();
                    assert_eq!(damage.kind, DamageKind::Cut, "cut {cut}");
                    assert_eq!((damage.offset, damage.member), (cut as u64, member as u64));
                }
            }
        }
    }
}

/// Members of notes that inflate to 8 MiB each, from 8 KiB.
fn inflating(members: usize) -> Vec<u8> {
    let note = format!("{{\"kind\":\"note\",\"text\":\"{}\"}}\n", "x".repeat(8 << 20));
    [gzip(HEADER.as_bytes()), gzip(note.as_bytes()).repeat(members)].concat()
}

#[test]
fn a_recording_that_inflates_without_end_ends_where_the_ratio_is_passed() {
    let bytes = inflating(20);
    let (lines, damage) = read(&bytes).unwrap();
    assert_eq!(lines.len(), 2, "the header, and one member within the 16 MiB that are free");
    let damage = damage.unwrap();
    assert_eq!(damage.kind, DamageKind::RatioTooHigh(100));
    assert!(damage.to_string().contains("--max-ratio"), "{damage}");
    assert!(damage.offset > 0 && damage.offset == damage.member, "{damage}");
    let mut ahead = Reader::new("test.wbr", bytes.as_slice()).unwrap();
    let mut taken = 0;
    ahead.read_ahead(|_| taken += 1).unwrap();
    assert_eq!((taken, ahead.damage()), (2, Some(&damage)));
    let limits = ReadLimits { ratio: 2_000, ..ReadLimits::default() };
    let mut allowed = Reader::with_limits("test.wbr", bytes.as_slice(), limits).unwrap();
    assert_eq!((allowed.by_ref().count(), allowed.damage()), (21, None));
    let mut total =
        Reader::with_limits("test.wbr", bytes.as_slice(), ReadLimits { total: 40 << 20, ..limits }).unwrap();
    assert_eq!(total.by_ref().count(), 5);
    assert_eq!(total.damage().map(|damage| damage.kind.clone()), Some(DamageKind::TooLong(40 << 20)));
    assert!(total.damage().unwrap().to_string().contains("--max-inflated"));
}

#[test]
fn half_a_character_in_a_name_loses_no_line() {
    let row = r#"{"id":0,"allocated":3,"live":2,"live_error":0.0,"exact":true}"#;
    let snapshot = format!(
        r#"{{"kind":"snapshot","seq":1,"classes":[{row}],"threads":[{{"name":"worker \ud83d","allocated":3,"live":2}}],"tags":[{{"key":"k\ude00","value":"\ud83d\ude00","live":2}}]}}"#
    );
    let bytes = gzip(format!("{HEADER}{snapshot}\n").as_bytes());
    let (lines, damage) = read(&bytes).unwrap();
    assert_eq!(damage, None);
    let Some(Line::Snapshot(snapshot)) = lines.last() else { panic!("{lines:?}") };
    assert_eq!((snapshot.threads[0].name.as_str(), snapshot.classes.len()), (r"worker \ud83d", 1));
    assert_eq!((snapshot.tags[0].key.as_str(), snapshot.tags[0].value.as_str()), (r"k\ude00", "\u{1f600}"));
    let mut ahead = Vec::new();
    Reader::new("test.wbr", bytes.as_slice()).unwrap().read_ahead(|line| ahead.push(line)).unwrap();
    assert_eq!(ahead, lines);
}

#[test]
fn a_long_cut_member_delivers_its_complete_lines() {
    let mut text = HEADER.to_owned();
    for n in 0..20_000 {
        text += &format!("{{\"kind\":\"note\",\"text\":\"{n}\"}}\n");
    }
    let bytes = gzip(text.as_bytes());
    let (lines, damage) = read(&bytes[..bytes.len() / 2]).unwrap();
    assert!(lines.len() > 1_000, "{} lines", lines.len());
    let Some(Line::Note(last)) = lines.last() else { panic!("a note is last") };
    assert_eq!(last.text, (lines.len() - 2).to_string());
    assert_eq!(damage.unwrap().kind, DamageKind::Cut);
}

#[test]
fn a_damaged_member_gives_none_of_its_lines_and_its_offset_is_named() {
    let starts = members(V1);
    let mut bytes = V1.to_vec();
    bytes[starts[2] + 40] ^= 0x10;
    let (lines, damage) = read(&bytes).unwrap();
    assert_eq!(lines.len(), 7);
    let damage = damage.unwrap();
    assert_eq!(damage.offset, starts[2] as u64);
    assert!(matches!(damage.kind, DamageKind::Corrupt(_)));
}

#[test]
fn bytes_after_the_last_member_are_named() {
    for tail in [&b"garbage"[..], &[0; 4096], b"\x1f\x8c no gzip"] {
        let (lines, damage) = read(&[V1, tail].concat()).unwrap();
        assert_eq!(lines.len(), 12);
        let damage = damage.unwrap();
        assert_eq!(damage.kind, DamageKind::Foreign);
        assert_eq!(damage.to_string(), format!("no gzip member at byte {}", V1.len()));
    }
}

#[test]
fn a_line_that_is_not_of_the_format_ends_the_reading_after_the_good_lines() {
    for bad in [
        "{\"kind\":\"snapshot\",\"seq\":-1}",
        "{\"kind\":\"class\",\"id\":1}",
        "{\"kind\":\"note\",\"text\":7}",
        "[1]",
        "{",
        "{\"kind\":\"x\"} trailing",
        "\u{0}",
    ] {
        let text = format!("{HEADER}{{\"kind\":\"note\",\"text\":\"good\"}}\n{bad}\n{HEADER}");
        let (lines, damage) = read(&gzip(text.as_bytes())).unwrap();
        assert_eq!(lines.len(), 2, "{bad}");
        assert!(matches!(damage.unwrap().kind, DamageKind::BadLine { line: 3, .. }));
    }
}

#[test]
fn a_bomb_is_bounded_by_the_limits() {
    let limits = ReadLimits { member: 10_000, line: 1_000, ..ReadLimits::default() };
    let bomb = gzip(&vec![b' '; 50 << 20]);
    assert!(bomb.len() < 1 << 20, "{} bytes", bomb.len());
    let stopped = |tail: &[u8]| {
        let bytes = [&gzip(HEADER.as_bytes()), tail].concat();
        let mut reader = Reader::with_limits("bomb", bytes.as_slice(), limits).unwrap();
        assert_eq!(reader.by_ref().count(), 1);
        reader.damage().unwrap().kind.clone()
    };
    assert_eq!(stopped(&bomb), DamageKind::MemberTooLong(10_000));
    let long = gzip(&vec![b'x'; 5_000]);
    assert_eq!(stopped(&long), DamageKind::LineTooLong(1_000));
}

#[test]
fn a_limit_is_not_reached_by_a_member_of_exactly_its_length() {
    let limits = ReadLimits { member: HEADER.len(), line: HEADER.len() - 1, ..ReadLimits::default() };
    let bytes = gzip(HEADER.as_bytes());
    let mut reader = Reader::with_limits("exact", bytes.as_slice(), limits).unwrap();
    assert_eq!(reader.by_ref().count(), 1);
    assert_eq!(reader.damage(), None);
}

#[test]
fn a_failing_disk_is_an_error_and_no_damage() {
    struct Failing<'a>(&'a [u8]);
    impl Read for Failing<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buf)? {
                0 => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "bad sector")),
                n => Ok(n),
            }
        }
    }
    let half = Failing(&V1[..V1.len() / 2]);
    let last = Reader::new("disk.wbr", BufReader::new(half)).unwrap().last().unwrap();
    assert_eq!(last.unwrap_err().to_string(), "disk.wbr: bad sector");
}

/// Reading never panics, and every line before the reported offset is an original one.
#[test]
fn seeded_mutations_never_panic_and_never_invent_lines_before_the_damage() {
    let seed = std::env::var("WEIGHBRIDGE_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0x5eed_2026_u64);
    println!("WEIGHBRIDGE_SEED={seed}");
    let mut random = XorShift(seed | 1);
    let starts = members(V1);
    let (whole, _) = read(V1).unwrap();
    let complete = [0, 6, 7, 10, 12];
    for case in 0..3_000 {
        let mut bytes = V1.to_vec();
        let first = random.below(bytes.len());
        match random.below(4) {
            0 => bytes[first] ^= 1 << random.below(8),
            1 => bytes.truncate(first),
            2 => drop(bytes.splice(first..first, vec![random.next() as u8; random.below(64)])),
            _ => {
                let end = (first + random.below(200)).min(bytes.len());
                bytes.drain(first..end);
            }
        }
        let intact = starts.iter().filter(|start| **start <= first).count() - 1;
        match read(&bytes) {
            Ok((lines, _)) => {
                let n = complete[intact].min(lines.len());
                assert_eq!(n, complete[intact], "case {case} lost lines");
                assert_eq!(lines[..n], whole[..n], "case {case}");
            }
            Err(e) => assert_eq!(intact, 0, "case {case}: {e}"),
        }
    }
    // The same with the text inside an intact member, for the parser.
    let text = {
        let mut text = Vec::new();
        let mut decoder = flate2::bufread::MultiGzDecoder::new(V1);
        decoder.read_to_end(&mut text).unwrap();
        text
    };
    for _ in 0..3_000 {
        let mut text = text.clone();
        for _ in 0..=random.below(4) {
            let at = random.below(text.len());
            text[at] = random.next() as u8;
        }
        let _ = read(&gzip(&text));
    }
}

/// Marsaglia's xorshift64: varies inputs, and is the same everywhere.
struct XorShift(u64);

impl XorShift {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

#[test]
fn a_copy_of_a_cut_recording_has_the_lines_read_from_it_and_reads_to_its_end() {
    for cut in 1..=V1.len() {
        let Ok((lines, damage)) = read(&V1[..cut]) else { continue };
        let mut copy = Vec::new();
        copy_intact(&V1[..cut], damage.as_ref(), &mut copy).unwrap();
        assert_eq!(read(&copy).unwrap(), (lines, None), "cut {cut}");
    }
}

#[test]
fn a_copy_of_a_damaged_recording_has_the_bytes_before_the_damage() {
    let third = members(V1)[2];
    let mut damaged = V1.to_vec();
    damaged[third + 40] ^= 0x55;
    let (lines, damage) = read(&damaged).unwrap();
    let mut copy = Vec::new();
    copy_intact(damaged.as_slice(), damage.as_ref(), &mut copy).unwrap();
    assert_eq!(copy, V1[..third]);
    assert_eq!(read(&copy).unwrap(), (lines, None));
}

#[test]
fn a_line_may_name_its_kind_anywhere_and_with_escapes() {
    let notes = "{\"text\":\"a\",\"kind\":\"note\"}\n{\"kind\":\"n\\u006fte\",\"text\":\"b\"}\n{ \"kind\" : \"note\", \"text\":\"c\"}\n";
    let (lines, damage) = read(&gzip(format!("{HEADER}{notes}").as_bytes())).unwrap();
    assert_eq!(damage, None);
    let texts: Vec<&str> =
        lines.iter().filter_map(|line| if let Line::Note(note) = line { Some(&*note.text) } else { None }).collect();
    assert_eq!(texts, ["a", "b", "c"]);
}
