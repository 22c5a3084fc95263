//! Recordings of JVMs: each event and value is what the JDK's own tool prints.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;
use weighbridge_jfr::{Event, FieldUnit, Object, RecordedValue, Recording, TypeField, ValueList};
use weighbridge_tests::{Jdk, compile, java, jdks, run};

/// Records a program that reads, waits, throws and allocates, on each Java.
fn recordings(folder: &Path) -> Vec<(&'static Jdk, PathBuf)> {
    let classes = compile("flight", &[], folder);
    let record = |jdk: &'static Jdk| {
        let file = folder.join(format!("{}.jfr", jdk.major));
        let mut command = java(jdk);
        command.arg(format!("-XX:StartFlightRecording=filename={},settings=profile", file.display()));
        let output = run(command.arg("-cp").arg(&classes).arg("com.acme.flight.Main"));
        assert!(output.success(), "Java {}: {output}", jdk.major);
        (jdk, file)
    };
    jdks().iter().map(record).collect()
}

/// The number of events by type.
fn counted(file: &Path) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    let mut recording = Recording::open(file).expect("a recording");
    for chunk in recording.chunks() {
        for event in chunk.expect("a chunk").events() {
            *counts.entry(event.expect("an event").name().to_owned()).or_default() += 1;
        }
    }
    counts
}

#[test]
fn there_are_as_many_events_of_each_type_as_the_jdk_counts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (jdk, file) in recordings(folder.path()) {
        let output = run(Command::new(jdk.tool("jfr")).arg("summary").arg(&file));
        assert!(output.success(), "{output}");
        let rows = output.stdout.lines().skip_while(|line| !line.starts_with("=====")).skip(1);
        let count = |line: &str| {
            let mut words = line.split_whitespace();
            Some((words.next()?.to_owned(), words.next()?.parse::<u64>().ok()?))
        };
        let mut expected: BTreeMap<String, u64> = rows.filter_map(count).filter(|(_, count)| *count > 0).collect();
        // These are the chunk's own.
        expected.retain(|name, _| name != "jdk.Metadata" && !name.eq_ignore_ascii_case("jdk.Checkpoint"));
        assert!(expected.len() > 40, "Java {}: {output}", jdk.major);
        assert_eq!(counted(&file), expected, "Java {}", jdk.major);
    }
}

/// A value as the tool prints it in JSON: units apart, which it converts.
fn json(value: &RecordedValue<'_>, field: &TypeField) -> Option<Json> {
    Some(match value {
        RecordedValue::Null => Json::Null,
        RecordedValue::Bool(value) => (*value).into(),
        RecordedValue::Int(_) if matches!(field.unit, Some(FieldUnit::Span { .. } | FieldUnit::Moment { .. })) => {
            return None;
        }
        RecordedValue::Int(value) => (*value).into(),
        // It prints the shortest text of a float.
        RecordedValue::Float(_) => return None,
        RecordedValue::Text(text) => text.as_ref().into(),
        RecordedValue::Object(object) => return fields(object),
        RecordedValue::List(list) => return elements(list, field),
    })
}

fn elements(list: &ValueList<'_>, field: &TypeField) -> Option<Json> {
    list.iter().map(|value| json(&value, field)).collect::<Option<Vec<_>>>().map(Json::from)
}

/// Those that are compared: threads, classes and stacks are printed in a shape of their own.
fn fields(object: &Object<'_>) -> Option<Json> {
    (object.type_of().fields.len() == 1).then(|| json(&object.at_index(0), &object.type_of().fields[0]))?
}

fn compared(event: &Event<'_>, printed: &Json) -> usize {
    let mut compared = 0;
    for (index, field) in event.type_of().fields.iter().enumerate() {
        if let Some(value) = json(&event.object().at_index(index), field) {
            let expected = &printed[&field.name];
            // An empty list of a field that the tool wraps, and characters, are printed in other ways.
            if expected.is_object() || expected.is_array() {
                continue;
            }
            // Numbers without a sign are given as they are stored.
            let unsigned = value.as_i64().map(|number| Json::from(number.cast_unsigned()));
            let is_same = &value == expected || unsigned.as_ref() == Some(expected);
            assert!(is_same, "{}.{}: {value}, not {expected}", event.name(), field.name);
            compared += 1;
        }
    }
    compared
}

/// When a printed event began: up to the seconds, and nine digits of the fraction.
fn moment(event: &Json) -> (String, String) {
    let text = event["startTime"].as_str().expect("a moment");
    let (seconds, rest) = text.split_at(19);
    let fraction: String = rest.chars().skip(1).take_while(char::is_ascii_digit).collect();
    (seconds.to_owned(), format!("{fraction:0<9}"))
}

