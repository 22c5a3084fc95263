//! Chunks made by hand: what a hostile file may say.

use std::fs::File;
use std::path::Path;

use weighbridge_jfr::{Error, Event, JfrErrorKind, RecordedValue, Recording};

/// A field: its name, the number of its type, whether it refers to a constant, whether it is a list.
type Field = (&'static str, u64, bool, bool);

/// What a chunk has.
#[derive(Default)]
struct Made {
    types: Vec<(u64, String, Vec<Field>)>,
    /// The number of a type, a key, and the bytes of the value.
    constants: Vec<(u64, u64, Vec<u8>)>,
    /// The number of a type, and the bytes of its fields.
    events: Vec<(u64, Vec<u8>)>,
}

fn number(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn text(text: &str) -> Vec<u8> {
    [vec![3], number(text.len() as u64), text.as_bytes().to_vec()].concat()
}

/// An event with its size before it, in four bytes as the JVM writes it.
fn sized(body: &[u8]) -> Vec<u8> {
    let size = body.len() as u32 + 4;
    let size = [size as u8 | 0x80, (size >> 7) as u8 | 0x80, (size >> 14) as u8 | 0x80, (size >> 21) as u8];
    [&size[..], body].concat()
}

impl Made {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; 68];
        for (of, fields) in &self.events {
            bytes.extend(sized(&[number(*of), fields.clone()].concat()));
        }
        let constants_at = bytes.len() as u64;
        let mut pools = [1, 0, 0, 0, 1].to_vec();
        pools.extend(number(self.constants.len() as u64));
        for (of, key, value) in &self.constants {
            pools.extend([number(*of), number(1), number(*key), value.clone()].concat());
        }
        bytes.extend(sized(&pools));
        let types_at = bytes.len() as u64;
        bytes.extend(sized(&self.described()));
        let size = bytes.len() as u64;
        bytes[..8].copy_from_slice(b"FLR\0\0\x02\0\x01");
        for (at, value) in
            [(8, size), (16, constants_at), (24, types_at), (32, 1_000), (40, 5), (48, 0), (56, 1_000_000_000)]
        {
            bytes[at..at + 8].copy_from_slice(&value.to_be_bytes());
        }
        bytes[67] = 1;
        bytes
    }

    /// The event that describes the types.
    fn described(&self) -> Vec<u8> {
        let mut texts: Vec<String> = Vec::new();
        let mut index = |text: &str| {
            let known = texts.iter().position(|one| one == text);
            number(known.unwrap_or_else(|| {
                texts.push(text.to_owned());
                texts.len() - 1
            }) as u64)
        };
        let mut element = |name: &str, attributes: &[(&str, &str)], children: &[Vec<u8>]| {
            let mut bytes = [index(name), number(attributes.len() as u64)].concat();
            attributes.iter().for_each(|(key, value)| bytes.extend([index(key), index(value)].concat()));
            bytes.extend(number(children.len() as u64));
            bytes.extend(children.concat());
            bytes
        };
        let mut classes = Vec::new();
        for (id, name, fields) in &self.types {
            let mut children = Vec::new();
            for (name, of, constant, list) in fields {
                let (of, constant) = (of.to_string(), constant.to_string());
                let dimension = if *list { "1" } else { "0" };
                let attributes =
                    [("name", *name), ("class", &of), ("constantPool", &constant), ("dimension", dimension)];
                children.push(element("field", &attributes, &[]));
            }
            let mut attributes = vec![("id", id.to_string()), ("name", name.clone())];
            if name.starts_with("made.") {
                attributes.push(("superType", "jdk.jfr.Event".to_owned()));
            }
            let attributes: Vec<(&str, &str)> = attributes.iter().map(|(key, value)| (*key, value.as_str())).collect();
            classes.push(element("class", &attributes, &children));
        }
        let metadata = element("metadata", &[], &classes);
        let root = element("root", &[], &[metadata]);
        let mut body = vec![0, 0, 0, 1];
        body.extend(number(texts.len() as u64));
        texts.iter().for_each(|one| body.extend(text(one)));
        [body, root].concat()
    }
}

