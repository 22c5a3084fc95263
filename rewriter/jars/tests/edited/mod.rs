//! Archives with entries replaced, removed and added by name, and archives that readers read differently.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::collections::HashMap;

use weighbridge_rewriter::Result;
use weighbridge_rewriter::jar::{self, Addition, Archive, ByteSource, Edit, Edits, Payload};

use crate::craft::{Entry, Zip};

/// Replaces, removes and adds entries by name.
#[derive(Default)]
pub struct ByName {
    pub names: Vec<String>,
    pub changes: HashMap<String, Option<Vec<u8>>>,
    pub additions: Vec<Addition>,
}

impl ByName {
    pub fn replacing(name: &str, content: impl Into<Vec<u8>>) -> ByName {
        ByName { changes: HashMap::from([(name.to_owned(), Some(content.into()))]), ..ByName::default() }
    }
}

impl Edits for ByName {
    fn edit(&self, index: usize) -> Edit {
        match self.changes.get(&self.names[index]) {
            None => Edit::Keep,
            Some(Some(_)) => Edit::Replace,
            Some(None) => Edit::Remove,
        }
    }

    fn replace(&self, index: usize) -> Result<Payload> {
        Ok(Payload::Bytes(self.changes[&self.names[index]].clone().unwrap()))
    }

    fn additions(&self) -> &[Addition] {
        &self.additions
    }

    fn advance(&self, _bytes: u64) {}
}

pub fn rewrite(zip: &[u8], mut edits: ByName) -> Vec<u8> {
    let archive = Archive::open(ByteSource::memory(zip.to_vec())).unwrap();
    edits.names = (0..archive.len()).map(|index| archive.display_name(index)).collect();
    let mut out = Vec::new();
    jar::write(&archive, &edits, jar::WriteOptions::new(6), &mut out).unwrap();
    out
}

/// Raw bytes from each local header up to the next, in the order of the file.
pub fn extents(zip: &[u8]) -> Vec<Vec<u8>> {
    let archive = Archive::open(ByteSource::memory(zip.to_vec())).unwrap();
    let mut starts: Vec<usize> =
        (0..archive.len()).map(|index| archive.entry(index).header_offset() as usize).collect();
    starts.sort_unstable();
    let end = starts
        .last()
        .map_or(0, |&last| last + memchr::memmem::find(&zip[last..], b"PK\x01\x02").expect("a central directory"));
    starts.push(end);
    starts.windows(2).map(|pair| zip[pair[0]..pair[1]].to_vec()).collect()
}

pub fn three() -> Vec<Entry> {
    vec![Entry::new("a.txt", "alpha"), Entry::new("b.txt", "beta ".repeat(50)), Entry::new("c.txt", "gamma")]
}

/// Archives whose zip64 end record is not where the locator leads, because of a prefix: one that needs the record, and
/// one whose plain end record says everything.
pub fn hidden_zip64_ends() -> [Vec<u8>; 2] {
    [false, true].map(|zip64_unneeded| {
        let prefix = b"#!/bin/sh\n".to_vec();
        Zip { zip64: true, zip64_unneeded, prefix, prefix_uncounted: true, ..Zip::of(three()) }.bytes()
    })
}

/// An archive of `a.txt` and `c.bin` behind a prefix that offsets ignore. If it hides a directory, then `c.bin` holds one
/// of one file, where the stored offset leads if the prefix is not counted; its comment reaches over the real directory.
pub fn with_another_directory(hides: bool) -> Vec<u8> {
    let hidden = Zip::of(vec![Entry::new("hidden.txt", "x").stored()]).bytes();
    let record = &hidden[hidden.len() - 22 - 46 - "hidden.txt".len()..hidden.len() - 22];
    let all = vec![Entry::new("a.txt", "first"), Entry::new("c.bin", vec![b'-'; 400]).stored()];
    let mut bytes = Zip { prefix: vec![b'#'; 100], prefix_uncounted: true, ..Zip::of(all) }.bytes();
    let end = bytes.len() - 22;
    if hides {
        let stored = u32::from_le_bytes(bytes[end + 16..end + 20].try_into().unwrap()) as usize;
        bytes[stored..stored + record.len()].copy_from_slice(record);
        let comment = (end - stored - record.len()) as u16;
        bytes[stored + 32..stored + 34].copy_from_slice(&comment.to_le_bytes());
    }
    bytes
}

/// An archive with an end record in its comment that does not reach to the end of the file: a JVM passes it.
pub fn with_a_decoy_in_the_comment() -> Vec<u8> {
    let mut bytes = Zip::of(vec![Entry::new("a.txt", "first")]).bytes();
    let end = bytes.len() - 22;
    let mut decoy = bytes[end..].to_vec();
    decoy[10] = 1;
    decoy.extend([b'!'; 5]);
    bytes[end + 20] = decoy.len() as u8;
    bytes.extend(decoy);
    bytes
}
