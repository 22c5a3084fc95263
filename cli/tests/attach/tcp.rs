//! Clients that ask by TCP.

use std::fs::{self, Permissions};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use weighbridge_tests::{jdks, native_agent};

use crate::program::{Attached, Program, ask, recorded};

const TOKEN: &str = "0f4c2d9ab1e85c7730d6aa52e81b94c3";

fn token(folder: &Path, name: &str, text: &str, mode: u32) -> String {
    let file = folder.join(name);
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
    file.to_str().unwrap().to_owned()
}

/// Asks the agent at an address.
fn ask_at(address: &str, token: &str, words: &[&str]) -> weighbridge_tests::Output {
    ask(&[&["ctl", address, "--token-file", token], words].concat())
}

fn address(program: &Program) -> Option<String> {
    ask(&["ctl", &program.pid, "status"]).json()["address"].as_str().map(str::to_owned)
}

#[test]
fn who_knows_the_token_asks_and_watches_by_tcp_until_the_session_ends() {
    for jdk in jdks() {
        let mut program = Program::start(jdk);
        let folder = tempfile::tempdir().unwrap();
        let right = token(folder.path(), "right", TOKEN, 0o600);
        let wrong = token(folder.path(), "wrong", "0f4c2d9ab1e85c7730d6aa52e81b94c4", 0o600);
        let recording = program.path("a.wbr");
        let arguments = ["--include", "com.acme.**", "--listen", "0", "--token-file", &right];
        let attached = Attached::start(&program.pid, &recording, &arguments);
        let address = address(&program).expect("an address");
        assert!(address.starts_with("127.0.0.1:"), "{address}");
        let said = format!("weighbridge: note: process {} can be asked at {address}, with the token\n", program.pid);
        assert!(attached.said().contains(&said), "{}", attached.said());
        assert_eq!(program.files(), [format!("{}.sock", program.pid)], "the token's file is gone");
        program.tell("make 10");
        assert!(ask_at(&address, &right, &["measure", "here"]).json()["snapshot"].is_u64(), "Java {}", jdk.version);
        let watch = ["watch", &address, "--token-file", &right, "--once", "--by", "class", "--size", "120x24"];
        let frame = ask(&watch);
        assert!(frame.success() && frame.stdout.contains("attached.Load$Item"), "{frame}");
        for (words, code, sentence) in [
            (
                vec!["ctl", &address, "--token-file", &wrong, "status"],
                3,
                format!("{address}: the agent says: the token is wrong"),
            ),
            (
                vec!["watch", &address, "--token-file", &wrong, "--once"],
                3,
                format!("{address}: the agent says: the token is wrong"),
            ),
            (vec!["ctl", &address, "status"], 2, format!("{address}: an address wants a token; --token-file FILE")),
            (vec!["watch", &address, "--once"], 2, format!("{address}: an address wants a token; --token-file FILE")),
        ] {
            let refused = ask(&words);
            assert_eq!((refused.code, refused.stderr), (Some(code), format!("weighbridge: error: {sentence}\n")));
        }
        ask(&["detach", &address, "--token-file", &right]).json();
        assert_eq!(attached.end(), (Some(0), String::new()));
        assert!(TcpStream::connect(&address).is_err(), "nothing listens");
        let gone = ask_at(&address, &right, &["status"]);
        assert_eq!(
            gone.stderr,
            format!("weighbridge: error: {address}: no connection: Connection refused (os error 111)\n")
        );
        assert_eq!(recorded(&recording), (10, "detach".to_owned()));
        program.assert_clean(&jdk.version);
        program.end(10);
    }
}

#[test]
fn an_address_or_token_that_cannot_be_used_is_named_and_nothing_is_changed() {
    let mut program = Program::start(&jdks()[0]);
    let folder = tempfile::tempdir().unwrap();
    let right = token(folder.path(), "right", TOKEN, 0o600);
    let open = token(folder.path(), "open", TOKEN, 0o644);
    let short = token(folder.path(), "short", "secret", 0o600);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let recording = program.path("a.wbr");
    for (listen, file, code, sentence) in [
        (&*port, Some(&right), 3, format!("127.0.0.1:{port}: Address already in use (os error 98)")),
        ("0", Some(&open), 3, "others can open it (mode 644); it must be 600 or less".to_owned()),
        ("0", Some(&short), 3, "the token is shorter than 16 bytes".to_owned()),
        (
            "0",
            Some(&"/no/such/token".to_owned()),
            3,
            "/no/such/token: No such file or directory (os error 2)".to_owned(),
        ),
        ("here:7070", Some(&right), 2, "neither a port nor an address with a port, like 127.0.0.1:7070".to_owned()),
        ("0", None, 2, "--token-file <FILE>".to_owned()),
    ] {
        let mut words = vec!["attach", &program.pid, "-o", recording.to_str().unwrap(), "--include", "com.acme.**"];
        words.extend(["--listen", listen]);
        words.extend(file.iter().flat_map(|file| ["--token-file", file.as_str()]));
        let refused = ask(&words);
        assert!(refused.code == Some(code) && refused.stderr.contains(&sentence), "{words:?}: {refused}");
        assert!(!recording.exists() && program.files().is_empty(), "{refused}");
    }
    program.assert_clean("first");
    program.end(0);
}

/// Starts a program with the agent and these options.
fn measured(folder: &Path, options: &str) -> (Program, PathBuf) {
    let (config, recording) = (folder.join("weighbridge.toml"), folder.join("own.wbr"));
    fs::write(&config, "version = 1\n[instrument]\ninclude = [\"com.acme.**\"]\n").unwrap();
    let options = format!("config={},destfile={},{options}", config.display(), recording.display());
    let library = native_agent().display();
    (Program::with(jdks().last().expect("a JDK"), &[&format!("-agentpath:{library}={options}")]), recording)
}

#[test]
fn an_agent_of_the_start_listens_if_it_is_asked_to_and_else_says_why_not() {
    let folder = tempfile::tempdir().unwrap();
    let right = token(folder.path(), "right", TOKEN, 0o600);
    let (mut program, recording) = measured(folder.path(), &format!("listen=127.0.0.1:0,token={right}"));
    let address = address(&program).expect("an address");
    program.tell("make 5");
    assert_eq!(ask_at(&address, &right, &["measure"]).json()["recording"], recording.to_str().unwrap());
    program.end(5);
    assert!(TcpStream::connect(&address).is_err(), "nothing listens");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap();
    for (options, reason) in [
        (format!("listen={taken},token={right}"), format!("{taken}: Address already in use (os error 98)")),
        ("listen=0".to_owned(), "listen needs token=FILE, a file that only its owner can open".to_owned()),
        (format!("token={right}"), "token needs listen=[ADDRESS:]PORT".to_owned()),
        ("listen=0,token=/no/file".to_owned(), "/no/file: No such file or directory (os error 2)".to_owned()),
    ] {
        let (program, _) = measured(folder.path(), &options);
        assert_eq!(program.stderr(), format!("weighbridge: nobody can ask this JVM by TCP: {reason}\n"));
        let status = ask(&["ctl", &program.pid, "status"]).json();
        assert_eq!((&status["state"], &status["address"]), (&"measuring".into(), &serde_json::Value::Null));
    }
}
