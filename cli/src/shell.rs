//! Commands that are printed, as a POSIX shell takes them.

use std::borrow::Cow;
use std::path::Path;

/// A path as one word of a shell.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    // Only a NUL, which no path has, cannot be quoted.
    shlex::try_quote(&text).unwrap_or(Cow::Borrowed(&text)).into_owned()
}
