//! Entries that are not rewritten keep their bytes; rewritten ones keep everything but their content.

mod craft;
mod edited;

use std::collections::HashMap;
use std::io::{Cursor, Read};

use craft::{Entry, Zip};
use edited::{ByName, extents, hidden_zip64_ends, rewrite, three, with_a_decoy_in_the_comment, with_another_directory};
use weighbridge_rewriter::jar::{self, Addition, Archive, ByteSource, Sink};

/// What another reader sees: names and contents in the order of the directory.
fn read_by_zip_crate(zip: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(Cursor::new(zip)).unwrap();
    (0..archive.len())
        .map(|index| {
            let mut file = archive.by_index(index).unwrap();
            let mut content = Vec::new();
            file.read_to_end(&mut content).unwrap();
            (file.name().unwrap().into_owned(), content)
        })
        .collect()
}

/// The odd things, each in an archive of its own.
fn odd_archives() -> Vec<(&'static str, Zip)> {
    let with = |change: fn(&mut Entry)| {
        let mut entries = three();
        entries.iter_mut().for_each(change);
        Zip::of(entries)
    };
    vec![
        ("plain", Zip::of(three())),
        (
            "extra fields",
            with(|entry| {
                // Extended timestamp (UT) in both headers, with different lengths.
                entry.extra = b"UT\x0d\0\x07abcdabcdabcd".to_vec();
                entry.central_extra = b"UT\x05\0\x07abcd".to_vec();
            }),
        ),
        ("descriptors with signature", with(|entry| entry.descriptor = Some(true))),
        ("descriptors without signature", with(|entry| entry.descriptor = Some(false))),
        ("zip64 sizes", with(|entry| entry.zip64 = true)),
        (
            "zip64 sizes and descriptors",
            with(|entry| {
                entry.zip64 = true;
                entry.descriptor = Some(true);
            }),
        ),
        ("zip64 end", Zip { zip64: true, ..Zip::of(three()) }),
        (
            "comments",
            Zip { comment: b"of the archive".to_vec(), ..with(|entry| entry.comment = b"of an entry".to_vec()) },
        ),
        ("prefix", Zip { prefix: b"#!/bin/sh\nexec java -jar $0\n".to_vec(), ..Zip::of(three()) }),
        (
            "prefix that offsets ignore",
            Zip { prefix: b"#!/bin/sh\n".to_vec(), prefix_uncounted: true, ..Zip::of(three()) },
        ),
        ("zip64 end that nothing needs", Zip { zip64: true, zip64_unneeded: true, ..Zip::of(three()) }),
        ("zip64 end behind a prefix", Zip { zip64: true, prefix: b"#!/bin/sh\n".to_vec(), ..Zip::of(three()) }),
        (
            "zip64 offsets behind a prefix that offsets ignore",
            Zip { prefix: b"#!/bin/sh\n".to_vec(), prefix_uncounted: true, ..with(|entry| entry.zip64_offset = true) },
        ),
        (
            "zip64 sizes behind a prefix that offsets ignore",
            Zip { prefix: b"#!/bin/sh\n".to_vec(), prefix_uncounted: true, ..with(|entry| entry.zip64 = true) },
        ),
        ("gaps", with(|entry| entry.gap = b"left by a tool".to_vec())),
        ("stored and aligned", Zip { alignment: Some(4), ..with(|entry| entry.stored = true) }),
        ("page aligned", Zip { alignment: Some(4096), ..with(|entry| entry.stored = true) }),
        (
            "duplicates",
            Zip::of(vec![Entry::new("b.txt", "first"), Entry::new("x", "y"), Entry::new("b.txt", "second")]),
        ),
        ("directory in another order", Zip { reversed: true, ..Zip::of(three()) }),
        ("folders", Zip::of(vec![Entry::new("d/", "").stored(), Entry::new("d/b.txt", "in it")])),
        ("empty", Zip::of(vec![])),
    ]
}