#[test]
fn plain_values_stacks_and_moments_are_those_that_the_jdk_prints() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (jdk, file) in recordings(folder.path()) {
        let mut command = Command::new(jdk.tool("jfr"));
        let output = run(command.args(["print", "--json", "--stack-depth", "64"]).arg(&file));
        assert!(output.success(), "Java {}: {}", jdk.major, output.stderr);
        let printed = output.json();
        let mut expected: BTreeMap<&str, Vec<&Json>> = BTreeMap::new();
        for event in printed["recording"]["events"].as_array().expect("events") {
            expected.entry(event["type"].as_str().expect("a type")).or_default().push(&event["values"]);
        }
        expected.values_mut().for_each(|events| events.sort_by_cached_key(|event| moment(event)));
        let (mut values, mut frames) = (0, 0);
        let mut recording = Recording::open(&file).expect("a recording");
        let mut mine: BTreeMap<String, Vec<(i64, usize, usize)>> = BTreeMap::new();
        let chunks: Vec<_> = recording.chunks().map(|chunk| chunk.expect("a chunk")).collect();
        for (c, chunk) in chunks.iter().enumerate() {
            for (e, event) in chunk.events().enumerate() {
                let event = event.expect("an event");
                mine.entry(event.name().to_owned()).or_default().push((event.start_ns().unwrap_or(0), c, e));
            }
        }
        for (name, mut events) in mine {
            events.sort_unstable();
            let theirs = &expected[name.as_str()];
            assert_eq!(events.len(), theirs.len(), "Java {}: {name}", jdk.major);
            // Moments of one type that are equal could be in another order there.
            if events.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                continue;
            }
            for ((_, c, e), printed) in events.into_iter().zip(theirs) {
                let event = chunks[c].events().nth(e).expect("an event").expect("an event");
                values += compared(&event, printed);
                let Some(stack) = event.stack() else { continue };
                let theirs = printed["stackTrace"]["frames"].as_array().expect("frames");
                for (frame, printed) in stack.frames().zip(theirs) {
                    let method = &printed["method"];
                    let class = method["type"]["name"].as_str().expect("a class").replace('/', ".");
                    assert_eq!((frame.class, frame.method.as_ref()), (class, method["name"].as_str().expect("a name")));
                    assert_eq!(frame.line, printed["lineNumber"].as_u64().filter(|line| *line > 0));
                    frames += 1;
                }
            }
        }
        println!("Java {}: {values} values and {frames} frames are as printed", jdk.major);
        assert!(values > 500 && frames > 500, "Java {}: {values} values, {frames} frames", jdk.major);
    }
}

/// Reads everything that there is, as far as it goes; gives the error at the end.
fn read(file: &Path) -> Option<weighbridge_jfr::Error> {
    let mut recording = match Recording::open(file) {
        Ok(recording) => recording,
        Err(error) => return Some(error),
    };
    for chunk in recording.chunks() {
        let chunk = match chunk {
            Ok(chunk) => chunk,
            Err(error) => return Some(error),
        };
        for event in chunk.events() {
            match event {
                Ok(event) => {
                    for index in 0..event.type_of().fields.len() {
                        assert!(!format!("{:?}", event.object().at_index(index)).is_empty());
                    }
                    drop((event.thread(), event.start_ns(), event.duration_ns()));
                    event.stack().into_iter().flat_map(|stack| stack.frames()).for_each(drop);
                }
                Err(error) => return Some(error),
            }
        }
    }
    None
}

#[test]
fn a_recording_that_is_cut_or_changed_is_read_up_to_there_and_named_with_the_byte() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (_, file) = recordings(folder.path()).pop().expect("a recording");
    let whole = std::fs::read(&file).expect("its bytes");
    assert!(read(&file).is_none());
    // Knuth's generator (MMIX), always from the same beginning.
    let mut state = 34u64;
    let mut below = |limit: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % limit
    };
    let damaged = folder.path().join("damaged.jfr");
    let (mut cut, mut refused) = (0, 0);
    for round in 0..200 {
        let mut bytes = whole.clone();
        if round % 2 == 0 {
            bytes.truncate(below(whole.len()));
        } else {
            for _ in 0..=below(4) {
                let at = below(whole.len());
                bytes[at] = below(256) as u8;
            }
        }
        std::fs::write(&damaged, &bytes).expect("a file");
        if let Some(error) = read(&damaged) {
            assert!(error.to_string().starts_with(&damaged.display().to_string()), "{error}");
            assert!(error.offset().is_some_and(|at| at <= bytes.len() as u64), "{error}");
            refused += 1;
            cut += u32::from(round % 2 == 0);
        }
    }
    println!("{cut} of 100 cut recordings were refused, and {refused} in all");
    assert!(cut >= 99, "{cut}");
}
