//! What a recording says of shortages.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde_json::Value;

fn lines(recording: &Path, kind: &str) -> Vec<Value> {
    let file = File::open(recording).expect("a recording");
    let lines = BufReader::new(flate2::read::MultiGzDecoder::new(file)).lines();
    let lines = lines.map(|line| serde_json::from_str::<Value>(&line.expect("text")).expect("a line"));
    lines.filter(|line| line["kind"] == kind).collect()
}

/// The decisions of a recording.
pub fn decisions(recording: &Path) -> Vec<Value> {
    lines(recording, "shortage")
}

/// Whether a recording has a decision; it may be growing.
pub fn has_decision(recording: &Path) -> bool {
    let Ok(file) = File::open(recording) else { return false };
    let mut lines = BufReader::new(flate2::read::MultiGzDecoder::new(file)).lines().map_while(Result::ok);
    lines.any(|line| line.contains("\"kind\":\"shortage\""))
}

/// The texts of its notes.
pub fn notes(recording: &Path) -> Vec<String> {
    lines(recording, "note").iter().map(|note| note["text"].as_str().expect("a text").to_owned()).collect()
}

/// Why a candidate of a decision was not cancelled: null if it might have been; `None` if there is no such candidate.
pub fn refusal<'a>(decision: &'a Value, name: &str) -> Option<&'a Value> {
    let candidates = decision["candidates"].as_array().expect("candidates");
    candidates.iter().find(|candidate| candidate["name"] == name).map(|candidate| &candidate["refused"])
}
