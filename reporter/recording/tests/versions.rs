//! Old recordings are never deleted: each released format version has a fixture with exact totals.

use std::path::Path;

use weighbridge_recording::{ClassRow, Header, Line, Note, Reader, RecordingErrorKind, Track, Writer};

const V1: &[u8] = include_bytes!("fixtures/v1.wbr");

fn lines(bytes: &[u8]) -> Vec<Line> {
    let mut reader = Reader::new("test.wbr", bytes).unwrap();
    let lines = reader.by_ref().map(|line| line.unwrap()).collect();
    assert_eq!(reader.damage(), None);
    lines
}

#[test]
fn version_1_reads_with_its_exact_totals() {
    let lines = lines(V1);
    let (mut allocated, mut live, mut deep, mut exclusive) = (0, 0, 0, 0);
    let (mut snapshots, mut classes, mut unknown) = (0, 0, 0);
    for line in &lines {
        match line {
            Line::Snapshot(s) => {
                snapshots += 1;
                allocated += s.classes.iter().map(|r| r.allocated).sum::<u64>();
                live += s.classes.iter().filter_map(|r| r.live).sum::<u64>();
                deep += s.components.iter().filter_map(|r| r.deep_bytes).sum::<u64>();
                exclusive += s.components.iter().filter_map(|r| r.exclusive_bytes).sum::<u64>();
                let total = s.total.as_ref().unwrap().measured_bytes.unwrap();
                let parts: u64 = s.components.iter().filter_map(|r| r.exclusive_bytes).sum();
                assert_eq!(total, parts + s.shared_once_bytes.unwrap());
            }
            Line::Class(_) => classes += 1,
            Line::Unknown => unknown += 1,
            _ => {}
        }
    }
    assert_eq!((lines.len(), snapshots, classes, unknown), (12, 3, 4, 1));
    assert_eq!(allocated, 15_232_713);
    assert_eq!(live, 62_512);
    assert_eq!(deep, 17_700_288);
    assert_eq!(exclusive, 16_700_288);
}

#[test]
fn version_1_header_has_the_jvm_and_its_layout() {
    let Line::Header(header) = lines(V1).remove(0) else { panic!("the first line is the header") };
    assert_eq!(header.format, 1);
    assert_eq!(header.session, None);
    assert_eq!(header.jvm.collector.as_deref(), Some("G1"));
    assert_eq!(header.jvm.header_bytes, Some(12));
    assert_eq!(header.jvm.compact_headers, Some(false));
}

#[test]
fn what_was_not_measured_is_none_and_never_zero() {
    let lines = lines(V1);
    let Some(Line::Snapshot(last)) = lines.iter().rfind(|l| matches!(l, Line::Snapshot(_))) else {
        panic!("there are snapshots")
    };
    let counted = ClassRow { id: 3, allocated: 7_500_001, ..ClassRow::default() };
    assert_eq!(last.classes[3], counted);
    assert_eq!(counted.live, None);
    assert_eq!(last.label, None);
}

#[test]
fn an_unknown_track_mode_and_unknown_keys_are_tolerated() {
    let text = concat!(
        r#"{"format":1,"x":{"deep":[1,{"y":null}]},"kind":"header"}"#,
        "\n",
        r#"{"kind":"class","id":9,"class":"a.B","track":"sites","more":true}"#,
        "\n"
    );
    let lines = lines(&gzip(text));
    let Line::Class(class) = &lines[1] else { panic!("a class line") };
    assert_eq!(class.track, Some(Track::Unknown));
}

#[test]
fn a_newer_format_is_refused_by_name_whatever_shape_its_header_has() {
    let bytes = gzip("{\"kind\":\"header\",\"format\":7,\"jvm\":[\"another shape\"]}\n");
    let error = Reader::new("new.wbr", bytes.as_slice()).err().unwrap();
    assert!(matches!(error.kind(), RecordingErrorKind::NewerFormat { found: 7, supported: 1 }));
    assert_eq!(
        error.to_string(),
        "new.wbr: recording format 7 is newer than the newest this version reads (1); \
         use a newer weighbridge"
    );
}

