//! `weighbridge demo`: a sample program from its jar to its report.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use weighbridge_check::aggregate;
use weighbridge_config::Config;
use weighbridge_ending::{Failure, output};
use weighbridge_recording::ReadLimits;
use weighbridge_rewriter::instrument::{InstrumentOptions, InstrumentOutput, instrument};

use crate::exit::{DONE, Outcome};
use crate::format::ReportFormat;
use crate::progress::Bar;
use crate::report_options::{ReportOptions, Stream};

/// Rewrite a sample program, run it, and show its report.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where the jars, the recording and the reports go.
    #[arg(long, value_name = "DIR", default_value = "weighbridge-demo")]
    dest: PathBuf,
}

/// Only a directory with this file is replaced: a demo made it.
const MARK: &str = "made-by-weighbridge-demo";

/// The oldest Java that the runtime supports.
const OLDEST_JAVA: u32 = 11;

pub(crate) fn execute(args: Args) -> Outcome {
    output::check_kind(&args.dest)?;
    let java = weighbridge_jdk::find()
        .into_iter()
        .find(|jdk| jdk.major >= OLDEST_JAVA)
        .with_context(|| format!("no Java {OLDEST_JAVA} or newer found; install one or set JAVA_HOME"))?;
    let files = Files::prepare(&args.dest)?;
    fs::write(&files.original, weighbridge_samples::DEMO_JAR).with_context(|| cannot_write(&files.original))?;
    // Its first line leads to the schema in the checkout.
    let config = weighbridge_samples::DEMO_CONFIG.split_once('\n').map_or("", |(_, config)| config);
    fs::write(&files.config, config).with_context(|| cannot_write(&files.config))?;

    let config = Config::read(&files.config)?;
    let options = InstrumentOptions::new(InstrumentOutput::File(files.rewritten.clone()));
    instrument(std::slice::from_ref(&files.original), &config, &options, &Bar::new())?;

    let mut command = Command::new(java.java());
    // A small heap, so that collections within a few seconds show what stays.
    command.arg("-Xmx32m");
    command.arg(format!("-Dweighbridge.destfile={}", files.recording.display()));
    command.arg("-jar").arg(&files.rewritten);
    let name = format!("{} -jar {}", java.java().display(), files.rewritten.display());
    let status = command.status().with_context(|| format!("{name}: cannot be run"))?;
    if !status.success() {
        return Err(Failure::input(format!("{name}: {status}")));
    }

    let (aggregate, _) = aggregate(std::slice::from_ref(&files.recording), ReadLimits::default(), Bar::new)?;
    ReportOptions::in_file(ReportFormat::Text, files.text.clone()).write(&aggregate, Stream::Stdout)?;
    ReportOptions::in_file(ReportFormat::Html, files.html.clone()).write(&aggregate, Stream::Stdout)?;
    ReportOptions::in_file(ReportFormat::Json, files.json.clone()).write(&aggregate, Stream::Stdout)?;
    output::to_stdout(|out| writeln!(out))?;
    ReportOptions::text().write(&aggregate, Stream::Stdout)?;
    output::plain(|out| {
        writeln!(out, "\nFiles")?;
        for (what, path) in files.list_paths() {
            writeln!(out, "  {what:15}{}", path.display())?;
        }
        Ok(())
    })?;
    Ok(DONE)
}

fn cannot_write(path: &Path) -> String {
    format!("{}: cannot be written", path.display())
}

struct Files {
    original: PathBuf,
    config: PathBuf,
    rewritten: PathBuf,
    recording: PathBuf,
    text: PathBuf,
    html: PathBuf,
    json: PathBuf,
}

impl Files {
    /// Makes an empty directory. Replaces that of an earlier demo.
    fn prepare(folder: &Path) -> Result<Files, Failure> {
        let name = folder.display();
        if folder.exists() {
            let empty = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
            if !empty && !folder.join(MARK).is_file() {
                return Err(Failure::usage(format!(
                    "{name}: exists and was not made by `weighbridge demo`; name another with --dest"
                )));
            }
            fs::remove_dir_all(folder).with_context(|| format!("{name}: cannot be replaced"))?;
        }
        fs::create_dir_all(folder).with_context(|| format!("{name}: cannot be made"))?;
        let mark = folder.join(MARK);
        fs::write(&mark, "`weighbridge demo` may replace this directory.\n").with_context(|| cannot_write(&mark))?;
        Ok(Files {
            original: folder.join("shop.jar"),
            config: folder.join("weighbridge.toml"),
            rewritten: folder.join("shop-weighed.jar"),
            recording: folder.join("shop.wbr"),
            text: folder.join("report.txt"),
            html: folder.join("report.html"),
            json: folder.join("report.json"),
        })
    }

    fn list_paths(&self) -> [(&'static str, &Path); 7] {
        [
            ("program", &self.original),
            ("configuration", &self.config),
            ("rewritten", &self.rewritten),
            ("recording", &self.recording),
            ("report", &self.text),
            ("report, a page", &self.html),
            ("report, JSON", &self.json),
        ]
    }
}
