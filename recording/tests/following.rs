//! A recording that grows while it is read.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use weighbridge_recording::{DamageKind, ErrorKind, Follower, Header, Line, Note, Step, Writer};

fn note(text: &str) -> Line {
    Line::Note(Note { at_ms: None, text: text.to_owned() })
}

/// One member for each group of lines.
fn members(groups: &[&[Line]]) -> Vec<Vec<u8>> {
    let member = |lines: &&[Line]| {
        let mut writer = Writer::new(Vec::new());
        lines.iter().for_each(|line| writer.line(line).unwrap());
        writer.finish().unwrap()
    };
    groups.iter().map(member).collect()
}

fn recording() -> Vec<Vec<u8>> {
    let header = Line::Header(Header::new("0.1.0", "00000000-0000-0000-0000-000000000000"));
    members(&[&[header, note("one")], &[note("two"), note("three")], &[note("four")]])
}

struct TempFile(tempfile::TempDir);

impl TempFile {
    fn new() -> Self {
        TempFile(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("a.wbr")
    }

    fn append(&self, bytes: &[u8]) {
        OpenOptions::new().create(true).append(true).open(self.path()).unwrap().write_all(bytes).unwrap();
    }
}

/// Reads to the end of the file. Returns the notes' texts, `H` for a header, and the last step.
fn look(follower: &mut Follower) -> (Vec<String>, Step) {
    let mut seen = Vec::new();
    loop {
        let step = follower
            .step(&mut |line| {
                seen.push(match line {
                    Line::Header(_) => "H".to_owned(),
                    Line::Note(note) => note.text,
                    other => panic!("{other:?}"),
                });
            })
            .unwrap();
        match step {
            Step::Lines => {}
            Step::Restarted => seen.push("restarted".to_owned()),
            end => return (seen, end),
        }
    }
}

const END: Step = Step::End { cut: false };

#[test]
fn each_line_is_delivered_once_wherever_the_file_ends_at_a_look() {
    let bytes = recording().concat();
    for length in 0..=bytes.len() {
        let file = TempFile::new();
        let mut follower = Follower::new(&file.path());
        assert_eq!(look(&mut follower), (vec![], Step::Absent));
        file.append(&bytes[..length]);
        let (mut seen, _) = look(&mut follower);
        assert_eq!(look(&mut follower).0, Vec::<String>::new(), "nothing new, cut at {length}");
        file.append(&bytes[length..]);
        let (rest, end) = look(&mut follower);
        seen.extend(rest);
        assert_eq!((seen.join(" "), end), ("H one two three four".to_owned(), END), "cut at {length}");
    }
}

#[test]
fn a_replaced_file_is_read_from_its_beginning() {
    let file = TempFile::new();
    let parts = recording();
    file.append(&parts.concat());
    let mut follower = Follower::new(&file.path());
    assert_eq!(look(&mut follower).0.len(), 5);
    let other = file.0.path().join("b.wbr");
    fs::write(&other, parts.concat()).unwrap();
    fs::rename(&other, file.path()).unwrap();
    assert_eq!(look(&mut follower).0.join(" "), "restarted H one two three four");
    fs::write(file.path(), &parts[0]).unwrap();
    assert_eq!(look(&mut follower).0.join(" "), "restarted H one", "cut short in place");
    assert_eq!(follower.progress(), Some((parts[0].len() as u64, parts[0].len() as u64)));
}

#[test]
fn damage_ends_the_lines_for_good_after_those_before_it() {
    let file = TempFile::new();
    let mut parts = recording();
    let middle = parts[1].len() / 2;
    parts[1][middle] ^= 0xff;
    file.append(&parts.concat());
    let mut follower = Follower::new(&file.path());
    let (seen, end) = look(&mut follower);
    assert_eq!(seen.join(" "), "H one");
    let Step::Damaged(damage) = &end else { panic!("{end:?}") };
    assert_eq!(damage.offset, parts[0].len() as u64);
    assert!(matches!(damage.kind, DamageKind::Corrupt(_)), "{damage}");
    assert_eq!(look(&mut follower), (vec![], end.clone()), "and stays");
}

#[test]
fn another_file_is_refused_by_name() {
    let refuse = |path: &Path| match Follower::new(path).step(&mut |_| {}) {
        Err(e) => e,
        Ok(step) => panic!("{step:?}"),
    };
    let file = TempFile::new();
    file.append(b"PK not a recording");
    assert!(matches!(refuse(&file.path()).kind(), ErrorKind::NotARecording(why) if why == "it is not gzip"));
    fs::write(file.path(), members(&[&[note("no header")]]).concat()).unwrap();
    assert!(refuse(&file.path()).to_string().ends_with("its first line is no header"));
    let mut newer = Header::new("9", "00000000-0000-0000-0000-000000000000");
    newer.format = 99;
    fs::write(file.path(), members(&[&[Line::Header(newer)]]).concat()).unwrap();
    assert!(matches!(refuse(&file.path()).kind(), ErrorKind::NewerFormat { found: 99, .. }));
    assert!(matches!(refuse(file.0.path()).kind(), ErrorKind::Io(_)), "a folder");
}

#[test]
fn many_batches_are_delivered_in_order_and_a_cut_one_when_it_is_complete() {
    let header = Line::Header(Header::new("0.1.0", "00000000-0000-0000-0000-000000000000"));
    let notes: Vec<Line> = (0..300).map(|n| note(&format!("{n} {}", "x".repeat(40_000)))).collect();
    let groups: Vec<&[Line]> = std::iter::once(std::slice::from_ref(&header)).chain(notes.chunks(1)).collect();
    let parts = members(&groups);
    let bytes = parts.concat();
    let numbers = |seen: &[String]| -> Vec<String> {
        seen.iter().map(|text| text.split(' ').next().unwrap().to_owned()).collect()
    };
    let all: Vec<String> = std::iter::once("H".to_owned()).chain((0..300).map(|n| n.to_string())).collect();
    // In the middle of a member, and between two.
    for cut in [bytes.len() / 2 + 3, parts[..200].concat().len()] {
        let file = TempFile::new();
        let mut follower = Follower::new(&file.path());
        file.append(&bytes[..cut]);
        let (mut seen, _) = look(&mut follower);
        file.append(&bytes[cut..]);
        let (rest, end) = look(&mut follower);
        assert!(seen.len() > 100 && rest.len() > 50, "{} and {}", seen.len(), rest.len());
        seen.extend(rest);
        assert_eq!((numbers(&seen), end), (all.clone(), END), "cut at {cut}");
    }
}

/// The recording of another JVM in the same file: longer, with other lines.
fn another() -> Vec<u8> {
    let header = Line::Header(Header::new("0.1.0", "11111111-0000-0000-0000-000000000000"));
    members(&[&[header, note("uno"), note("dos")], &[note("tres")], &[note("cuatro")], &[note("cinco")]]).concat()
}

fn replace(file: &TempFile, bytes: &[u8]) {
    let other = file.0.path().join("other.wbr");
    fs::write(&other, bytes).unwrap();
    fs::rename(&other, file.path()).unwrap();
}

#[test]
fn a_restart_forgets_the_lines_of_a_member_that_was_cut() {
    let parts = recording();
    // Both lines of the second member are there, but not its end.
    let cut = parts[..2].concat().len() - 4;
    for in_place in [false, true] {
        let file = TempFile::new();
        file.append(&parts.concat()[..cut]);
        let mut follower = Follower::new(&file.path());
        let (seen, end) = look(&mut follower);
        assert_eq!((seen.join(" "), end), ("H one two three".to_owned(), Step::End { cut: true }));
        match in_place {
            false => replace(&file, &another()),
            // Shorter than what was read.
            true => fs::write(file.path(), &parts[0][..parts[0].len() - 1]).unwrap(),
        }
        let expected = if in_place { "restarted H one" } else { "restarted H uno dos tres cuatro cinco" };
        assert_eq!(look(&mut follower).0.join(" "), expected, "in place: {in_place}");
    }
}

#[test]
fn a_damaged_recording_is_read_again_only_when_it_is_replaced_or_cut() {
    let mut damaged = recording();
    let middle = damaged[1].len() / 2;
    damaged[1][middle] ^= 0xff;
    let file = TempFile::new();
    file.append(&damaged.concat());
    let mut follower = Follower::new(&file.path());
    assert!(matches!(look(&mut follower), (_, Step::Damaged(_))));
    file.append(&damaged[2]);
    assert!(matches!(look(&mut follower), (seen, Step::Damaged(_)) if seen.is_empty()), "longer is no restart");
    fs::remove_file(file.path()).unwrap();
    assert!(matches!(look(&mut follower), (seen, Step::Damaged(_)) if seen.is_empty()), "nor is gone");
    fs::write(file.path(), another()).unwrap();
    assert_eq!(
        look(&mut follower),
        ("restarted H uno dos tres cuatro cinco".split(' ').map(str::to_owned).collect(), END)
    );

    let file = TempFile::new();
    file.append(&damaged.concat());
    let mut follower = Follower::new(&file.path());
    assert!(matches!(look(&mut follower), (_, Step::Damaged(_))));
    fs::write(file.path(), &damaged[0][..damaged[0].len() - 1]).unwrap();
    assert_eq!(look(&mut follower), (vec!["restarted".into(), "H".into(), "one".into()], Step::End { cut: true }));
}

#[test]
fn after_a_restart_lines_are_counted_from_the_beginning_and_a_header_is_needed() {
    let file = TempFile::new();
    file.append(&recording().concat());
    let mut follower = Follower::new(&file.path());
    assert_eq!(look(&mut follower).0.len(), 5);
    let gzip = |text: &[u8]| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(text).unwrap();
        gzip.finish().unwrap()
    };
    replace(&file, &[gzip(b"{\"kind\":\"header\",\"format\":1}\n"), gzip(b"{\"kind\":\n")].concat());
    let (seen, end) = look(&mut follower);
    assert_eq!(seen.join(" "), "restarted H");
    assert!(
        matches!(&end, Step::Damaged(damage) if matches!(damage.kind, DamageKind::BadLine { line: 2, .. })),
        "{end:?}"
    );
    replace(&file, &members(&[&[note("no header")]]).concat());
    assert_eq!(follower.step(&mut |_| {}).unwrap(), Step::Restarted);
    let refused = follower.step(&mut |line| panic!("{line:?}")).unwrap_err();
    assert!(refused.to_string().ends_with("its first line is no header"), "{refused}");
}

#[test]
fn inflated_bytes_are_counted_over_all_looks_and_again_after_a_restart() {
    let header = Line::Header(Header::new("0.1.0", "00000000-0000-0000-0000-000000000000"));
    let long = members(&[&[note(&"x".repeat(7 << 20))]]).concat();
    let file = TempFile::new();
    let mut follower = Follower::new(&file.path());
    file.append(&members(&[std::slice::from_ref(&header)]).concat());
    for _ in 0..2 {
        file.append(&long);
        assert_eq!(look(&mut follower).1, END, "within the 16 MiB that are free");
    }
    file.append(&long);
    let (_, end) = look(&mut follower);
    assert!(matches!(&end, Step::Damaged(damage) if damage.kind == DamageKind::RatioTooHigh(100)), "{end:?}");
    replace(&file, &[members(&[&[header]]).concat(), long].concat());
    assert_eq!(look(&mut follower).1, END);
}
