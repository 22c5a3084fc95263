//! A recording that grows while it is read.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use weighbridge_recording::{
    DamageKind, FollowStep, Follower, Header, Line, Note, ReadLimits, RecordingErrorKind, Writer,
};

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

fn header() -> Line {
    Line::Header(Header::new("0.1.0", "00000000-0000-0000-0000-000000000000"))
}

/// The header of a format that this version does not read.
fn newer() -> Line {
    let mut newer = Header::new("9", "00000000-0000-0000-0000-000000000000");
    newer.format = 99;
    Line::Header(newer)
}

/// A recording that a follower delivers in several batches: a header and so many notes, a member each.
fn long(notes: usize) -> Vec<Vec<u8>> {
    let header = header();
    let notes: Vec<Line> = (0..notes).map(|n| note(&format!("{n} {}", "x".repeat(40_000)))).collect();
    let groups: Vec<&[Line]> = std::iter::once(std::slice::from_ref(&header)).chain(notes.chunks(1)).collect();
    members(&groups)
}

fn recording() -> Vec<Vec<u8>> {
    members(&[&[header(), note("one")], &[note("two"), note("three")], &[note("four")]])
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
fn look(follower: &mut Follower) -> (Vec<String>, FollowStep) {
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
            FollowStep::Lines => {}
            FollowStep::Restarted => {
                assert!(!seen.iter().any(|text| text == "restarted"), "again and again: {seen:?}");
                seen.push("restarted".to_owned());
            }
            end => return (seen, end),
        }
    }
}

const END: FollowStep = FollowStep::End { cut: false };

