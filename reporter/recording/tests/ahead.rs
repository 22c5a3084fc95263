//! Reading with several threads gives the same as reading line by line, even of a damaged file.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use weighbridge_recording::{Line, ReadLimits, Reader};

const FIXTURE: &[u8] = include_bytes!("fixtures/v1.wbr");

/// Compares both readers: the lines, the error, the damage.
fn check(bytes: &[u8], limits: ReadLimits) -> usize {
    let open = || Reader::with_limits("made.wbr", bytes, limits);
    let (Ok(mut one_by_one), Ok(mut ahead)) = (open(), open()) else { return 0 };
    let mut expected: Vec<Line> = Vec::new();
    let mut error = None;
    for line in one_by_one.by_ref() {
        match line {
            Ok(line) => expected.push(line),
            Err(e) => error = Some(e.to_string()),
        }
    }
    let mut lines = Vec::new();
    let read = ahead.read_ahead(|line| lines.push(line));
    assert_eq!(read.err().map(|e| e.to_string()), error);
    without_ages_before_the_last(&mut lines);
    without_ages_before_the_last(&mut expected);
    assert_eq!(lines, expected);
    assert_eq!(ahead.damage(), one_by_one.damage());
    assert!(ahead.next().is_none(), "all was read");
    lines.len()
}

/// Removes what reading ahead may leave out: ages and holders in snapshots that are not the last of their JVM.
fn without_ages_before_the_last(lines: &mut [Line]) {
    let mut is_last = true;
    for line in lines.iter_mut().rev() {
        match line {
            Line::Header(_) => is_last = true,
            Line::Snapshot(snapshot) if !std::mem::take(&mut is_last) => {
                for row in &mut snapshot.classes {
                    (row.ages, row.full_ages, row.holders) = (None, None, None);
                }
            }
            _ => {}
        }
    }
}

fn member(text: &str) -> Vec<u8> {
    let mut member = GzEncoder::new(Vec::new(), Compression::fast());
    member.write_all(text.as_bytes()).unwrap();
    member.finish().unwrap()
}

#[test]
fn a_recording_cut_or_changed_at_any_byte_gives_the_same_lines_and_damage() {
    let whole = check(FIXTURE, ReadLimits::default());
    assert!(whole > 10, "{whole} lines");
    for at in 0..FIXTURE.len() {
        check(&FIXTURE[..at], ReadLimits::default());
        let mut changed = FIXTURE.to_vec();
        changed[at] ^= 0x10;
        check(&changed, ReadLimits::default());
    }
}

#[test]
fn many_members_bad_lines_newer_headers_and_limits_give_the_same_line() {
    let note = |n: usize| format!("{{\"kind\":\"note\",\"text\":\"{}\"}}\n", "x".repeat(n));
    let header = "{\"kind\":\"header\",\"format\":1}\n";
    // More than a batch, in members of any length.
    let notes: Vec<u8> = (0..600).flat_map(|n| member(&(note(n * 10) + "\n" + &note(20 * n)))).collect();
    let of = |tail: &[u8]| [&member(header)[..], &notes, tail, &notes].concat();
    assert_eq!(check(&of(&[]), ReadLimits::default()), 1 + 4 * 600);
    assert_eq!(check(&of(&member(header)), ReadLimits::default()), 2 + 4 * 600);
    for tail in ["{\"kind\":\"header\",\"format\":99}\n", "\n\nnonsense\n", "{\"kind\":\"note\",\"te"] {
        assert_eq!(check(&of(&member(tail)), ReadLimits::default()), 1 + 2 * 600, "{tail}");
    }
    assert_eq!(check(&of(b"PK"), ReadLimits::default()), 1 + 2 * 600);
    let short = ReadLimits { line: 6_000, ..ReadLimits::default() };
    assert!((100..1_200).contains(&check(&of(&[]), short)));
    let small = ReadLimits { member: 6_000, ..ReadLimits::default() };
    assert!((100..1_200).contains(&check(&of(&[]), small)));
}

#[test]
fn the_last_snapshot_of_each_jvm_is_whole_wherever_members_and_damage_end_it() {
    let header = "{\"kind\":\"header\",\"format\":1}\n".to_owned();
    let snapshot = |seq: u64| {
        let rows = "{\"id\":0,\"allocated\":9,\"live\":5,\"ages\":[2,3],\"full_ages\":[5,0]}";
        format!("{{\"kind\":\"snapshot\",\"seq\":{seq},\"age_from\":[0,1],\"classes\":[{rows}],\"components\":[]}}\n")
    };
    let bad = "{\"kind\":\"snapshot\",\"seq\":-1}\n".to_owned();
    let whole_at = |texts: &[String]| -> Vec<u64> {
        let bytes: Vec<u8> = texts.iter().flat_map(|text| member(text)).collect();
        check(&bytes, ReadLimits::default());
        let mut whole = Vec::new();
        let mut reader = Reader::new("made.wbr", bytes.as_slice()).unwrap();
        let take = |line| match line {
            Line::Snapshot(snapshot) if snapshot.classes[0].ages.is_some() => whole.push(snapshot.seq),
            _ => {}
        };
        reader.read_ahead(take).unwrap();
        whole
    };
    let (one, two, three) = (snapshot(1), snapshot(2), snapshot(3));
    assert_eq!(whole_at(&[header.clone(), one.clone(), two.clone(), three.clone()]), [3], "those before it in outline");
    assert_eq!(whole_at(&[header.clone(), one.clone(), two.clone(), bad]), [2], "nothing can be read behind it");
    let other_jvm = format!("{one}{header}{two}");
    assert_eq!(whole_at(&[header.clone(), other_jvm, three.clone()]), [1, 2, 3], "a header in the same member");
    assert_eq!(whole_at(&[header.clone(), one, header, two, three]), [1, 3], "a header in the next one");
}
