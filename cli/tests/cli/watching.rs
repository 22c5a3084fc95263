//! `watch` without a terminal.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use crate::support::{Folder, RECORDING};
use insta::assert_snapshot;
use rustix::fs::{CWD, FileType, Mode, mknodat};

/// A user that has no rights: `nobody`.
const NOBODY: u32 = 65534;

#[test]
fn a_process_is_watched_by_the_recording_that_it_has_open() {
    let folder = Folder::new();
    let recording = folder.write("custom-name.wbr", RECORDING);
    let file = std::fs::File::open(recording).unwrap();
    // Any process that has the file open is enough.
    let mut sleeping = Command::new("sleep").arg("600").stdin(file).spawn().expect("sleep");
    let pid = sleeping.id().to_string();
    let answer = folder.run(&["watch", &pid, "--once", "--size", "80x10"]);
    sleeping.kill().unwrap();
    sleeping.wait().unwrap();
    assert_eq!(answer.code, Some(0), "{answer}");
    assert!(answer.stdout.contains(&format!("weighbridge watch process {pid}")), "{answer}");
    let gone = folder.run(&["watch", &pid, "--once"]);
    assert_eq!((gone.code, gone.stdout.as_str()), (Some(3), ""), "{gone}");
    assert!(gone.stderr.contains("there is no such process"), "{gone}");
}

#[test]
fn one_frame_is_text() {
    let folder = Folder::new();
    folder.write("run.wbr", RECORDING);
    let answer = folder.run(&["watch", "run.wbr", "--once", "--by", "class", "--sort", "live"]);
    // How long ago the fixture was made changes.
    let title = answer.stdout.lines().next().unwrap_or_default().to_owned();
    assert!(title.contains("weighbridge watch run.wbr") && title.contains("ended · snapshot"), "{answer}");
    assert_snapshot!(answer.stdout.replacen(&title, "[TITLE]", 1));
    let cut = &RECORDING[..RECORDING.len() - 5];
    folder.write("cut.wbr", cut);
    let cut = folder.run(&["watch", "cut.wbr", "--once", "--filter", "nothing has this name", "--size", "60x8"]);
    assert_eq!(cut.code, Some(0), "{cut}");
    assert!(cut.stdout.contains("nothing matches"), "{cut}");
}

#[test]
fn a_target_that_cannot_be_watched_is_reported_in_one_line() {
    let folder = Folder::new();
    folder.write("run.wbr", RECORDING);
    folder.write("empty.wbr", "");
    folder.write("other.wbr", "PK not a recording");
    let cases = [
        vec!["watch", "run.wbr"],
        vec!["watch", ".", "--once"],
        vec!["watch", "missing.wbr", "--once"],
        vec!["watch", "empty.wbr", "--once"],
        vec!["watch", "other.wbr", "--once"],
        vec!["watch", "run.wbr", "--once", "--size", "80"],
        vec!["watch", "run.wbr", "--size", "80x24"],
        vec!["watch", "run.wbr", "--interval", "0"],
    ];
    let answers = cases.iter().map(|case| format!("$ {}\n{}", case.join(" "), folder.run(case)));
    assert_snapshot!(answers.collect::<Vec<_>>().join("\n"));
}

/// A process that does nothing, in a folder. It is ended with the test.
struct Sleeping(Child);

impl Sleeping {
    fn start(folder: &Folder, changed: impl FnOnce(&mut Command) -> &mut Command) -> Sleeping {
        let mut command = Command::new("sleep");
        command.arg("600").current_dir(folder.path("."));
        Sleeping(changed(&mut command).spawn().expect("sleep"))
    }

    fn pid(&self) -> String {
        self.0.id().to_string()
    }

    /// The name that its recording has unless it is given another one.
    fn recording(&self) -> String {
        format!("weighbridge-{}.wbr", self.pid())
    }

    /// What `watch` and `export` say of it; they agree on whether there is a recording.
    fn looked_at(&self, folder: &Folder) -> Result<(), String> {
        let watched = folder.run(&["watch", &self.pid(), "--once"]);
        let exported = folder.run(&["export", &self.pid(), "--openmetrics"]);
        assert_eq!(watched.code, exported.code, "{watched}\n{exported}");
        match watched.code {
            Some(0) => Ok(()),
            _ => Err(format!("{watched}\n{exported}")),
        }
    }
}

impl Drop for Sleeping {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_process_is_watched_by_the_file_of_its_working_directory_and_by_nothing_else_of_that_name() {
    let folder = Folder::new();
    folder.write("elsewhere.wbr", RECORDING);
    let sleeping = Sleeping::start(&folder, |command| command);
    let named = folder.path(&sleeping.recording());
    mknodat(CWD, &named, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a FIFO");
    let pipe = sleeping.looked_at(&folder).expect_err("a FIFO is neither waited for nor read");
    assert!(pipe.contains("has written no recording yet") || pipe.contains("is no JVM"), "{pipe}");
    fs::remove_file(&named).expect("removed");
    symlink("elsewhere.wbr", &named).expect("a link");
    sleeping.looked_at(&folder).expect_err("a link is not followed");
    fs::remove_file(&named).expect("removed");
    folder.write(&sleeping.recording(), RECORDING);
    sleeping.looked_at(&folder).expect("a file");
}

#[test]
fn root_reads_what_is_of_the_process_s_user_in_its_working_directory() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("this is not root: programs of other users are not tested");
        return;
    }
    let outer = Folder::new();
    let secret = outer.write("secret.wbr", RECORDING);
    fs::set_permissions(&secret, Permissions::from_mode(0o600)).expect("its mode");
    fs::set_permissions(outer.path("."), Permissions::from_mode(0o711)).expect("its mode");
    let folder = Folder::new();
    chown(folder.path("."), Some(NOBODY), Some(NOBODY)).expect("its owner");
    let sleeping = Sleeping::start(&folder, |command| command.uid(NOBODY).gid(NOBODY));
    let named = folder.path(&sleeping.recording());
    symlink(&secret, &named).expect("a link");
    sleeping.looked_at(&folder).expect_err("a link to a file of root's");
    fs::remove_file(&named).expect("removed");
    // Linux may keep `nobody` from making one (`protected_hardlinks`), but not everywhere.
    fs::hard_link(&secret, &named).expect("a link");
    sleeping.looked_at(&folder).expect_err("a second name of a file of root's");
    fs::remove_file(&named).expect("removed");
    folder.write(&sleeping.recording(), RECORDING);
    chown(&named, Some(NOBODY), Some(NOBODY)).expect("its owner");
    sleeping.looked_at(&folder).expect("its own file");
}
