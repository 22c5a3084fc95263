//! Files, and tables in documents, that are made of the code.
//!
//! A crate of its own, because the Java of the contract between Rust and Java must be written before the runtime compiles.

use std::path::Path;
use std::{env, fs};

/// Set, what is made of the code is written instead of compared.
const WRITE: &str = "WEIGHBRIDGE_WRITE_TABLES";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the crate is in the checkout")
}

/// A file of the checkout is this text.
///
/// # Panics
/// If it is not.
pub fn assert_file(file: &str, text: &str) {
    let path = root().join(file);
    if env::var_os(WRITE).is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
        fs::write(&path, text).expect("the file");
    }
    let written = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    assert!(written == text, "{file} is not what the code makes; {WRITE}=1 writes it:\n{text}");
}

/// The table between `<!-- NAME: ... -->` and `<!-- end of NAME -->` of a page is this one. With the variable
/// [`WRITE`] it is written there instead.
///
/// # Panics
/// If it is not.
pub fn assert_table(page: &str, name: &str, table: &str) {
    let path = root().join(page);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{page}: {error}"));
    let begin = format!("<!-- {name}: written by WEIGHBRIDGE_WRITE_TABLES=1 -->\n");
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{page} has no {begin}"));
    let end = format!("<!-- end of {name} -->");
    let (written, after) = rest.split_once(&end).unwrap_or_else(|| panic!("{page} has no {end}"));
    if env::var_os(WRITE).is_some() {
        fs::write(&path, format!("{before}{begin}{table}{end}{after}")).expect("the page");
    } else {
        assert_eq!(written, table, "{page}: WEIGHBRIDGE_WRITE_TABLES=1 writes the table {name}");
    }
}
