//! Outputs of a run, looked at by other readers.

use std::io::Cursor;

use weighbridge_rewriter::instrument::ArchiveLimits;
use weighbridge_rewriter::verify::verify;

use crate::program::Run;

/// Stored entries of an archive, with the remainder of their data's offset; another reader checks each CRC.
pub fn stored(archive: &[u8], alignment: u64) -> Vec<(String, u64)> {
    let mut zip = zip::ZipArchive::new(Cursor::new(archive)).unwrap();
    let mut found = Vec::new();
    for index in 0..zip.len() {
        let mut file = zip.by_index(index).unwrap();
        std::io::copy(&mut file, &mut std::io::sink()).unwrap();
        if file.compression() == zip::CompressionMethod::Stored && file.size() > 0 {
            found.push((file.name().unwrap().into_owned(), file.data_start().unwrap() % alignment));
        }
    }
    found
}

/// Nothing in an output may be wrong, however deep.
pub fn assert_sound(run: &Run, name: &str) {
    let found = verify(&run.folder().join("out").join(name), ArchiveLimits::default()).unwrap();
    assert_eq!(found.problems, []);
    assert_eq!(found.rewritten, run.summary.total.classes_rewritten);
}
