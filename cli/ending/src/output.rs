//! Output to files, which appear only when they are complete, and to standard output, which its reader may close.

use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use weighbridge_rewriter::file_kind::FileKind;

use crate::Failure;
use crate::shown::write_text;

/// Refuses an output that is an input, and what [`check_free`] refuses.
pub fn check_no_input(file: &Path, inputs: &[PathBuf], force: bool) -> Result<(), Failure> {
    if inputs.iter().any(|input| same_file(input, file)) {
        return Err(Failure::usage(format!("{}: is one of the inputs", file.display())));
    }
    check_free(file, force)
}

/// Refuses an output that exists, unless forced, and one that cannot be replaced ([`check_kind`]).
pub fn check_free(file: &Path, force: bool) -> Result<(), Failure> {
    match check_kind(file)? {
        FileKind::Folder | FileKind::LinkToFolder => Err(Failure::usage(format!("{}: is a directory", file.display()))),
        FileKind::Regular if !force => Err(exists(file)),
        _ => Ok(()),
    }
}

/// Refuses what no output can replace, forced or not, without opening it: FIFOs, sockets, devices, and links to these or to
/// nothing. Also a lone dash ([`check_name`]). Gives what is there.
pub fn check_kind(path: &Path) -> Result<FileKind, Failure> {
    check_name(path)?;
    let kind = FileKind::find(path);
    match kind {
        FileKind::Missing | FileKind::Regular | FileKind::Folder | FileKind::LinkToFolder => Ok(kind),
        FileKind::Fifo | FileKind::Socket | FileKind::Device | FileKind::LinkToNothing => {
            let name = path.display();
            Err(Failure::usage(format!("{name}: is {}, and is not replaced, with --force neither", kind.name())))
        }
    }
}

/// Refuses what no output can replace ([`check_kind`]). Gives whether nothing is there.
pub fn is_missing(path: &Path) -> Result<bool, Failure> {
    Ok(check_kind(path)? == FileKind::Missing)
}

/// Refuses `-`, which names standard output elsewhere and would become a file here.
pub fn check_name(path: &Path) -> Result<(), Failure> {
    match path == Path::new("-") {
        true => Err(Failure::usage("-: names no file here; write ./- for a file of this name")),
        false => Ok(()),
    }
}

/// Writes a temporary file beside the path and renames it. An existing file is refused without `force`.
pub fn to_file(path: &Path, force: bool, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let name = path.display();
    check_free(path, force)?;
    let folder = folder_of(path);
    if !folder.is_dir() {
        return Err(Failure::input(format!("{name}: there is no directory {}", folder.display())));
    }
    // Without the error's text, which names the temporary file.
    let mut temporary = temporary_in(folder)
        .map_err(|e| io::Error::from(e.kind()))
        .with_context(|| format!("{name}: cannot be written"))?;
    let written = {
        let mut buffered = BufWriter::new(temporary.as_file_mut());
        write(&mut buffered).and_then(|()| buffered.flush())
    };
    written.with_context(|| format!("{name}: cannot be written"))?;
    persist(temporary, path, force)
}

/// Gives a temporary file of the same folder its name. An existing file is refused without `force`.
pub fn persist(temporary: tempfile::NamedTempFile, path: &Path, force: bool) -> Result<(), Failure> {
    let name = path.display();
    if force {
        temporary.persist(path).map_err(|e| e.error).with_context(|| format!("{name}: cannot be written"))?;
    } else if let Err(e) = temporary.persist_noclobber(path) {
        if e.error.kind() == io::ErrorKind::AlreadyExists {
            return Err(exists(path));
        }
        return Err(anyhow::Error::new(e.error).context(format!("{name}: cannot be written")).into());
    }
    Ok(())
}

/// The folder of a file that is named.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn exists(path: &Path) -> Failure {
    Failure::usage(format!("{}: exists; use --force to replace it", path.display()))
}

/// A temporary file in the folder of the result.
pub fn temporary_in(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".weighbridge-");
    // By default a temporary file has the mode 0600; the result has the usual mode.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Writes data, or text without codes, to standard output. A file or pipe gets the bytes as they are; for a terminal acting
/// characters are escaped. If its reader closed it, the verb ends without an error.
pub fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    to_stdout_coloured(false, write)
}

/// The same; if `colour`, codes for colour and weight reach a terminal. Only text for people has such of its own: in data they
/// are somebody else's.
pub fn to_stdout_coloured(colour: bool, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    finish(io::stdout().lock(), io::stdout().is_terminal(), colour, write)
}

/// Writes plain text to standard output like [`to_stdout`], with acting characters escaped: for verbs that print foreign
/// names and no codes of their own.
pub fn plain(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    to_stdout(|out| write_text(out, false, write))
}

/// Writes plain text to standard error like [`plain`].
pub fn plain_to_stderr(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    to_stderr_coloured(false, |out| write_text(out, false, write))
}

/// Writes to standard error, like [`to_stdout_coloured`].
pub fn to_stderr_coloured(colour: bool, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    finish(io::stderr().lock(), io::stderr().is_terminal(), colour, write)
}

fn finish(
    output: impl Write,
    is_terminal: bool,
    colour: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut buffered = BufWriter::new(output);
    let written = match is_terminal {
        true => write_text(&mut buffered, colour, write),
        false => write(&mut buffered),
    };
    let written = written.and_then(|()| buffered.flush());
    // Otherwise the drop would try a failed flush again.
    drop(buffered.into_parts());
    match written {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Err(Failure::BrokenPipe),
        written => Ok(written.context("standard output")?),
    }
}

/// Whether two paths name the same existing file or folder.
pub fn same_file(a: &Path, b: &Path) -> bool {
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(is_terminal: bool, colour: bool, text: &str) -> String {
        let mut output = Vec::new();
        finish(&mut output, is_terminal, colour, |out| out.write_all(text.as_bytes())).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn data_has_no_codes_on_a_terminal_and_its_own_bytes_elsewhere() {
        let csv = "class,live\n\x1b[31mred\x1b[2J\u{202e},1\n";
        assert_eq!(finished(false, false, csv), csv);
        assert_eq!(finished(true, false, csv), "class,live\n\\u{1b}[31mred\\u{1b}[2J\\u{202e},1\n");
        assert_eq!(finished(true, true, csv), "class,live\n\x1b[31mred\\u{1b}[2J\\u{202e},1\n", "text for people");
    }
}
