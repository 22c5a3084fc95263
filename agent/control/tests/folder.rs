//! Where sockets are, who may have made them, and what is left of dead processes.
#![cfg(unix)]

mod support;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command as Program;
use std::sync::Arc;

use support::{Host, LONG, wait_until};
use tempfile::TempDir;
use weighbridge_control::{
    AgentSocket, Client, Command, Endpoint, Error, Server, ServerLimits, folder, list_agent_sockets, user,
};
use weighbridge_outside::Folder;

/// A root with a folder for sockets.
fn root(mode: u32) -> (TempDir, PathBuf) {
    let root = tempfile::tempdir().expect("a folder");
    let folder = folder(root.path(), user());
    fs::create_dir_all(&folder).expect("a folder");
    fs::set_permissions(&folder, Permissions::from_mode(mode)).expect("a mode");
    (root, folder)
}

/// The sockets in the `/tmp` below a root.
fn sockets(root: &Path) -> Result<Vec<AgentSocket>, Error> {
    list_agent_sockets(&temporary(root), user())
}

fn temporary(root: &Path) -> Arc<Folder> {
    Arc::new(Folder::open(&root.join("tmp")).expect("a folder"))
}

fn start(folder: &Path) -> Result<Server, Error> {
    Server::start(&[Endpoint::Socket { folder: folder.to_owned() }], ServerLimits::default())
}

fn refused(folder: &Path) -> String {
    let error = start(folder).expect_err("refused");
    assert!(matches!(error, Error::Unsafe { .. }), "{error}");
    error.to_string()
}

fn dead_socket(path: &Path) {
    drop(UnixListener::bind(path).expect("a socket"));
}

#[test]
fn the_folder_and_the_socket_are_for_their_user_only_and_go_with_the_server() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join("sockets");
    let server = start(&folder).expect("a server");
    let socket = folder.join(format!("{}.sock", std::process::id()));
    assert_eq!(server.socket(), Some(socket.as_path()));
    assert_eq!(fs::metadata(&folder).expect("a folder").mode() & 0o777, 0o700);
    assert_eq!(fs::metadata(&socket).expect("a socket").mode() & 0o777, 0o600);
    drop(server);
    assert!(!folder.exists());
    let error = Client::connect(&socket).expect_err("no agent");
    assert!(matches!(error, Error::NoAgent(_)), "{error}");
}

#[test]
fn a_folder_with_other_files_stays() {
    let (_root, folder) = root(0o700);
    fs::write(folder.join("1.sock"), "").expect("a file");
    drop(start(&folder).expect("a server"));
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1);
}

#[test]
fn a_folder_that_others_may_have_written_to_is_refused() {
    let (root, folder) = root(0o770);
    assert!(refused(&folder).ends_with("others can open it (mode 770); it must be 700"));
    let error = sockets(root.path()).expect_err("refused");
    assert!(matches!(error, Error::Unsafe { .. }), "{error}");
    let (_root, target) = self::root(0o700);
    let link = root.path().join("link");
    symlink(&target, &link).expect("a link");
    assert!(refused(&link).ends_with("it is a symbolic link, not a folder"));
    let file = root.path().join("file");
    fs::write(&file, "").expect("a file");
    assert!(refused(&file).ends_with("it is not a folder"));
}

#[test]
fn a_folder_of_somebody_else_is_refused() {
    let (_root, folder) = root(0o700);
    // Only root can give a folder away; for the others root's own folder is somebody else's.
    let foreign = if user() == 0 { chown(&folder, Some(1), None).map(|()| folder) } else { Ok("/".into()) };
    assert!(refused(&foreign.expect("a folder")).contains("it belongs to the user"));
}

#[test]
fn a_live_socket_is_an_error_and_a_dead_one_is_replaced() {
    let (_root, folder) = root(0o700);
    let socket = folder.join(format!("{}.sock", std::process::id()));
    dead_socket(&socket);
    dead_socket(&socket.with_extension("new"));
    let server = start(&folder).expect("a server");
    let error = start(&folder).expect_err("refused");
    assert!(matches!(&error, Error::InUse(path) if *path == socket), "{error}");
    assert!(UnixStream::connect(&socket).is_ok(), "the first one still listens");
    drop(server);
    fs::create_dir_all(&folder).expect("a folder");
    fs::set_permissions(&folder, Permissions::from_mode(0o700)).expect("a mode");
    fs::write(&socket, "").expect("a file");
    assert!(refused(&socket_folder(&socket)).ends_with("it is not a socket"));
}

fn socket_folder(socket: &Path) -> PathBuf {
    socket.parent().expect("a folder").to_owned()
}