#[test]
fn an_archive_without_edits_keeps_every_byte() {
    for (what, zip) in odd_archives() {
        let bytes = zip.bytes();
        assert_eq!(rewrite(&bytes, ByName::default()), bytes, "{what}");
    }
}

#[test]
fn a_replaced_entry_leaves_the_bytes_of_the_others_alone() {
    for (what, zip) in odd_archives() {
        let bytes = zip.bytes();
        let new = rewrite(&bytes, ByName::replacing("b.txt", "something else entirely ".repeat(9)));
        assert_eq!(new[..zip.prefix.len()], bytes[..zip.prefix.len()], "{what}: prefix");
        assert!(new.ends_with(&zip.comment), "{what}: comment");
        for (index, (old, new)) in extents(&bytes).iter().zip(extents(&new)).enumerate() {
            if zip.entries[index].name != b"b.txt" {
                // Padding may follow a stored entry, whose bytes stay.
                assert!(zip.alignment.is_some() || *old == new, "{what}: entry {index}");
            }
        }
    }
}

#[test]
fn another_directory_where_the_new_one_would_be_looked_for_is_refused() {
    let zip = |prefix| Zip { prefix, prefix_uncounted: true, ..Zip::of(three()) }.bytes();
    let replace = |bytes: &[u8]| rewrite(bytes, ByName::replacing("b.txt", "another content"));
    let harmless = replace(&zip(vec![b'#'; 400]));
    let end = harmless.len() - 22;
    let stored = u32::from_le_bytes(harmless[end + 16..end + 20].try_into().unwrap()) as usize;
    let mut prefix = vec![b'#'; 400];
    prefix[stored..stored + 4].copy_from_slice(b"PK\x01\x02");
    let archive = Archive::open(ByteSource::memory(zip(prefix))).unwrap();
    let mut edits = ByName::replacing("b.txt", "another content");
    edits.names = (0..3).map(|index| archive.display_name(index)).collect();
    let error = jar::write(&archive, &edits, jar::WriteOptions::new(6), &mut Vec::new()).unwrap_err();
    assert_eq!(error.offset(), Some(stored as u64));
    assert!(error.to_string().contains("another directory where readers may look for the new one"), "{error}");

    // The same, in the new content of the last entry.
    let entries = |content| {
        vec![Entry::new("a.txt", "first"), Entry { descriptor: None, ..Entry::new("c.bin", content).stored() }]
    };
    let bytes = Zip { prefix: vec![b'#'; 100], prefix_uncounted: true, ..Zip::of(entries(vec![b'-'; 400])) }.bytes();
    let written = |content: Vec<u8>, out: &mut dyn Sink| {
        let archive = Archive::open(ByteSource::memory(bytes.clone())).unwrap();
        let mut edits = ByName::replacing("c.bin", content);
        edits.names = (0..2).map(|index| archive.display_name(index)).collect();
        jar::write(&archive, &edits, jar::WriteOptions::new(6), out)
    };
    let mut content = vec![b'+'; 300];
    let mut out = Vec::new();
    written(content.clone(), &mut out).unwrap();
    assert_eq!(Archive::open(ByteSource::memory(out)).unwrap().len(), 2);
    content[200..204].copy_from_slice(b"PK\x01\x02");
    let in_memory = written(content.clone(), &mut Vec::new()).unwrap_err();
    let in_a_file = written(content, &mut std::io::BufWriter::new(tempfile::tempfile().unwrap())).unwrap_err();
    for error in [in_memory, in_a_file] {
        assert!(error.to_string().contains("another directory where readers may look for the new one"), "{error}");
    }
}

