//! `watch` when its terminal or the JVM that wrote the recording is gone.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Answer, Folder, RECORDING};
use weighbridge_jdk::to_build_with;
use weighbridge_tests::Weighbridge;

/// Time after which a test counts as hanging.
const PATIENCE: Duration = Duration::from_secs(120);

fn until<T>(what: &str, mut answer: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(answer) = answer() {
            return answer;
        }
        assert!(started.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A JVM that is killed at the end of the test.
struct Jvm(Child);

impl Jvm {
    fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let mut command = Command::new(to_build_with().java());
        command.args(arguments).current_dir(folder.path(".")).env_remove("JAVA_TOOL_OPTIONS");
        Jvm(command.stdout(Stdio::null()).spawn().expect("a JVM"))
    }

    fn kill(&mut self) {
        self.0.kill().expect("killed");
    }
}

impl Drop for Jvm {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Whether a process runs. An ended process may still have an entry that its parent has not asked for.
fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}

/// Runs `watch` on a terminal that is then closed.
fn ends_when_its_terminal_goes(prefix: &str) {
    let folder = Folder::new();
    folder.write("run.wbr", RECORDING);
    let binary = env!("CARGO_BIN_EXE_weighbridge");
    let mut script = Command::new("script");
    script.args(["--quiet", "--flush", "--command"]);
    script.arg(format!("stty cols 100 rows 30; {prefix} sh -c 'echo $$ > pid; exec \"{binary}\" watch run.wbr'"));
    script.arg("/dev/null").current_dir(folder.path(".")).env("TERM", "xterm");
    script.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut script = script.spawn().expect("the tests need `script`, of util-linux (Debian: bsdutils)");
    let pid = until("the view has a number", || {
        std::fs::read_to_string(folder.path("pid")).ok().filter(|pid| pid.ends_with('\n'))
    });
    let pid = pid.trim();
    let mut shown = script.stdout.take().expect("its output");
    let mut bytes = [0; 4096];
    let mut text = String::new();
    while !text.contains("quit") {
        let read = std::io::Read::read(&mut shown, &mut bytes).expect("a frame");
        assert!(read > 0, "it ended early: {text}");
        text.push_str(&String::from_utf8_lossy(&bytes[..read]));
    }
    assert!(runs(pid), "it goes on");
    script.kill().expect("killed");
    script.wait().expect("ended");
    let ended = Instant::now();
    while runs(pid) && ended.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let left = runs(pid);
    // No process of the test may stay, even if it fails.
    let _ = Command::new("kill").args(["-KILL", pid]).stderr(Stdio::null()).status();
    assert!(!left, "it must not outlive its terminal");
}

#[test]
fn the_view_ends_when_its_terminal_is_gone() {
    ends_when_its_terminal_goes("");
}

#[test]
fn the_view_ends_at_the_end_of_its_input_even_without_a_signal() {
    // It is not the terminal of its session, so there is no SIGHUP.
    ends_when_its_terminal_goes("setsid --wait");
}

#[test]
fn a_recording_whose_jvm_was_killed_is_not_called_live() {
    let folder = Folder::new();
    Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge")).instrument_leak(&folder.path("."));
    let options = ["-Xmx64m", "-Dweighbridge.destfile=run.wbr", "-Dweighbridge.interval=200ms"];
    let mut jvm = Jvm::start(&folder, &[&options[..], &["-jar", "weighed/leak.jar"]].concat());
    let watch = || folder.run(&["watch", "run.wbr", "--once"]);
    let live = until("a first snapshot", || Some(watch()).filter(|answer| answer.stdout.contains("· snapshot")));
    assert!(live.stdout.contains("live · snapshot"), "{live}");
    let pid = jvm.0.id().to_string();
    let gone = |answer: &Answer| {
        assert!(answer.stdout.contains("ended · snapshot"), "{answer}");
        let said = format!("process {pid} is gone without a last line: killed, or crashed");
        assert!(answer.stdout.contains(&said), "{answer}");
    };
    jvm.kill();
    // Its parent has not asked for its exit code yet.
    until("the JVM ends", || (!runs(&pid)).then_some(()));
    gone(&watch());
    jvm.0.wait().expect("its end");
    gone(&watch());
    // The recording may be a copy from another machine: the state of its JVM is not known.
    let far = std::fs::read(folder.path("run.wbr")).unwrap();
    folder.write("far.wbr", moved(&far));
    let far = folder.run(&["watch", "far.wbr", "--once"]);
    assert!(far.stdout.contains("following · snapshot") && !far.stdout.contains(&format!("{pid} is gone")), "{far}");
}

/// The recording as if it had been written on another machine.
fn moved(recording: &[u8]) -> Vec<u8> {
    use weighbridge_recording::{Line, Reader, Writer};
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out);
    for line in Reader::new("run.wbr", recording).expect("a recording") {
        let mut line = line.expect("a line");
        if let Line::Header(header) = &mut line {
            header.process.as_mut().expect("where it was written").host = Some("elsewhere".to_owned());
        }
        writer.line(&line).expect("a line");
    }
    writer.finish().expect("all lines");
    out
}

#[test]
fn a_process_that_cannot_write_a_recording_is_not_waited_for() {
    let folder = Folder::new();
    folder.write(
        "Sleep.java",
        "class Sleep { public static void main(String[] a) throws Exception { Thread.sleep(600_000); } }",
    );
    let mut plain = Jvm::start(&folder, &["-Xmx64m", "Sleep.java"]);
    let mut sleeping = Command::new("sleep").arg("600").stdout(Stdio::null()).spawn().expect("sleep");
    let answer = |pid: u32| {
        until("it is not young any more", || {
            let answer = folder.run(&["watch", &pid.to_string(), "--once"]);
            assert_eq!((answer.code, answer.stdout.as_str()), (Some(3), ""), "{answer}");
            (!answer.stderr.contains("has written no recording yet")).then_some(answer.stderr)
        })
    };
    let (of_jvm, of_sleep) = (answer(plain.0.id()), answer(sleeping.id()));
    plain.kill();
    sleeping.kill().expect("killed");
    sleeping.wait().expect("its end");
    let pid = plain.0.id();
    assert!(
        of_jvm.contains(&format!("process {pid}: is a JVM without Weighbridge: no jar that it has open")),
        "{of_jvm}"
    );
    assert!(of_jvm.contains("`weighbridge run`") && of_jvm.contains("`weighbridge instrument`"), "{of_jvm}");
    assert!(of_sleep.contains("is no JVM"), "{of_sleep}");
}
