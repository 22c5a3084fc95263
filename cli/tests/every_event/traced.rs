//! A program that ran with a trace of every event.

use std::path::{Path, PathBuf};

use weighbridge_replay::{Replayed, Settings, Trace, replay};
use weighbridge_tests::{Jdk, Weighbridge, run};

/// No class is measured beside the trace.
const CONFIG: &str = "version = 1\n[instrument]\ninclude = [\"no.such.Class\"]\n";

pub struct Traced {
    pub trace: Trace,
}

impl Traced {
    /// Runs a program to its end.
    pub fn run(jdk: &Jdk, folder: &Path, class_path: &[PathBuf], program: &[&str]) -> Traced {
        let file = folder.join(format!("{}.wbe", jdk.major));
        let output = run(Traced::command(jdk, folder, &file, class_path).args(program));
        assert!(output.success(), "Java {}: {output}", jdk.version);
        Traced::open(&file)
    }

    /// The command up to the main class.
    pub fn command(jdk: &Jdk, folder: &Path, file: &Path, class_path: &[PathBuf]) -> std::process::Command {
        let config = folder.join("weighbridge.toml");
        std::fs::write(&config, CONFIG).expect("the configuration");
        let mut command = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge")).command();
        let event = format!("--every-event={}", file.display());
        command.args(["run", &event, "--config"]).arg(&config).arg("--").arg(jdk.java());
        command.arg("-cp").arg(std::env::join_paths(class_path).expect("a class path"));
        command
    }

    pub fn open(file: &Path) -> Traced {
        let trace = Trace::open(file).expect("a trace");
        assert_eq!(trace.incomplete(), None);
        Traced { trace }
    }

    /// The number of a method.
    pub fn method(&self, class: &str, name: &str) -> u32 {
        let mut found =
            self.trace.names().methods.iter().filter(|(_, method)| method.class == class && method.name == name);
        *found.next().expect("the method").0
    }

    pub fn replay(&self, moments_of: &[u32]) -> Replayed {
        let settings = Settings { moments_of: moments_of.to_vec(), ..Settings::default() };
        replay(&self.trace, &settings, &mut |_| {}).expect("a replay")
    }
}
