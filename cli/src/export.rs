//! `weighbridge export`: figures of recordings for monitoring systems and query engines.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use weighbridge_ending::{Failure, output};
use weighbridge_live::recordings;
use weighbridge_reporter::export::openmetrics::Dialect;
use weighbridge_serve::export::{Collector, Fleet, parquet, serve};

use crate::bounds::RecordingBounds;
use crate::exit::{DONE, INPUT, Outcome};
use crate::input::InputPathParser;
use crate::progress::Bar;

/// Give the newest figures of recordings to a monitoring system, or all their snapshots to query engines.
///
/// To a monitoring system each recording is told apart by the labels `recording` (its file's name) and `program`; a file of
/// several JVMs counts as its last one. A process is measured once at the beginning, and then when its agent does so. What
/// was not measured has no series (docs/exports.md).
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Recordings, directories of them (*.wbr; new files are found), or ids of processes that are measured now.
    #[arg(value_name = "RECORDING|DIR|PID", required = true, value_parser = InputPathParser)]
    recordings: Vec<PathBuf>,
    #[command(flatten)]
    target: ExportTarget,
    /// Serve it at http://ADDRESS/metrics until SIGTERM or Ctrl-C, instead of printing it once. Port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS:PORT", requires = "openmetrics")]
    listen: Option<SocketAddr>,
    /// Send what is new every so many seconds until SIGTERM or Ctrl-C, instead of all of it once.
    #[arg(long, value_name = "SECONDS", requires = "otlp", value_parser = clap::value_parser!(u64).range(1..))]
    interval: Option<u64>,
    /// Series per metric and recording; the rest is summed up as `other`.
    #[arg(long, value_name = "N", default_value_t = 30, conflicts_with = "parquet")]
    top: usize,
    /// Recordings that have series: the ones that were written to last.
    #[arg(long, value_name = "N", default_value_t = 100, conflicts_with = "parquet")]
    recordings_at_most: usize,
    /// Replace files of --parquet that hold the same recordings.
    #[arg(long, requires = "parquet")]
    force: bool,
    #[command(flatten)]
    bounds: RecordingBounds,
}

/// What is wanted: one of these.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct ExportTarget {
    /// OpenMetrics text, for Prometheus.
    #[arg(long)]
    openmetrics: bool,
    /// The same metrics to the OpenTelemetry collector at http://HOST:PORT or https://HOST (OTLP, protobuf over HTTP, at
    /// /v1/metrics), or at the one that OTEL_EXPORTER_OTLP_ENDPOINT names (`env`). The variables of that name also give
    /// headers, time-out, compression and certificates.
    #[arg(long, value_name = "URL|env")]
    otlp: Option<String>,
    /// Parquet files in the tables `classes` and `components` of this directory, for DuckDB, Spark and Trino: a row a class
    /// (or component) and snapshot. What is in the directory already stays.
    #[arg(long, value_name = "DIR")]
    parquet: Option<PathBuf>,
}

pub(crate) fn execute(args: Args) -> Outcome {
    if let Some(folder) = &args.target.parquet {
        if let Some(pid) = args.recordings.iter().find_map(|named| recordings::parse_pid(named)) {
            return Err(Failure::usage(format!(
                "{pid}: a process has no snapshots but the newest; `weighbridge attach {pid} -o FILE` records them"
            )));
        }
        let done = parquet::write(&args.recordings, folder, args.force, args.bounds.limits(), Bar::new)?;
        output::plain(|out| writeln!(out, "{}: {} rows in {} files", folder.display(), done.rows, done.files))?;
        return Ok(if done.incomplete { INPUT } else { DONE });
    }
    let mut fleet = Fleet::new(&args.recordings, args.recordings_at_most, args.bounds.limits())?;
    if let Some(address) = args.listen {
        serve::run(fleet, address, args.top)?;
        return Ok(DONE);
    }
    if let Some(url) = &args.target.otlp {
        let collector = Collector::new(url, args.top)?;
        return match args.interval {
            None => {
                let refused = collector.send_once(fleet)?;
                Ok(if refused == 0 { DONE } else { INPUT })
            }
            Some(seconds) => {
                collector.run(fleet, Duration::from_secs(seconds));
                Ok(DONE)
            }
        };
    }
    let refused = fleet.refresh_figures();
    if fleet.is_empty() {
        return Err(Failure::input("none of the files is a recording that can be read"));
    }
    output::to_stdout(|out| out.write_all(fleet.page(args.top, Dialect::OpenMetrics).as_bytes()))?;
    Ok(if refused == 0 { DONE } else { INPUT })
}