#[test]
fn a_local_header_that_reaches_into_the_next_entry_is_an_error() {
    let stored = |name| Entry::new(name, "content").stored();
    let all = vec![stored("a.txt"), stored("b.txt"), stored("c.txt")];
    let mut bytes = Zip { alignment: Some(4), ..Zip::of(all) }.bytes();
    let second = 4 + bytes[4..].windows(4).position(|window| window == b"PK\x03\x04").unwrap();
    // A multiple of four, so that the alignment stays.
    bytes[second + 29] += 1;
    let archive = Archive::open(ByteSource::memory(bytes)).unwrap();
    let mut edits = ByName::replacing("a.txt", "content and a byte");
    edits.names = (0..3).map(|index| archive.display_name(index)).collect();
    let error = jar::write(&archive, &edits, jar::WriteOptions::new(6), &mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), format!("b.txt: the local header runs into the next entry (at offset {second})"));
}

#[test]
fn a_replaced_entry_is_read_back_by_another_reader_in_every_kind_of_archive() {
    for (what, zip) in odd_archives() {
        let bytes = zip.bytes();
        let content = "something else entirely ".repeat(9).into_bytes();
        let new = rewrite(&bytes, ByName::replacing("b.txt", content.clone()));
        let expected: Vec<_> = read_by_zip_crate(&bytes)
            .into_iter()
            .map(
                |(name, old)| {
                    if name.ends_with("b.txt") && name != "d/b.txt" { (name, content.clone()) } else { (name, old) }
                },
            )
            .collect();
        assert_eq!(read_by_zip_crate(&new), expected, "{what}");
    }
}

#[test]
fn a_replaced_entry_keeps_time_flags_method_attributes_comment_and_extra_fields() {
    let mut entries = three();
    entries[1].extra = b"UT\x05\0\x07abcd".to_vec();
    entries[1].central_extra = b"UT\x05\0\x07wxyz".to_vec();
    entries[1].comment = b"kept".to_vec();
    entries[1].flags = 1 << 11;
    let bytes = Zip::of(entries).bytes();
    let new = rewrite(&bytes, ByName::replacing("b.txt", "new"));
    let (old_local, new_local) = (&extents(&bytes)[1], &extents(&new)[1]);
    // Version, flags, method, time; then CRC and sizes; then name length, extra length, name, extra field.
    assert_eq!(old_local[..14], new_local[..14]);
    assert_eq!(old_local[26..44], new_local[26..44]);
    let record = |zip: &[u8]| {
        let at = memchr::memmem::rfind(zip, b"b.txtUT").unwrap();
        (zip[at - 46..at - 30].to_vec(), zip[at - 18..at - 4].to_vec(), zip[at..at + 5 + 9 + 4].to_vec())
    };
    assert_eq!(record(&bytes), record(&new));
}

#[test]
fn the_shape_of_a_data_descriptor_is_kept() {
    for (signature, wide) in [(true, false), (false, false), (true, true), (false, true)] {
        let mut entries = three();
        entries[1].descriptor = Some(signature);
        entries[1].zip64 = wide;
        let new = rewrite(&Zip::of(entries.clone()).bytes(), ByName::replacing("b.txt", "new content"));
        entries[1].content = b"new content".to_vec();
        let expected = extents(&Zip::of(entries).bytes())[1].len();
        // The deflated data may have another length, so the descriptor is found from the end.
        let extent = &extents(&new)[1];
        let length = if wide { 20 } else { 12 } + if signature { 4 } else { 0 };
        let descriptor = &extent[extent.len() - length..];
        assert_eq!(descriptor.starts_with(b"PK\x07\x08"), signature, "{expected}");
        let size_at = length - if wide { 8 } else { 4 };
        assert_eq!(descriptor[size_at], b"new content".len() as u8);
    }
}