#[test]
fn each_line_is_delivered_once_wherever_the_file_ends_at_a_look() {
    let bytes = recording().concat();
    for length in 0..=bytes.len() {
        let file = TempFile::new();
        let mut follower = Follower::new(&file.path());
        assert_eq!(look(&mut follower), (vec![], FollowStep::Absent));
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
    assert_eq!(look(&mut follower).0.join(" "), "restarted H one", "cut short in file");
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
    let FollowStep::Damaged(damage) = &end else { panic!("{end:?}") };
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
    assert!(matches!(refuse(&file.path()).kind(), RecordingErrorKind::NotARecording(why) if why == "it is not gzip"));
    fs::write(file.path(), members(&[&[note("no header")]]).concat()).unwrap();
    assert!(refuse(&file.path()).to_string().ends_with("its first line is no header"));
    fs::write(file.path(), members(&[&[newer()]]).concat()).unwrap();
    assert!(matches!(refuse(&file.path()).kind(), RecordingErrorKind::NewerFormat { found: 99, .. }));
    assert!(matches!(refuse(file.0.path()).kind(), RecordingErrorKind::Io(_)), "a folder");
}

#[test]
fn many_batches_are_delivered_in_order_and_a_cut_one_when_it_is_complete() {
    let parts = long(300);
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
    for same_file in [false, true] {
        let file = TempFile::new();
        file.append(&parts.concat()[..cut]);
        let mut follower = Follower::new(&file.path());
        let (seen, end) = look(&mut follower);
        assert_eq!((seen.join(" "), end), ("H one two three".to_owned(), FollowStep::End { cut: true }));
        match same_file {
            false => replace(&file, &another()),
            // Shorter than what was read.
            true => fs::write(file.path(), &parts[0][..parts[0].len() - 1]).unwrap(),
        }
        let expected = if same_file { "restarted H one" } else { "restarted H uno dos tres cuatro cinco" };
        assert_eq!(look(&mut follower).0.join(" "), expected, "in file: {same_file}");
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
    assert!(matches!(look(&mut follower), (_, FollowStep::Damaged(_))));
    file.append(&damaged[2]);
    assert!(matches!(look(&mut follower), (seen, FollowStep::Damaged(_)) if seen.is_empty()), "longer is no restart");
    fs::remove_file(file.path()).unwrap();
    assert!(matches!(look(&mut follower), (seen, FollowStep::Damaged(_)) if seen.is_empty()), "nor is gone");
    fs::write(file.path(), another()).unwrap();
    assert_eq!(
        look(&mut follower),
        ("restarted H uno dos tres cuatro cinco".split(' ').map(str::to_owned).collect(), END)
    );

    let file = TempFile::new();
    file.append(&damaged.concat());
    let mut follower = Follower::new(&file.path());
    assert!(matches!(look(&mut follower), (_, FollowStep::Damaged(_))));
    fs::write(file.path(), &damaged[0][..damaged[0].len() - 1]).unwrap();
    assert_eq!(
        look(&mut follower),
        (vec!["restarted".into(), "H".into(), "one".into()], FollowStep::End { cut: true })
    );
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
        matches!(&end, FollowStep::Damaged(damage) if matches!(damage.kind, DamageKind::BadLine { line: 2, .. })),
        "{end:?}"
    );
    replace(&file, &members(&[&[note("no header")]]).concat());
    assert_eq!(follower.step(&mut |_| {}).unwrap(), FollowStep::Restarted);
    let refused = follower.step(&mut |line| panic!("{line:?}")).unwrap_err();
    assert!(refused.to_string().ends_with("its first line is no header"), "{refused}");
}

#[test]
fn inflated_bytes_are_counted_over_all_looks_and_again_after_a_restart() {
    let header = header();
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
    assert!(matches!(&end, FollowStep::Damaged(damage) if damage.kind == DamageKind::RatioTooHigh(100)), "{end:?}");
    replace(&file, &[members(&[&[header]]).concat(), long].concat());
    assert_eq!(look(&mut follower).1, END);
}

/// Takes one step and gives how many lines it delivered.
fn step(follower: &mut Follower) -> (usize, FollowStep) {
    let mut lines = 0;
    let step = follower.step(&mut |_| lines += 1).unwrap();
    (lines, step)
}

#[test]
fn a_file_that_is_replaced_between_two_batches_is_read_to_its_end_first() {
    let parts = long(200);
    let (bytes, lines) = (parts.concat(), parts.len());
    let file = TempFile::new();
    file.append(&bytes);
    let mut follower = Follower::new(&file.path());
    let (first, more) = step(&mut follower);
    assert!(more == FollowStep::Lines && first > 0 && first < lines, "{first} of {lines}: {more:?}");
    replace(&file, &another());
    let (mut seen, mut found) = (first, FollowStep::Lines);
    while found == FollowStep::Lines {
        let (lines, next) = step(&mut follower);
        (seen, found) = (seen + lines, next);
    }
    assert_eq!((seen, found), (lines, END), "the file that was open");
    assert_eq!(look(&mut follower).0.join(" "), "restarted H uno dos tres cuatro cinco");
}

#[test]
fn a_file_that_is_cut_short_between_two_batches_is_read_from_its_beginning() {
    let parts = long(200);
    let (bytes, lines) = (parts.concat(), parts.len());
    let file = TempFile::new();
    file.append(&bytes);
    let mut follower = Follower::new(&file.path());
    let (first, _) = step(&mut follower);
    assert!(first < lines, "{first} of {lines}");
    let (taken, _) = follower.progress().unwrap();
    let parts = recording();
    assert!(parts[0].len() < taken as usize);
    fs::write(file.path(), &parts[0]).unwrap();
    // What was inflated ahead may still come.
    let (mut found, mut restarted) = (FollowStep::Lines, false);
    while !restarted {
        found = step(&mut follower).1;
        restarted = found == FollowStep::Restarted;
        assert!(restarted || matches!(found, FollowStep::Lines | FollowStep::End { .. }), "{found:?}");
    }
    assert_eq!(found, FollowStep::Restarted);
    assert_eq!(look(&mut follower), (vec!["H".into(), "one".into()], END));
}

#[test]
fn a_file_of_the_same_length_instead_of_the_first_is_another_one_each_time() {
    let file = TempFile::new();
    let recordings = ["one", "two", "six"].map(|text| {
        let mut bytes = members(&[&[header(), note(text)]]).concat();
        // Zeros between members are padding of gzip files; here they make the lengths equal.
        bytes.resize(512, 0);
        (text, bytes)
    });
    let mut follower = Follower::new(&file.path());
    for (round, (text, bytes)) in recordings.iter().enumerate() {
        replace(&file, bytes);
        let restarted = if round == 0 { "" } else { "restarted " };
        assert_eq!(look(&mut follower).0.join(" "), format!("{restarted}H {text}"));
        assert_eq!(look(&mut follower).0, Vec::<String>::new(), "and not again");
    }
}

#[test]
fn a_recording_that_was_removed_is_waited_for_and_read_anew_when_another_one_is_there() {
    let file = TempFile::new();
    file.append(&recording().concat());
    let mut follower = Follower::new(&file.path());
    assert_eq!(look(&mut follower).0.len(), 5);
    fs::remove_file(file.path()).unwrap();
    assert_eq!(look(&mut follower), (vec![], FollowStep::Absent));
    assert_eq!(follower.progress(), None);
    // Moved, not written there: an inode that was just freed may be given again.
    replace(&file, &another());
    assert_eq!(look(&mut follower).0.join(" "), "restarted H uno dos tres cuatro cinco");
}

#[test]
fn what_is_refused_is_refused_at_each_look_until_a_recording_is_written_there() {
    let refused = [
        b"PK not a recording".to_vec(),
        members(&[&[note("no header")], &[note("at all")]]).concat(),
        members(&[&[newer()], &[note("of what is to come")]]).concat(),
    ];
    for wrong in refused {
        let file = TempFile::new();
        file.append(&wrong);
        let mut follower = Follower::new(&file.path());
        let mut refuse = || follower.step(&mut |line| panic!("{line:?}")).unwrap_err().to_string();
        let first = refuse();
        assert_eq!(refuse(), first);
        fs::write(file.path(), recording().concat()).unwrap();
        assert_eq!(look(&mut follower).0.join(" "), "H one two three four", "after: {first}");
    }
}

#[test]
fn a_path_that_leads_through_a_file_is_an_error_and_not_waited_for() {
    let file = TempFile::new();
    let folder = file.0.path().join("folder");
    fs::create_dir(&folder).unwrap();
    let path = folder.join("a.wbr");
    let mut damaged = recording();
    let middle = damaged[1].len() / 2;
    damaged[1][middle] ^= 0xff;
    fs::write(&path, damaged.concat()).unwrap();
    let (mut whole, mut broken) = (Follower::new(&folder), Follower::new(&path));
    assert!(matches!(whole.step(&mut |_| {}).unwrap_err().kind(), RecordingErrorKind::Io(_)), "a folder");
    assert!(matches!(look(&mut broken).1, FollowStep::Damaged(_)));
    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, recording().concat()).unwrap();
    assert_eq!(look(&mut whole).0.join(" "), "restarted H one two three four", "no folder any more");
    for follower in [&mut broken, &mut Follower::new(&path)] {
        assert_eq!(follower.path(), path);
        for _ in 0..2 {
            let error = follower.step(&mut |line| panic!("{line:?}")).unwrap_err();
            assert!(matches!(error.kind(), RecordingErrorKind::Io(_)), "{error}");
        }
    }
}

