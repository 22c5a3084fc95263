//! What an attach leaves in the file that `answer=FILE` names.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

#[cfg(unix)]
use crate::error::Error;
use crate::error::Result;

/// Whether the agent measures now. A line of JSON: `{"ok":{"socket":"/tmp/..."}}` or `{"error":"why not"}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttachAnswer {
    /// It measures.
    Ok {
        /// Where clients connect, by the path that the agent sees; none if it does not listen.
        socket: Option<PathBuf>,
    },
    /// It does not; a sentence why.
    Error(String),
}

impl AttachAnswer {
    /// The longest answer that is read, in bytes.
    pub const LIMIT: u64 = 64 << 10;

    /// Reads an answer; `None` if it is none, such as the file before the agent has written it.
    pub fn parse(text: &[u8]) -> Option<AttachAnswer> {
        serde_json::from_slice(text).ok()
    }

    /// Writes it into the file that whoever attaches has made, or a new one. A link is not followed, and a file of another
    /// user is not written to.
    ///
    /// # Errors
    /// The file cannot be written.
    #[cfg(unix)]
    pub fn write(&self, file: &Path) -> Result<()> {
        use weighbridge_outside::Folder;
        let (Some(parent), Some(name)) = (file.parent(), file.file_name().and_then(|name| name.to_str())) else {
            return Err(Error::Unsafe { path: file.to_owned(), why: "it is no path of a file".to_owned() });
        };
        let text = serde_json::to_vec(self).unwrap_or_default();
        let parent = Folder::open(parent).map_err(Error::io_at_path(parent))?;
        match parent.overwrite_file(name, crate::endpoint::user(), &text) {
            Err(fault) if fault.is_absent() => parent.write_file(name, &text).map_err(Error::io_at_path(file)),
            written => written.map_err(Error::fault(file)),
        }
    }

    /// Nobody attaches on this system.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(unix))]
    pub fn write(&self, _: &Path) -> Result<()> {
        Err(crate::error::Error::Unsupported)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::AttachAnswer;

    #[test]
    fn an_answer_says_whether_it_is_one_of_success() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("answer");
        let answers = [
            (AttachAnswer::Ok { socket: Some("/tmp/a.sock".into()) }, r#"{"ok":{"socket":"/tmp/a.sock"}}"#),
            (AttachAnswer::Ok { socket: None }, r#"{"ok":{"socket":null}}"#),
            // A reason may begin with a path.
            (AttachAnswer::Error("/tmp/x: no".to_owned()), r#"{"error":"/tmp/x: no"}"#),
        ];
        for (answer, text) in answers {
            answer.write(&file).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
            assert_eq!(AttachAnswer::parse(text.as_bytes()), Some(answer));
        }
        for other in ["", "/tmp/a.sock", "{}", "{\"ok\":1}"] {
            assert_eq!(AttachAnswer::parse(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn an_answer_is_not_written_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("answer"));
        fs::write(&file, "stays").unwrap();
        symlink(&file, &link).unwrap();
        let refused = AttachAnswer::Ok { socket: None }.write(&link).unwrap_err().to_string();
        assert!(refused.ends_with("it is a symbolic link, not a file"), "{refused}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "stays");
    }
}