#[test]
fn stored_entries_after_a_change_stay_stored_and_aligned() {
    for alignment in [4, 8, 4096] {
        let mut entries = three();
        entries.iter_mut().for_each(|entry| entry.stored = true);
        entries.insert(1, Entry::new("deflated.txt", "deflate ".repeat(40)));
        let bytes = Zip { alignment: Some(alignment), ..Zip::of(entries) }.bytes();
        for changed in ["a.txt", "deflated.txt", "b.txt"] {
            let new = rewrite(&bytes, ByName::replacing(changed, "odd length"));
            let mut archive = zip::ZipArchive::new(Cursor::new(&new)).unwrap();
            for index in 0..archive.len() {
                let file = archive.by_index(index).unwrap();
                let name = file.name().unwrap().into_owned();
                let stored = file.compression() == zip::CompressionMethod::Stored;
                assert_eq!(stored, name != "deflated.txt");
                if stored {
                    let start = file.data_start().unwrap() as usize;
                    assert_eq!(start % alignment, 0, "{name} after a change of {changed}");
                }
            }
            let names: Vec<String> = read_by_zip_crate(&new).into_iter().map(|(name, _)| name).collect();
            assert_eq!(names, ["a.txt", "deflated.txt", "b.txt", "c.txt"]);
        }
    }
}

#[test]
fn removed_and_added_entries_change_the_counts() {
    for (what, zip) in odd_archives() {
        let bytes = zip.bytes();
        let mut edits = ByName { changes: HashMap::from([("b.txt".to_owned(), None)]), ..ByName::default() };
        edits.additions =
            vec![Addition { name: "new/\u{e4}.txt".to_owned(), content: ByteSource::memory(b"new".to_vec()) }];
        let new = rewrite(&bytes, edits);
        let mut expected: Vec<_> = read_by_zip_crate(&bytes).into_iter().filter(|(name, _)| name != "b.txt").collect();
        expected.push(("new/\u{e4}.txt".to_owned(), b"new".to_vec()));
        assert_eq!(read_by_zip_crate(&new), expected, "{what}");
    }
}

#[test]
fn more_than_65_534_entries_get_zip64_end_records() {
    let entries = (0..65_534).map(|index| Entry::new(&format!("{index}"), "").stored()).collect();
    let bytes = Zip::of(entries).bytes();
    let addition = Addition { name: "one more".to_owned(), content: ByteSource::memory(b"x".to_vec()) };
    let new = rewrite(&bytes, ByName { additions: vec![addition], ..ByName::default() });
    let read = zip::ZipArchive::new(Cursor::new(&new)).unwrap();
    assert_eq!(read.len(), 65_535);
    assert!(memchr::memmem::find(&new, b"PK\x06\x06").is_some());
}

#[test]
fn a_zip64_end_that_a_prefix_hides_is_refused() {
    for bytes in hidden_zip64_ends() {
        let error = Archive::open(ByteSource::memory(bytes)).unwrap_err();
        assert!(error.to_string().contains("damaged"), "{error}");
    }
}

#[test]
fn a_directory_that_a_jvm_would_look_for_elsewhere_is_refused() {
    let read = |bytes: Vec<u8>| {
        let archive = Archive::open(ByteSource::memory(bytes));
        archive.map(|archive| (0..archive.len()).map(|at| archive.display_name(at)).collect::<Vec<_>>())
    };
    assert_eq!(read(with_another_directory(false)).unwrap(), ["a.txt", "c.bin"]);
    let error = read(with_another_directory(true)).unwrap_err();
    assert!(error.to_string().contains("where a JVM looks for it"), "{error}");
    // The end record of the decoy does not reach to the end of the file, and no directory is before it.
    assert_eq!(read(with_a_decoy_in_the_comment()).unwrap(), ["a.txt"]);
}

#[test]
fn the_signature_of_an_end_record_in_a_comment_is_a_part_of_the_comment() {
    for comment in ["PK\u{5}\u{6}", "built by PK\u{5}\u{6} and more than twenty-two bytes after it"] {
        let bytes = Zip { comment: comment.into(), ..Zip::of(vec![Entry::new("a.txt", "first")]) }.bytes();
        let archive = Archive::open(ByteSource::memory(bytes.clone())).unwrap();
        assert_eq!((archive.len(), archive.display_name(0).as_str()), (1, "a.txt"));
        let new = rewrite(&bytes, ByName::default());
        assert!(new == bytes, "{comment:?}");
    }
}
