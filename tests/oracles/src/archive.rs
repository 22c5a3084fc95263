//! Zip files: reading, copying and replacing.

use weighbridge_rewriter::jar::{self, Addition, Archive, ByteSource, Edit, Edits, InflateBudget, Payload};
use weighbridge_rewriter::{JarErrorKind, Result};

/// Bytes that one input may inflate to.
const TOTAL: u64 = 1 << 24;

/// What is done to an archive.
struct Change {
    /// The entry to replace, if any.
    replaced: Option<usize>,
}

impl Edits for Change {
    fn edit(&self, index: usize) -> Edit {
        if Some(index) == self.replaced { Edit::Replace } else { Edit::Keep }
    }

    fn replace(&self, _index: usize) -> Result<Payload> {
        Ok(Payload::Bytes(b"replaced ".repeat(20)))
    }

    fn additions(&self) -> &[Addition] {
        &[]
    }

    fn advance(&self, _bytes: u64) {}
}

/// Any bytes are an archive or an error. An archive is copied byte for byte. If an entry is replaced, the others keep their
/// names and contents.
pub fn reading(bytes: &[u8]) {
    let archive = match Archive::open(ByteSource::memory(bytes.to_vec())) {
        Ok(archive) => archive,
        Err(error) => {
            assert_eq!(error.kind(), JarErrorKind::Archive, "{error}");
            assert!(error.offset().is_none_or(|offset| offset <= bytes.len() as u64), "{error} of {}", bytes.len());
            return;
        }
    };
    let count = archive.len();
    let contents = contents(&archive);
    let mut copied = Vec::new();
    jar::write(&archive, &Change { replaced: None }, jar::WriteOptions::new(1), &mut copied)
        .expect("a copy of any archive");
    assert!(copied == bytes, "a copy has other bytes");
    // One entry, so that the cost does not grow with the square of their number.
    let Some(replaced) = bytes.len().checked_rem(count) else { return };
    let mut changed = Vec::new();
    if jar::write(&archive, &Change { replaced: Some(replaced) }, jar::WriteOptions::new(1), &mut changed).is_err() {
        return;
    }
    let again = Archive::open(ByteSource::memory(changed)).expect("what was written is an archive");
    assert_eq!(again.len(), count);
    for (index, content) in self::contents(&again).into_iter().enumerate() {
        assert_eq!(archive.name(index), again.name(index));
        if index == replaced {
            let method_is_known = archive.entry(index).is_readable();
            assert!(!method_is_known || content.is_some_and(|content| content == b"replaced ".repeat(20)));
        } else {
            assert!(contents[index] == content, "entry {index} has another content");
        }
    }
}

/// What each entry inflates to; none for damaged ones.
fn contents(archive: &Archive) -> Vec<Option<Vec<u8>>> {
    let budget = InflateBudget::new(200, TOTAL);
    (0..archive.len()).map(|index| archive.content(index, &budget).ok()).collect()
}
