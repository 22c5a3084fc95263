//! Opens the page in the browser of this desktop.

use std::fs;
use std::process::{Command, Stdio};

use tempfile::TempDir;
use weighbridge_ending::messages;

/// What opens a file on this system.
const OPENER: &str = if cfg!(target_os = "macos") {
    "open"
} else if cfg!(windows) {
    "explorer"
} else {
    "xdg-open"
};

/// Asks the desktop to open a file that leads to the page: other users may read the arguments of a program, but not this
/// folder, which has to stay until the page was opened. Without a desktop the address that was printed has to do.
pub(super) fn in_browser(address: &str) -> Option<TempDir> {
    match open(address) {
        Ok(folder) => Some(folder),
        Err(error) => {
            messages::warn(format!("{OPENER} cannot open the page ({error}); open the address above"));
            None
        }
    }
}

fn open(address: &str) -> std::io::Result<TempDir> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("console.html");
    // The address has no character that HTML knows.
    let html =
        format!("<!doctype html><meta http-equiv=\"refresh\" content=\"0;url={address}\"><title>Weighbridge</title>\n");
    fs::write(&file, html)?;
    let mut command = Command::new(OPENER);
    let mut child = command.arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    std::thread::spawn(move || child.wait());
    Ok(folder)
}
