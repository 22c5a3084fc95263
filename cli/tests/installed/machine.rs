//! A machine without Rust: a bare Debian in a folder. Where this user may not change the root, only an empty home.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use weighbridge_tests::{Output, cache, jdks, run};
use xtask::dist;

const BINARY: &str = env!("CARGO_BIN_EXE_weighbridge");
/// What is installed beside what `apt` itself needs.
const PACKAGES: &str = "fish,man-db,mount,nodejs,python3-pip,zsh";
/// Node.js of Debian 12 runs it; Debian's own npm has some hundred packages.
const NPM: &str = "npm@10.9.4";

/// One test at a time: they install into the same root.
static ALONE: Mutex<()> = Mutex::new(());

pub struct Machine {
    folder: PathBuf,
    is_root: bool,
    lock: fs::File,
    _alone: std::sync::MutexGuard<'static, ()>,
}

impl Machine {
    /// A fresh one, with the packages of the binary under test in `/mnt`, Java in `/opt/java` and npm in `/opt/npm`.
    pub fn new() -> Machine {
        let alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let shelf = cache().join("installed");
        fs::create_dir_all(&shelf).expect("a folder");
        let lock = fs::File::create(shelf.join("lock")).expect("a lock file");
        lock.lock().expect("the lock of the machines");
        let folder = shelf.join("machine");
        _ = fs::remove_dir_all(&folder);
        let bare = may_change_root().then(|| debian(&shelf)).flatten();
        match &bare {
            Some(bare) => assert!(run(Command::new("cp").arg("-a").arg(bare).arg(&folder)).success(), "no copy"),
            None => eprintln!("no bare Debian can be made here: packages are tested in an empty home only"),
        }
        for inner in ["mnt", "opt/java", "opt/npm", "root", "proc", "dev"] {
            fs::create_dir_all(folder.join(inner)).expect("a folder");
        }
        Machine { folder, is_root: bare.is_some(), lock, _alone: alone }
    }

    /// Whether it has a root folder of its own.
    pub fn is_debian(&self) -> bool {
        self.is_root
    }

    /// Runs a script of `sh` that stops at the first failure. `PKG`, `JAVA` and `NPM` name the folders of what was brought; only
    /// what is installed into `$HOME/bin` or, on a Debian, where packages go, is on the `PATH`.
    pub fn sh(&self, script: &str) -> Output {
        let (java, npm, packages) = (&jdks()[0].home, npm(), packages());
        let mut command;
        if self.is_root {
            command = Command::new("unshare");
            command.args(["--mount", "sh", "-ec"]).arg(
                "mount --bind \"$1\" \"$4/mnt\"; mount --bind \"$2\" \"$4/opt/java\"; mount --bind \"$3\" \"$4/opt/npm\"\n\
                 mount --rbind /dev \"$4/dev\"; mount -t proc proc \"$4/proc\"; cd \"$4\"\n\
                 exec chroot . /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 PKG=/mnt JAVA=/opt/java NPM=/opt/npm \
                 PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/java/bin sh -euc \"cd; $5\"",
            );
            command.arg("sh").args([packages, java, npm, &self.folder]).arg(script);
        } else {
            let home = self.folder.join("root");
            let path =
                std::env::join_paths([&home.join("bin"), Path::new("/usr/bin"), Path::new("/bin"), &java.join("bin")]);
            command = Command::new("/bin/sh");
            command.args(["-euc", script]).current_dir(&home).env_clear().env("HOME", &home).env("LC_ALL", "C.UTF-8");
            command.env("PKG", packages).env("JAVA", java).env("NPM", npm).env("PATH", path.expect("a PATH"));
        }
        run(command.stdin(Stdio::null()))
    }

    /// The same; it must succeed. Gives what it printed.
    #[track_caller]
    pub fn must(&self, script: &str) -> String {
        let output = self.sh(script);
        assert!(output.success(), "{script}\n{output}");
        output.stdout
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.folder);
        _ = self.lock.unlock();
    }
}

fn may_change_root() -> bool {
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", "[ $(id -u) = 0 ] && mount -t tmpfs none /mnt && chroot / true"]);
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// The folder of a bare Debian of the release that runs here, made once; `None` on other systems.
fn debian(shelf: &Path) -> Option<PathBuf> {
    let about = fs::read_to_string("/etc/os-release").ok()?;
    let value = |key: &str| about.lines().find_map(|line| line.strip_prefix(key)).map(|value| value.trim_matches('"'));
    if value("ID=")? != "debian" {
        return None;
    }
    let release = value("VERSION_CODENAME=")?;
    let (made, unready) = (shelf.join(format!("{release},{PACKAGES}")), shelf.join("unready"));
    if !made.is_dir() {
        let mut apt = Command::new("apt-get");
        let sources = run(apt.args(["indextargets", "--format", "$(CODENAME) $(REPO_URI)", "Created-By: Packages"]));
        let mirror =
            sources.stdout.lines().find_map(|line| line.strip_prefix(&format!("{release} "))).map(str::to_owned);
        _ = fs::remove_dir_all(&unready);
        let mut make = Command::new("mmdebstrap");
        make.args(["--quiet", "--mode=root", "--variant=apt", &format!("--include={PACKAGES}"), release]).arg(&unready);
        let output = run(make.args(mirror));
        assert!(output.success(), "{output}");
        fs::rename(&unready, &made).expect("a new name");
    }
    Some(made)
}

/// The folder of npm, fetched once by npm.
fn npm() -> &'static Path {
    static NPM_FOLDER: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    NPM_FOLDER.get_or_init(|| {
        let folder = cache().join("installed").join(NPM);
        let package = folder.join("node_modules/npm");
        if !package.join("package.json").is_file() {
            fs::create_dir_all(&folder).expect("a folder");
            let output = run(Command::new("npm").args(["install", "--silent", "--prefix"]).arg(&folder).arg(NPM));
            assert!(output.success(), "{output}");
        }
        package
    })
}

/// The folder of the packages of the binary under test, with a program to measure.
pub fn packages() -> &'static Path {
    static FOLDER: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = cache().join("installed/packages");
        _ = fs::remove_dir_all(&folder);
        // The binary of the tests is ten times as large as a released one.
        let options = dist::DistOptions { binary: Some(BINARY.into()), dest: Some(folder.clone()), level: 1 };
        dist::run(&options).expect("packages");
        fs::write(folder.join("shop.jar"), weighbridge_samples::DEMO_JAR).expect("the program");
        fs::write(folder.join("weighbridge.toml"), weighbridge_samples::DEMO_CONFIG).expect("its configuration");
        folder
    })
}

/// The packages whose names end so; there must be one.
pub fn package(end: &str) -> String {
    let names = fs::read_dir(packages()).expect("packages").map(|entry| entry.expect("an entry").file_name());
    let mut named = names.filter(|name| name.as_encoded_bytes().ends_with(OsStr::new(end).as_encoded_bytes()));
    let name = named.next().unwrap_or_else(|| panic!("no package {end}"));
    assert_eq!(named.next(), None, "one package {end}");
    name.into_string().expect("a name")
}
