//! Printed commands, quoted for a POSIX shell.

use std::borrow::Cow;
use std::path::Path;

/// A path as one word of a shell.
pub fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    // Only NUL cannot be quoted, and no path has one.
    shlex::try_quote(&text).unwrap_or(Cow::Borrowed(&text)).into_owned()
}