fn simple() -> Made {
    let types = vec![
        (10, "long".to_owned(), vec![]),
        (11, "java.lang.String".to_owned(), vec![]),
        (
            20,
            "made.Event".to_owned(),
            vec![("number", 10, false, false), ("text", 11, false, false), ("texts", 11, false, true)],
        ),
    ];
    let fields = [number(300), text("h\u{e9}"), number(2), text("a"), vec![0]].concat();
    Made { types, constants: vec![], events: vec![(20, fields)] }
}

fn read<T>(bytes: &[u8], mut see: impl FnMut(Event<'_>) -> T) -> Result<Vec<T>, Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("made.jfr");
    std::fs::write(&file, bytes).expect("a file");
    let mut seen = Vec::new();
    for chunk in Recording::open(&file)?.chunks() {
        for event in chunk?.events() {
            seen.push(see(event?));
        }
    }
    Ok(seen)
}

fn refused(bytes: &[u8]) -> String {
    let error = read(bytes, |_| ()).expect_err("a file that is refused").to_string();
    error.split_once("made.jfr: ").expect("the file").1.to_owned()
}

#[test]
fn numbers_texts_and_lists_are_read() {
    let made = simple();
    let seen = read(&[made.bytes(), made.bytes()].concat(), |event| {
        let RecordedValue::List(texts) = event.get("texts") else { panic!("a list") };
        let texts: Vec<Option<String>> = texts.iter().map(|text| text.into_text().map(Into::into)).collect();
        (event.name().to_owned(), event.get("number").as_int(), event.get("text").into_text().map(String::from), texts)
    });
    let expected = ("made.Event".to_owned(), Some(300), Some("h\u{e9}".to_owned()), vec![Some("a".to_owned()), None]);
    assert_eq!(seen.expect("two chunks"), [expected.clone(), expected]);
}

#[test]
fn files_that_are_no_recordings_or_not_whole_are_told_apart() {
    let whole = simple().bytes();
    let changed = |at: usize, with: &[u8]| {
        let mut bytes = whole.clone();
        bytes[at..at + with.len()].copy_from_slice(with);
        bytes
    };
    assert_eq!(refused(b""), "byte 0: not a recording of Java Flight Recorder: a chunk does not begin with \"FLR\"");
    assert!(refused(&changed(0, b"PK")).contains("not a recording"));
    assert_eq!(refused(&changed(5, &[3])), "byte 0: version 3.1 of the format is not read, only 1 and 2");
    assert!(refused(&changed(24, &[0; 8])).contains("is not finished"));
    assert!(refused(&changed(56, &[0; 8])).contains("a second has no ticks"));
    let size = whole.len();
    assert_eq!(refused(&whole[..size - 1]), format!("byte 0: the file ends inside the chunk, which has {size} bytes"));
    assert_eq!(
        refused(&[&whole[..], b"FL"].concat()),
        format!("byte {size}: the file ends inside the chunk, which has 68 bytes")
    );
    assert!(refused(&changed(16, &(size as u64 * 2).to_be_bytes())).contains("not inside it"));
    assert!(refused(&changed(16, &70u64.to_be_bytes())).starts_with("byte 70: "));
    let missing = Recording::open(Path::new("/nowhere/a.jfr")).expect_err("no file");
    assert!(matches!(missing.kind(), JfrErrorKind::Io(_)), "{missing}");
}

#[test]
fn sizes_that_lead_nowhere_end_with_the_byte() {
    let mut made = simple();
    // A list of more texts than there are bytes, and one more than there are.
    for count in [u64::from(u32::MAX), 3] {
        made.events[0].1 = [number(1), text(""), number(count), vec![0, 0]].concat();
        assert!(read(&made.bytes(), |_| ()).is_err(), "{count}");
    }
    // The description of the types ends before its first number.
    let mut bytes = simple().bytes();
    let types_at = usize::from(u16::from_be_bytes([bytes[30], bytes[31]]));
    bytes[types_at..types_at + 4].copy_from_slice(&[0x81, 0x80, 0x80, 0]);
    let told = refused(&bytes);
    assert!(told.ends_with("a value goes beyond the end of its chunk"), "{told}");
    let mut bytes = simple().bytes();
    bytes[68..72].copy_from_slice(&[0x80, 0x80, 0x80, 0]);
    assert_eq!(refused(&bytes), "byte 68: an event has a wrong size");
    made.events[0] = (99, vec![]);
    assert_eq!(refused(&made.bytes()), "byte 72: an event of a type that the chunk does not describe");
    made.types[2].2[0].1 = 77;
    assert!(refused(&made.bytes()).ends_with("a field is of a type that the chunk does not describe"));
}

#[test]
fn what_contains_itself_or_nothing_many_times_comes_to_an_end() {
    // A constant that refers to itself.
    let mut made = simple();
    made.types.push((30, "Node".to_owned(), vec![("next", 30, true, false)]));
    made.types.push((31, "made.Chain".to_owned(), vec![("node", 30, true, false)]));
    made.constants.push((30, 1, number(1)));
    made.events = vec![(31, number(1)), (31, number(2))];
    let depths = read(&made.bytes(), |event| {
        let mut depth = 0;
        let mut value = event.get("node");
        while let RecordedValue::Object(node) = value {
            depth += 1;
            value = node.get("next");
            if depth > 1000 {
                break;
            }
        }
        depth
    });
    let depths = depths.expect("two events");
    assert!(depths[0] < 100 && depths[1] == 0, "{depths:?}");

    // A type inside itself.
    let mut made = simple();
    made.types.push((30, "made.Self".to_owned(), vec![("inner", 30, false, false)]));
    made.events = vec![(30, vec![])];
    assert_eq!(refused(&made.bytes()).split_once(": ").expect("a byte").1, "values are nested too deeply");

    // Types that double what they contain, of nothing.
    let mut made = simple();
    made.types.push((100, "Nothing".to_owned(), vec![]));
    for level in 101..161 {
        made.types.push((
            level,
            format!("Twice{level}"),
            vec![("a", level - 1, false, false), ("b", level - 1, false, false)],
        ));
    }
    made.types.push((200, "made.Deep".to_owned(), vec![("deep", 160, false, false), ("number", 10, false, false)]));
    made.events = vec![(200, number(7))];
    let numbers = read(&made.bytes(), |event| event.get("number").as_int());
    assert_eq!(numbers.expect("an event"), [Some(7)]);
    // The other way round they are not known to be nothing, and are too deep.
    made.types.reverse();
    assert!(read(&made.bytes(), |_| ()).is_err());
}

#[test]
fn a_chunk_takes_no_memory_for_what_is_not_there_or_is_too_much() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("claims.jfr");
    let mut bytes = simple().bytes();
    let length: u64 = 3 << 30;
    bytes[8..16].copy_from_slice(&length.to_be_bytes());
    std::fs::write(&path, &bytes).unwrap();
    let file = File::options().read(true).write(true).open(&path).unwrap();
    let refused = |file: &File| {
        let mut recording = Recording::of_file("claims".as_ref(), file.try_clone().unwrap()).unwrap();
        recording.chunks().next().unwrap().unwrap_err()
    };
    assert!(matches!(refused(&file).kind(), JfrErrorKind::Cut(cut) if *cut == length));
    // Such a file takes no room on the disk.
    file.set_len(length).unwrap();
    let error = refused(&file).to_string();
    assert!(error.ends_with("the chunk is longer than 2 GiB, the most that is read"), "{error}");
    // It becomes shorter after it was opened.
    let whole = simple().bytes();
    std::fs::write(&path, &whole).unwrap();
    let mut recording = Recording::of_file("claims".as_ref(), File::open(&path).unwrap()).unwrap();
    file.set_len(100).unwrap();
    let error = recording.chunks().next().unwrap().unwrap_err();
    assert!(matches!(error.kind(), JfrErrorKind::Cut(cut) if *cut == whole.len() as u64), "{error}");
}
