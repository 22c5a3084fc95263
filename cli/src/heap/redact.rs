//! `weighbridge heap redact`: copies a dump without its values.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use flate2::Compression;
use flate2::write::GzEncoder;
use weighbridge_ending::{Failure, messages, output};
use weighbridge_heapdump::{Dump, HeapOptions, RedactError, redact};
use weighbridge_reporter::units::{bytes, count_with_noun};

use crate::exit::{DONE, Outcome};
use crate::input::InputPathParser;

/// Copy a dump without its values, to give it to others: structure and sizes stay, texts and numbers go.
///
/// Every primitive value becomes zero, in objects, static fields and arrays; so every string has its length, but not its
/// text, names of threads too. Names of classes, fields, methods and source files stay, and so do stack traces.
/// Histograms, dominators, paths and suspects of the copy are those of the original; what compares values (waste,
/// strings, sizes of collections) is not. docs/heap.md has what stays and what goes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The heap dump, compressed or not.
    #[arg(value_name = "DUMP", value_parser = InputPathParser)]
    dump: PathBuf,
    /// The copy; compressed if its name ends in .gz.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
}

pub(crate) fn execute(args: Args) -> Outcome {
    if output::same_file(&args.dump, &args.output) {
        return Err(Failure::usage(format!("{}: is the input", args.output.display())));
    }
    output::check_free(&args.output, args.force)?;
    let dump = Dump::open(&args.dump)?;
    for warning in dump.warnings() {
        messages::warn(format!("{}: {warning}", args.dump.display()));
    }
    let mut done = None;
    let mut failed = None;
    let written = output::to_file(&args.output, args.force, |out| {
        match copy(&dump, &args.output, out) {
            Ok(redacted) => done = Some(redacted),
            Err(RedactError::Output(error)) => return Err(error),
            Err(RedactError::Dump(error)) => {
                failed = Some(error);
                return Err(io::ErrorKind::Other.into());
            }
        }
        Ok(())
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    written?;
    let done = done.context("the copy was not made")?;
    output::plain(|out| {
        let texts = count_with_noun(done.texts_left_out, "text", "texts");
        writeln!(
            out,
            "{}: {}, {} of values are zero now, {texts} of the symbol table left out",
            args.output.display(),
            count_with_noun(done.objects, "object", "objects"),
            bytes(done.zeroed_bytes)
        )
    })?;
    Ok(DONE)
}

fn copy(dump: &Dump, path: &Path, out: &mut dyn Write) -> Result<weighbridge_heapdump::Redacted, RedactError> {
    let threads = HeapOptions::default().threads;
    if path.extension().is_none_or(|ending| ending != "gz") {
        return redact(dump, threads, out);
    }
    let mut compressed = GzEncoder::new(out, Compression::fast());
    let done = redact(dump, threads, &mut compressed)?;
    compressed.finish().map_err(RedactError::Output)?;
    Ok(done)
}
