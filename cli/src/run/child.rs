//! Runs the program as if its caller had started it directly.

use std::io;
use std::process::{Command, ExitStatus};

/// Runs a command to its end with this process's own streams. Signals to this process alone are passed on to the program;
/// those of the terminal reach both.
#[cfg(unix)]
pub(super) fn run(command: &mut Command) -> io::Result<ExitStatus> {
    use rustix::process::{Pid, Signal, kill_process};
    use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    use signal_hook::iterator::SignalsInfo;
    use signal_hook::iterator::exfiltrator::origin::WithOrigin;
    use signal_hook::low_level::siginfo::Cause;

    let passed_on = [
        (SIGHUP, Signal::HUP),
        (SIGINT, Signal::INT),
        (SIGQUIT, Signal::QUIT),
        (SIGTERM, Signal::TERM),
        (SIGUSR1, Signal::USR1),
        (SIGUSR2, Signal::USR2),
    ];
    // An ignored signal (nohup) must stay ignored in the program; a handler would end that.
    let ignored = ignored_signals();
    let handled = passed_on.iter().map(|(number, _)| *number).filter(|number| ignored >> (number - 1) & 1 == 0);
    let mut signals = SignalsInfo::<WithOrigin>::new(handled.chain([SIGCHLD]))?;
    let mut child = command.spawn()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    loop {
        // The signals are handled before the program starts, so its end is never missed.
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        for origin in signals.wait() {
            let signal = passed_on.iter().find(|(number, _)| *number == origin.signal);
            // The kernel sends the terminal's signals to the whole foreground process group.
            if let (Some((_, signal)), Some(pid), false) = (signal, pid, origin.cause == Cause::Kernel) {
                // The child is not reaped yet, so the id is still its own. Sending fails only when it has ended.
                let _ = kill_process(pid, *signal);
            }
        }
    }
}

/// The mask of signals that this process ignores, on Linux; 0 elsewhere.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Runs a command to its end with this process's own streams.
#[cfg(not(unix))]
pub(super) fn run(command: &mut Command) -> io::Result<ExitStatus> {
    command.status()
}

/// The exit code that a shell would give: 128 + n for signal n.
pub(super) fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(u8::MAX);
    }
    // Exit codes beyond a byte exist on Windows only.
    status.code().map_or(u8::MAX, |code| u8::try_from(code).unwrap_or(u8::MAX))
}
