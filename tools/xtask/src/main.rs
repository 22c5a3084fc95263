//! The binary behind `cargo xtask`.

use anyhow::Context;
use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use xtask::book;
use xtask::corpus::{self, CorpusOptions};
use xtask::licenses;

#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Write the notices of third parties in the binary, cli/third-party.txt
    Licenses,
    /// Make the documentation into a site, target/book
    Book,
    /// Pack what a release consists of for this machine into target/dist/VERSION (docs/release.md)
    #[cfg(unix)]
    Dist {
        /// This binary instead of one that is built now, as portable as the tools here allow
        #[arg(long, value_name = "FILE")]
        binary: Option<PathBuf>,
        /// The folder; default: target/dist/VERSION
        #[arg(long, value_name = "DIR")]
        dest: Option<PathBuf>,
        /// How hard to compress
        #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..=9))]
        level: u32,
    },
    /// Rewrite real jars with every probe kind, hold them against four oracles, and write docs/corpus.md
    Corpus {
        /// Only the items whose names contain this; docs/corpus.md is then left as it is, unless --publish is given
        #[arg(long, value_name = "NAME")]
        only: Option<String>,
        /// With --only: take the new figures of these items into docs/corpus.md, which names the commit of each item
        #[arg(long, requires = "only", conflicts_with = "quick")]
        publish: bool,
        /// Only the items that `cargo test` runs
        #[arg(long)]
        quick: bool,
        /// The JDK whose verifier links the classes; default: the one that builds the project
        #[arg(long, value_name = "HOME")]
        jdk: Option<PathBuf>,
    },
}

fn main() -> anyhow::Result<ExitCode> {
    let (only, publish, quick, jdk) = match Arguments::parse().task {
        Task::Licenses => {
            let file = licenses::committed();
            std::fs::write(&file, licenses::text()?).with_context(|| file.display().to_string())?;
            return Ok(ExitCode::SUCCESS);
        }
        Task::Book => {
            println!("{}", book::make()?.join("index.html").display());
            return Ok(ExitCode::SUCCESS);
        }
        #[cfg(unix)]
        Task::Dist { binary, dest, level } => {
            print!("{}", xtask::dist::run(&xtask::dist::DistOptions { binary, dest, level })?);
            return Ok(ExitCode::SUCCESS);
        }
        Task::Corpus { only, publish, quick, jdk } => (only, publish, quick, jdk),
    };
    let jdk = match jdk {
        Some(home) => weighbridge_jdk::find_at(&home).with_context(|| format!("no JDK at {}", home.display()))?,
        None => weighbridge_jdk::to_build_with(),
    };
    let keep = publish || only.is_none() && !quick;
    let mut report = corpus::run(&CorpusOptions { only, quick, keep, jdk })?;
    if keep {
        report = report.publish()?;
    }
    print!("{}", report.table());
    Ok(match report.first_failure() {
        None => ExitCode::SUCCESS,
        Some(failure) => {
            eprintln!("corpus: {failure}");
            ExitCode::FAILURE
        }
    })
}