#[test]
fn foreign_files_are_refused_by_name_and_reason() {
    let not = |bytes: &[u8]| Reader::new("x", bytes).err().unwrap().to_string();
    let cases = [
        not(b""),
        not(b"PK\x03\x04 a zip"),
        not(b"{\"kind\":\"header\",\"format\":1}\n"),
        not(&gzip("")),
        not(&gzip("hello\n")),
        not(&gzip("{\"kind\":\"note\",\"text\":\"n\"}\n")),
        not(&gzip("{\"kind\":\"header\"}\n")),
        not(&V1[..40]),
    ];
    assert_eq!(
        cases,
        [
            "x: not a weighbridge recording: it is empty",
            "x: not a weighbridge recording: it is not gzip",
            "x: not a weighbridge recording: it is not gzip",
            "x: not a weighbridge recording: it is empty",
            "x: not a weighbridge recording: its first line is no header (expected value at line 1 column 1)",
            "x: not a weighbridge recording: its first line is no header",
            "x: not a weighbridge recording: its first line is no header (missing field `format` at line 1 column 17)",
            "x: the recording breaks off before its header: cut at byte 40, inside the gzip member that starts at byte 0",
        ]
    );
}

#[test]
fn a_missing_file_is_named() {
    let error = Reader::open(Path::new("no/such/file.wbr")).err().unwrap();
    assert_eq!(error.file(), "no/such/file.wbr");
    assert!(matches!(error.kind(), RecordingErrorKind::Io(_)));
}

#[test]
fn written_lines_read_back_equal_and_the_same_lines_give_the_same_bytes() {
    let originals: Vec<Line> = lines(V1).into_iter().filter(|line| *line != Line::Unknown).collect();
    let write = || {
        let mut writer = Writer::new(Vec::new());
        for line in &originals {
            writer.line(line).unwrap();
            if matches!(line, Line::Snapshot(_)) {
                writer.end_member().unwrap();
            }
        }
        writer.finish().unwrap()
    };
    assert_eq!(lines(&write()), originals);
    assert_eq!(write(), write());
    let refused = Writer::new(Vec::new()).line(&Line::Unknown);
    assert!(refused.is_err());
}

#[test]
fn a_line_that_is_text_is_written_as_it_is_and_read_by_itself() {
    let texts = [
        r#"{"kind":"header","format":1,"recording":"r"}"#,
        r#"{"kind":"note","at_ms":7,"text":"half of a \ud83d"}"#,
        r#"{"kind":"unheard-of","a":[1]}"#,
    ];
    let mut writer = Writer::new(Vec::new());
    texts.iter().for_each(|text| writer.text(text).unwrap());
    let read: Vec<Line> = texts.iter().map(|text| Line::read("process 7", text).unwrap()).collect();
    assert_eq!(lines(&writer.finish().unwrap()), read);
    assert!(matches!(&read[1], Line::Note(note) if note.text == r"half of a \ud83d"));
    assert_eq!(read[2], Line::Unknown);
    let newer = Line::read("process 7", r#"{"kind":"header","format":99}"#).unwrap_err();
    assert!(newer.to_string().starts_with("process 7: recording format 99 is newer"), "{newer}");
    assert!(Line::read("process 7", "{}").is_err());
}

#[test]
fn recordings_laid_end_to_end_are_read_one_after_the_other() {
    let mut writer = Writer::new(V1.to_vec());
    writer.line(&Line::Header(Header::new("0.1.0", "another"))).unwrap();
    writer.line(&Line::Note(Note::default())).unwrap();
    let both = lines(&writer.finish().unwrap());
    assert!(matches!(&both[12], Line::Header(h) if h.recording.as_deref() == Some("another")));
    assert_eq!(both.len(), 14);
}

fn gzip(text: &str) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}
