//! Archives beyond 4 GiB: offsets and sizes that only fit zip64 fields. The files are sparse, so that only a few kilobytes
//! are written.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use weighbridge_rewriter::Result;
use weighbridge_rewriter::jar::{self, Addition, Archive, ByteSource, Edit, Edits, Payload, Sink};

/// Bytes of the large entry: all zeros.
const LARGE: u64 = (4 << 30) + 12_345;

/// A file that has holes instead of zeros.
struct Sparse(File);

impl Write for Sparse {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        static ZEROS: [u8; 1 << 20] = [0; 1 << 20];
        match ZEROS.get(..bytes.len()) == Some(bytes) {
            true => self.0.seek(SeekFrom::Current(bytes.len() as i64)).map(|_| bytes.len()),
            false => self.0.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Sink for Sparse {}

/// Writes a jar: the large entry, stored, then the entries of a real jar, all with zip64 offsets.
fn huge(path: &Path, real: &[u8]) {
    let mut out = File::create(path).unwrap();
    let mut crc = libdeflater::Crc::new();
    let zeros = vec![0; 1 << 20];
    let mut left = LARGE;
    while left > 0 {
        let length = left.min(zeros.len() as u64) as usize;
        crc.update(&zeros[..length]);
        left -= length as u64;
    }
    let name = b"large.bin";
    let sizes = [1u16.to_le_bytes(), 16u16.to_le_bytes()].concat();
    let sizes = [&sizes[..], &LARGE.to_le_bytes(), &LARGE.to_le_bytes()].concat();
    let mut fields = Vec::new();
    for field in [45u16, 0, 0, 0, 0x21] {
        fields.extend(field.to_le_bytes());
    }
    fields.extend(crc.sum().to_le_bytes());
    fields.extend([0xFF; 8]);
    fields.extend((name.len() as u16).to_le_bytes());
    fields.extend((sizes.len() as u16).to_le_bytes());
    out.write_all(&[&b"PK\x03\x04"[..], &fields, name, &sizes].concat()).unwrap();
    let mut directory = [&b"PK\x01\x02\x2D\x03"[..], &fields, &[0; 14], name, &sizes].concat();
    let shift = out.seek(SeekFrom::Current(LARGE as i64)).unwrap();

    let inner = Archive::open(ByteSource::memory(real.to_vec())).unwrap();
    let end = real.len() - 22;
    let read = |at: usize| u32::from_le_bytes(real[at..at + 4].try_into().unwrap()) as usize;
    let (size, start) = (read(end + 12), read(end + 16));
    out.write_all(&real[..start]).unwrap();
    // Each record gets a zip64 field with its offset; the sizes stay in their fields.
    let mut at = start;
    while at < start + size {
        let length = |field: usize| usize::from(u16::from_le_bytes([real[at + field], real[at + field + 1]]));
        let (name, extra, comment) = (length(28), length(30), length(32));
        let mut record = real[at..at + 46 + name + extra].to_vec();
        record[30..32].copy_from_slice(&(extra as u16 + 12).to_le_bytes());
        let offset = shift + read(at + 42) as u64;
        record[42..46].fill(0xFF);
        record.extend([1, 0, 8, 0]);
        record.extend(offset.to_le_bytes());
        record.extend(&real[at + 46 + name + extra..at + 46 + name + extra + comment]);
        directory.extend(record);
        at += 46 + name + extra + comment;
    }
    let directory_start = out.stream_position().unwrap();
    out.write_all(&directory).unwrap();
    let record = out.stream_position().unwrap();
    let count = inner.len() as u64 + 1;
    let mut tail = [&b"PK\x06\x06"[..], &44u64.to_le_bytes(), &[45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]].concat();
    for value in [count, count, directory.len() as u64, directory_start] {
        tail.extend(value.to_le_bytes());
    }
    tail.extend(b"PK\x06\x07\0\0\0\0");
    tail.extend(record.to_le_bytes());
    tail.extend(1u32.to_le_bytes());
    tail.extend(b"PK\x05\x06\0\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0");
    out.write_all(&tail).unwrap();
}

/// Replaces one entry and adds another.
struct One {
    replaced: usize,
    added: Vec<Addition>,
}

impl Edits for One {
    fn edit(&self, index: usize) -> Edit {
        if index == self.replaced { Edit::Replace } else { Edit::Keep }
    }

    fn replace(&self, _index: usize) -> Result<Payload> {
        Ok(Payload::Bytes(b"new content".to_vec()))
    }

    fn additions(&self) -> &[Addition] {
        &self.added
    }

    fn advance(&self, _bytes: u64) {}
}

#[test]
fn entries_beyond_4_gib_are_found_replaced_and_added_and_the_rest_keeps_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (original, rewritten) = (folder.path().join("huge.jar"), folder.path().join("new.jar"));
    let real = std::fs::read(weighbridge_tests::jar("failureaccess")).unwrap();
    huge(&original, &real);
    let archive = Archive::open(ByteSource::open(&original).unwrap()).unwrap();
    let class = "com/google/common/util/concurrent/internal/InternalFutureFailureAccess.class";
    let replaced = (0..archive.len()).find(|&index| archive.display_name(index) == class).unwrap();
    assert!(archive.entry(replaced).header_offset() > LARGE);
    let added = vec![Addition { name: "added.txt".to_owned(), content: ByteSource::memory(b"more".to_vec()) }];
    let mut out = Sparse(File::create(&rewritten).unwrap());
    jar::write(&archive, &One { replaced, added }, jar::WriteOptions::new(6), &mut out).unwrap();

    let mut before = zip::ZipArchive::new(File::open(&original).unwrap()).unwrap();
    let mut after = zip::ZipArchive::new(File::open(&rewritten).unwrap()).unwrap();
    assert_eq!(after.len(), before.len() + 1);
    for index in 0..before.len() {
        let (old, mut new) = (before.by_index_raw(index).unwrap(), after.by_index(index).unwrap());
        let name = old.name().unwrap().into_owned();
        assert_eq!(new.name().unwrap(), name);
        if name == "large.bin" {
            assert_eq!((new.size(), new.crc32(), new.data_start()), (LARGE, old.crc32(), old.data_start()));
            continue;
        }
        let mut content = Vec::new();
        new.read_to_end(&mut content).unwrap();
        match name == class {
            true => assert_eq!(content, b"new content"),
            false => assert_eq!((new.crc32(), new.extra_data()), (old.crc32(), old.extra_data()), "{name}"),
        }
    }
    let mut text = String::new();
    after.by_name("added.txt").unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "more");

    // The JDK's own reader agrees.
    let mut list = std::process::Command::new(weighbridge_jdk::to_build_with().tool("jar"));
    let listed = list.arg("-tf").arg(&rewritten).output().unwrap();
    assert!(listed.status.success(), "{listed:?}");
    assert_eq!(String::from_utf8(listed.stdout).unwrap().lines().count(), after.len());
}
