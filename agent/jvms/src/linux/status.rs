//! `/proc/PID/status` and `/proc/PID/stat` (proc_pid_status(5), proc_pid_stat(5)).

/// The bit of SIGQUIT, signal 3, in a mask of signals.
const SIGQUIT: u64 = 1 << 2;

/// What `/proc/PID/status` says of a process.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Status {
    /// Effective uid: HotSpot compares this one.
    pub(super) uid: u32,
    /// Effective gid.
    pub(super) gid: u32,
    /// The process ids, from the namespace of the reader to the innermost. Empty before Linux 4.1.
    pub(super) pids: Vec<u32>,
    /// Whether the process has a handler for SIGQUIT. Without one the signal ends it.
    pub(super) handles_quit: bool,
}

impl Status {
    /// Effective uid and gid.
    pub(super) fn user(&self) -> (u32, u32) {
        (self.uid, self.gid)
    }

    /// Reads the lines; `None` if the user is not among them.
    pub(super) fn parse(text: &str) -> Option<Status> {
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        // The columns are the real, the effective, the saved and the file system's id.
        let effective = |name: &str| field(name)?.split_ascii_whitespace().nth(1)?.parse().ok();
        let pids = field("NSpid").unwrap_or_default().split_ascii_whitespace();
        let handled = field("SigCgt").and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        Some(Status {
            uid: effective("Uid")?,
            gid: effective("Gid")?,
            pids: pids.filter_map(|pid| pid.parse().ok()).collect(),
            handles_quit: handled.unwrap_or(0) & SIGQUIT != 0,
        })
    }
}

/// Whether a process runs, and which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Life {
    /// When it started, in clock ticks since boot. With the process id it names a process for ever.
    pub(super) start: u64,
    /// What it does.
    pub(super) state: ProcessState,
}

/// The states that matter here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProcessState {
    /// It runs or sleeps.
    Running,
    /// Stopped by a signal (`T`).
    Stopped,
    /// Stopped by a debugger (`t`).
    Traced,
    /// It has ended and its parent does not know yet (`Z`, `X`).
    Ended,
}

impl Life {
    /// Reads the line of `/proc/PID/stat`.
    pub(super) fn parse(text: &str) -> Option<Life> {
        // The name, in parentheses, may hold spaces and parentheses itself. The state is the third field.
        let mut fields = text[text.rfind(')')? + 1..].split_ascii_whitespace();
        let state = match fields.next()? {
            "T" => ProcessState::Stopped,
            "t" => ProcessState::Traced,
            "Z" | "X" | "x" => ProcessState::Ended,
            _ => ProcessState::Running,
        };
        Some(Life { start: fields.nth(18)?.parse().ok()?, state })
    }
}

#[cfg(test)]
mod tests {
    use super::{Life, ProcessState, Status};

    #[test]
    fn the_innermost_pid_is_the_last_and_the_effective_user_the_second() {
        let text =
            "Name:\tjava\nUid:\t1\t1000\t2\t3\nGid:\t4\t100\t5\t6\nNSpid:\t4711\t12\t1\nSigCgt:\t0000000101005ccd\n";
        let status = Status { uid: 1000, gid: 100, pids: vec![4711, 12, 1], handles_quit: true };
        assert_eq!(Status::parse(text), Some(status));
    }

    #[test]
    fn a_status_without_a_handler_says_so() {
        let text = "Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nSigCgt:\t0000000101005cc8\n";
        assert_eq!(Status::parse(text), Some(Status::default()));
        assert_eq!(Status::parse("Name:\tjava\n"), None);
    }

    #[test]
    fn a_name_with_spaces_and_parentheses_does_not_shift_the_fields() {
        let fields = "1 1 1 0 -1 4194560 2 0 0 0 0 0 0 0 20 0 19 0 987654 0 0";
        let life = |state| Life::parse(&format!("12 (a) T (b) {state} {fields}"));
        assert_eq!(life("S"), Some(Life { start: 987654, state: ProcessState::Running }));
        assert_eq!(life("T"), Some(Life { start: 987654, state: ProcessState::Stopped }));
        assert_eq!(life("t"), Some(Life { start: 987654, state: ProcessState::Traced }));
        assert_eq!(life("Z"), Some(Life { start: 987654, state: ProcessState::Ended }));
        assert_eq!(Life::parse("12 (a) S 1"), None);
    }
}