#[test]
fn live_sockets_are_listed_and_dead_ones_removed() {
    let (root, folder) = root(0o700);
    let empty = tempfile::tempdir().expect("a folder");
    fs::create_dir(empty.path().join("tmp")).expect("a folder");
    assert_eq!(sockets(empty.path()).expect("no folder").len(), 0);
    let _live = UnixListener::bind(folder.join("12.sock")).expect("a socket");
    let _other = UnixListener::bind(folder.join("5.sock")).expect("a socket");
    dead_socket(&folder.join("7.sock"));
    for name in ["x.sock", "8.sock", "9"] {
        fs::write(folder.join(name), "").expect("a file");
    }
    let found = sockets(root.path()).expect("sockets");
    assert_eq!(found.iter().map(|socket| socket.pid).collect::<Vec<_>>(), [5, 12]);
    assert_eq!(found[0].path(), folder.join("5.sock"));
    assert!(!folder.join("7.sock").exists());
    // As for a process in a container.
    if cfg!(target_os = "linux") {
        let other = Path::new("/proc/self/root").join(root.path().strip_prefix("/").expect("an absolute path"));
        let found = sockets(&other).expect("sockets");
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|socket| socket.path().starts_with("/proc/self/root")));
        found[0].connect().expect("a connection");
    }
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 5);
}

#[test]
fn what_an_agent_names_leads_to_nothing_but_a_socket_of_its_user() {
    let (root, folder) = root(0o700);
    let temporary = temporary(root.path());
    let parse = |path: &str| AgentSocket::parse(path, &temporary, user());
    let inside = |name: &str| format!("/tmp/weighbridge-{}/{name}", user());
    for path in ["/etc/passwd", "/tmp/../etc/1.sock", "/tmp/weighbridge-0/../1.sock", "/tmp/x/1.sock", "1.sock", ""] {
        assert!(parse(path).is_none(), "{path}");
    }
    assert!(parse(&inside("docker.sock")).is_none());
    // A link to a socket elsewhere is no socket, and neither is one in a folder that is a link.
    let _other = UnixListener::bind(root.path().join("other.sock")).expect("a socket");
    symlink(root.path().join("other.sock"), folder.join("12.sock")).expect("a link");
    let socket = parse(&inside("12.sock")).expect("a path of an agent");
    assert!(matches!(socket.connect(), Err(Error::NoAgent(_))));
    fs::remove_file(folder.join("12.sock")).expect("removed");
    let _own = UnixListener::bind(folder.join("12.sock")).expect("a socket");
    socket.connect().expect("a connection");
    fs::rename(&folder, root.path().join("moved")).expect("moved");
    assert!(matches!(socket.connect(), Err(Error::NoAgent(_))));
    symlink(root.path().join("moved"), &folder).expect("a link");
    assert!(socket.connect().expect_err("refused").to_string().ends_with("it is a symbolic link, not a folder"));
}

#[test]
fn a_socket_with_a_full_queue_is_live_and_a_client_does_not_wait_for_it() {
    let (root, folder) = root(0o700);
    let path = folder.join("12.sock");
    let socket = socket2::Socket::new(socket2::Domain::UNIX, socket2::Type::STREAM, None).expect("a socket");
    socket.bind(&socket2::SockAddr::unix(&path).expect("an address")).expect("bound");
    socket.listen(0).expect("listening");
    let mut waiting = Vec::new();
    let error = loop {
        match Client::connect(&path) {
            Ok(client) => waiting.push(client),
            Err(error) => break error,
        }
        assert!(waiting.len() < 1_000);
    };
    assert!(matches!(error, Error::Late), "{error}");
    assert_eq!(sockets(root.path()).expect("sockets").len(), 1);
}

#[test]
fn agents_may_come_and_go_in_one_folder_at_once() {
    let root = tempfile::tempdir().expect("a folder");
    std::thread::scope(|scope| {
        for number in 0..4 {
            let folder = root.path().join("sockets");
            scope.spawn(move || {
                for _ in 0..50 {
                    // All have one process number here, so another one may be there already.
                    match start(&folder) {
                        Ok(server) => drop(server),
                        Err(Error::InUse(_) | Error::Io { .. }) => {}
                        Err(error) => panic!("{number}: {error}"),
                    }
                }
            });
        }
    });
}

/// The name of the next test, which starts itself as another user.
const STRANGER: &str = "another_user_gets_an_error_from_the_agent_itself";

#[test]
fn another_user_gets_an_error_from_the_agent_itself() {
    if let Some(socket) = std::env::var_os("WEIGHBRIDGE_STRANGER") {
        let error = Client::connect(Path::new(&socket)).expect("a connection").request_reply(&Command::Status {}, LONG);
        let told = error.expect_err("refused").to_string();
        assert_eq!(told, "the agent says: only the user of the program and root may ask its agent");
        return;
    }
    if user() != 0 {
        println!("only root can start a program as another user");
        return;
    }
    let host = Host::new(ServerLimits::default());
    let socket = host.server.socket().expect("a socket");
    let program = host.folder.path().join("stranger");
    fs::copy(std::env::current_exe().expect("this program"), &program).expect("a copy");
    // As if the user had opened all of it by mistake.
    for (path, mode) in
        [(host.folder.path(), 0o711), (&socket_folder(socket), 0o711), (socket, 0o666), (&program, 0o755)]
    {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("a mode");
    }
    let mut stranger = Program::new(&program);
    stranger.args([STRANGER, "--exact", "--nocapture"]).env("WEIGHBRIDGE_STRANGER", socket).uid(1).current_dir("/");
    let output = stranger.output().expect("a program");
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{output:?}");
    wait_until("nobody is connected", || host.server.clients() == 0);
    assert!(host.stop().is_empty());
}
