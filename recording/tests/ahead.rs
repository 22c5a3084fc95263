//! Reading by several threads gives what reading line by line gives, whatever is wrong with the file.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use weighbridge_recording::{Limits, Line, Reader};

const FIXTURE: &[u8] = include_bytes!("fixtures/v1.wbr");

/// Both ways: the lines, the error, the damage.
fn check(bytes: &[u8], limits: Limits) -> usize {
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
    assert_eq!(lines, expected);
    assert_eq!(ahead.damage(), one_by_one.damage());
    assert!(ahead.next().is_none(), "all was read");
    lines.len()
}

fn member(text: &str) -> Vec<u8> {
    let mut member = GzEncoder::new(Vec::new(), Compression::fast());
    member.write_all(text.as_bytes()).unwrap();
    member.finish().unwrap()
}

#[test]
fn a_recording_cut_or_changed_at_any_byte_gives_the_same_lines_and_damage() {
    let whole = check(FIXTURE, Limits::default());
    assert!(whole > 10, "{whole} lines");
    for at in 0..FIXTURE.len() {
        check(&FIXTURE[..at], Limits::default());
        let mut changed = FIXTURE.to_vec();
        changed[at] ^= 0x10;
        check(&changed, Limits::default());
    }
}

#[test]
fn many_members_bad_lines_newer_headers_and_limits_are_met_at_the_same_line() {
    let note = |n: usize| format!("{{\"kind\":\"note\",\"text\":\"{}\"}}\n", "x".repeat(n));
    let header = "{\"kind\":\"header\",\"format\":1}\n";
    // More than a batch, in members of any length.
    let notes: Vec<u8> = (0..600).flat_map(|n| member(&(note(n * 10) + "\n" + &note(20 * n)))).collect();
    let of = |tail: &[u8]| [&member(header)[..], &notes, tail, &notes].concat();
    assert_eq!(check(&of(&[]), Limits::default()), 1 + 4 * 600);
    assert_eq!(check(&of(&member(header)), Limits::default()), 2 + 4 * 600);
    for tail in ["{\"kind\":\"header\",\"format\":99}\n", "\n\nnonsense\n", "{\"kind\":\"note\",\"te"] {
        assert_eq!(check(&of(&member(tail)), Limits::default()), 1 + 2 * 600, "{tail}");
    }
    assert_eq!(check(&of(b"PK"), Limits::default()), 1 + 2 * 600);
    let short = Limits { line: 6_000, ..Limits::default() };
    assert!((100..1_200).contains(&check(&of(&[]), short)));
    let small = Limits { member: 6_000, ..Limits::default() };
    assert!((100..1_200).contains(&check(&of(&[]), small)));
}
