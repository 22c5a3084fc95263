//! The commands in docs/exports.md write what its examples show.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use weighbridge_tests::made_recording::{self, Shape};
use weighbridge_tests::root;

use crate::examples::{commands, fenced, shows};
use crate::support::Folder;

/// One JVM of the examples, with this number of snapshots.
fn made(seed: u64, snapshots: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let shape = Shape { snapshots, classes: 20, components: 4, interval_ms: 60_000, seed };
    made_recording::write(&mut bytes, &shape).expect("a recording");
    bytes
}

/// A server that ends with the test.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The first message of a server with the documented port, and its page.
fn serve(folder: &Folder, arguments: &[&str], port: &str) -> (String, String) {
    let address = format!("127.0.0.1:{port}");
    let any = arguments.iter().map(|argument| if *argument == address { "127.0.0.1:0" } else { argument });
    let child = folder.command().args(any).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the server");
    let mut served = Served(child);
    let mut said = String::new();
    let stderr = served.0.stderr.take().expect("its messages");
    BufReader::new(stderr).read_line(&mut said).expect("a message");
    let (_, rest) = said.split_once("127.0.0.1:").expect(&said);
    let (chosen, _) = rest.split_once('/').expect(&said);
    let mut socket = TcpStream::connect(format!("127.0.0.1:{chosen}")).expect("a connection");
    socket.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("a request");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("an answer");
    let (_, page) = answer.split_once("\r\n\r\n").expect("a body");
    (said.replace(chosen, port), page.to_owned())
}

#[test]
fn each_example_of_the_page_on_exports_is_what_its_command_writes() {
    let page = std::fs::read_to_string(root().join("docs/exports.md")).expect("the page");
    let folder = Folder::new();
    folder.write("fleet/jvm-0001.wbr", made(1, 12));
    folder.write("fleet/jvm-0002.wbr", made(2, 12));
    folder.write("early.wbr", made(1, 12));
    folder.write("late.wbr", made(1, 50));
    let mut checked = 0;
    for (language, lines) in fenced(&page) {
        match language {
            "toml" => drop(folder.write("budgets.toml", lines.join("\n") + "\n")),
            "" => {}
            // A command of another tool. The tests that open our files with it check it.
            "yaml" | "sql" => continue,
            other => panic!("an example in {other}"),
        }
        let mut scraped = String::new();
        for (command, shown) in commands(if language == "toml" { &[] } else { &lines }) {
            let words: Vec<&str> = command.split(' ').collect();
            let written = match &words[..] {
                ["weighbridge", arguments @ .., "&"] => {
                    let (said, page) = serve(&folder, arguments, "9464");
                    scraped = page;
                    said
                }
                ["curl", .., "|", "grep", word] => {
                    scraped.lines().filter(|line| line.contains(word)).map(|line| format!("{line}\n")).collect()
                }
                // Runs until it is stopped; cli/tests/pushing.rs checks it.
                ["weighbridge", "export", "--otlp", ..] => continue,
                ["weighbridge", arguments @ ..] => folder.run(arguments).stdout,
                ["go", arguments @ ..] => {
                    let mut go = Command::new("go");
                    go.args(arguments)
                        .current_dir(folder.path(""))
                        .env("PPROF_TMPDIR", folder.path(""))
                        .env("TZ", "UTC");
                    folder.answer(&mut go).stdout
                }
                _ => panic!("`{command}` is not known here"),
            };
            assert!(shows(&shown, &written), "{command}\nshown:\n{}\nwritten:\n{written}", shown.join("\n"));
            checked += 1;
        }
    }
    assert!(checked >= 11, "only {checked} commands");
}
