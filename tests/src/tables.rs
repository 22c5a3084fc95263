//! Tables in documents that are made of the code.

use std::{env, fs};

/// The table between `<!-- NAME: ... -->` and `<!-- end of NAME -->` of a page is this one. With the variable
/// `WEIGHBRIDGE_WRITE_TABLES` it is written there instead.
pub fn assert_table(page: &str, name: &str, table: &str) {
    let path = crate::root().join(page);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{page}: {error}"));
    let begin = format!("<!-- {name}: written by WEIGHBRIDGE_WRITE_TABLES=1 -->\n");
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{page} has no {begin}"));
    let end = format!("<!-- end of {name} -->");
    let (written, after) = rest.split_once(&end).unwrap_or_else(|| panic!("{page} has no {end}"));
    if env::var_os("WEIGHBRIDGE_WRITE_TABLES").is_some() {
        fs::write(&path, format!("{before}{begin}{table}{end}{after}")).expect("the page");
    } else {
        assert_eq!(written, table, "{page}: WEIGHBRIDGE_WRITE_TABLES=1 writes the table {name}");
    }
}