#[test]
fn damage_that_is_mended_in_the_file_stays_damage() {
    let parts = recording();
    let mut damaged = parts.clone();
    let middle = damaged[1].len() / 2;
    damaged[1][middle] ^= 0xff;
    let file = TempFile::new();
    file.append(&damaged.concat());
    let mut follower = Follower::new(&file.path());
    let (_, end) = look(&mut follower);
    let FollowStep::Damaged(damage) = &end else { panic!("{end:?}") };
    let start = parts[0].len() as u64;
    assert_eq!((damage.offset, damage.member), (start, start));
    fs::write(file.path(), parts.concat()).unwrap();
    assert_eq!(look(&mut follower), (vec![], end), "its lines were left out once, and others would follow a gap");
}

#[test]
fn after_a_restart_the_limits_are_those_that_were_given() {
    let limits = ReadLimits { line: 1_000, ..ReadLimits::default() };
    let file = TempFile::new();
    file.append(&recording().concat());
    let mut follower = Follower::with_limits(&file.path(), limits);
    assert_eq!(look(&mut follower).0.len(), 5);
    replace(&file, &members(&[&[header()], &[note(&"x".repeat(2_000))]]).concat());
    let (seen, end) = look(&mut follower);
    assert_eq!(seen.join(" "), "restarted H");
    assert!(matches!(end, FollowStep::Damaged(_)), "{end:?}");
}

#[test]
fn what_a_recording_may_inflate_to_follows_from_the_bytes_of_all_looks() {
    let header = header();
    let mut state = 1_u64;
    let mut noise = || {
        let mut text = String::new();
        while text.len() < 3 << 20 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            text += &format!("{state:016x}");
        }
        text
    };
    // More than the 16 MiB that are free, and hardly smaller when packed.
    let notes: Vec<Line> = (0..6).map(|_| note(&noise())).collect();
    let groups: Vec<&[Line]> = std::iter::once(std::slice::from_ref(&header)).chain(notes.chunks(1)).collect();
    let file = TempFile::new();
    file.append(&members(&groups).concat());
    let mut follower = Follower::new(&file.path());
    assert_eq!(look(&mut follower).1, END);
    file.append(&members(&[&[note("the next")]]).concat());
    assert_eq!(look(&mut follower), (vec!["the next".into()], END));
}

#[test]
fn what_a_function_opens_is_followed_and_its_name_is_only_a_name() {
    let file = TempFile::new();
    let parts = recording();
    file.append(&parts[0]);
    let held = fs::File::open(file.path()).unwrap();
    let name = Path::new("/nowhere/run.wbr");
    let mut follower = Follower::opened_by(name, ReadLimits::default(), move || held.try_clone());
    assert_eq!(look(&mut follower).0.join(" "), "H one");
    file.append(&parts[1..].concat());
    fs::rename(file.path(), file.0.path().join("moved")).unwrap();
    fs::write(file.path(), "PK another file has the name by now").unwrap();
    assert_eq!(look(&mut follower).0.join(" "), "two three four");
    assert_eq!(follower.path(), name);
}
