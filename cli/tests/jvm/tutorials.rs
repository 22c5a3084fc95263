//! The tutorials do what they say: each page's files are written and its commands run, in order, by one shell.
//!
//! What a command writes must be what the page shows, but for numbers, units and the widths of columns, which differ from run
//! to run; `...` stands for any lines. `WEIGHBRIDGE_WRITE_TUTORIALS=1` writes what was seen into the pages instead.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use weighbridge_tests::root;

use crate::examples::{commands, fenced, shows};
use crate::support::Folder;

/// Between what two commands write.
const MARK: &str = "\u{1e}";
/// The port in the pages; a free one replaces it.
const PORT: &str = "8080";

#[test]
fn a_leak_is_found() {
    check("find-a-leak");
}

#[test]
fn a_budget_is_held() {
    check("hold-a-budget");
}

#[test]
fn a_server_that_runs_out_of_memory_stays_up() {
    check("out-of-memory");
}

#[test]
fn what_a_request_holds_is_told() {
    check("what-a-request-holds");
}

#[test]
fn a_heap_dump_is_read() {
    check("read-a-heap-dump");
}

fn check(name: &str) {
    let path = root().join("docs/tutorials").join(name).with_extension("md");
    let page = fs::read_to_string(&path).expect("the page");
    let port = free_port();
    let folder = Folder::new();
    let mut script = String::from("trap 'kill $(jobs -p) 2>/dev/null' EXIT\n");
    let mut all = Vec::new();
    for (language, lines) in fenced(&page) {
        if language == "console" {
            for (command, shown) in commands(&lines) {
                script += &format!("printf '{MARK}'\n{}\n", command.replace(PORT, &port));
                all.push((command, shown));
            }
            continue;
        }
        let text = lines.join("\n") + "\n";
        folder.write(&file(&page, &text), text.replace(PORT, &port));
    }
    let written = run(&folder, &script);
    let written: Vec<&str> = written.split(MARK).skip(1).map(|text| text.trim_end_matches('\n')).collect();
    assert_eq!(written.len(), all.len(), "{written:#?}");
    let (mut mended, mut rest) = (String::new(), page.as_str());
    let mut different = String::new();
    for ((command, shown), written) in all.iter().zip(&written) {
        let before = std::iter::once(format!("$ {command}")).chain(shown.iter().map(|line| (*line).to_owned()));
        let before = before.collect::<Vec<_>>().join("\n");
        let (passed, after) = rest.split_once(&before).expect("the pages have it in this order");
        mended += passed;
        rest = after;
        let words: Vec<String> = shown.iter().map(|line| without_figures(line)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let seen: Vec<String> = written.lines().map(without_figures).collect();
        if shows(&words, &seen.join("\n")) {
            mended += &before;
            continue;
        }
        different += &format!("$ {command}\nshown:\n{}\nwritten:\n{written}\n\n", shown.join("\n"));
        mended += format!("$ {command}\n{}", written.replace(&port, PORT)).trim_end();
    }
    mended += rest;
    if env::var_os("WEIGHBRIDGE_WRITE_TUTORIALS").is_some() {
        fs::write(&path, mended).expect("the page");
    } else {
        assert!(different.is_empty(), "{}\n{different}", path.display());
    }
}

/// The name of the file that a fence holds: the last one in backquotes before it.
fn file(page: &str, text: &str) -> String {
    let before = &page[..page.find(text).expect("it is of this page")];
    let (before, _) = before.rsplit_once("```").expect("a fence");
    let name = before.split('`').skip(1).step_by(2).filter(|word| word.ends_with(".java") || word.ends_with(".toml"));
    name.last().expect("a name before each file").to_owned()
}

fn free_port() -> String {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port");
    free.port().to_string()
}

fn run(folder: &Folder, script: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_weighbridge")).parent().expect("its folder");
    let others = env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(binary.to_owned()).chain(env::split_paths(&others));
    let mut shell = Command::new("bash");
    shell.current_dir(folder.path("")).env("PATH", env::join_paths(paths).expect("paths")).env("COLUMNS", "140");
    shell.args(["-c", "exec 2>&1; eval \"$0\"", script]).stdin(Stdio::null());
    folder.answer(&mut shell).stdout
}

/// A line with `0` for each number, `0x` for each address, one space for each gap, and without units.
fn without_figures(line: &str) -> String {
    const UNITS: [&str; 9] = ["bytes", "KiB", "MiB", "GiB", "ns", "us", "ms", "s", "min"];
    let mut words: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        let bare = word.trim_matches(|sign: char| !sign.is_alphanumeric());
        if UNITS.contains(&bare) || word.chars().all(|sign| sign == '-') {
            continue;
        }
        if bare.starts_with("0x") {
            words.push("0x".to_owned());
            continue;
        }
        let mut kept = String::new();
        for sign in word.chars() {
            let of_number = sign.is_ascii_digit() || kept.ends_with('0') && matches!(sign, '.' | ',' | ':' | '-');
            match (of_number, kept.ends_with('0')) {
                (true, true) => {}
                (true, false) => kept.push('0'),
                (false, _) => kept.push(sign),
            }
        }
        words.push(kept);
    }
    words.join(" ")
}

#[test]
fn figures_differ_and_words_do_not() {
    assert_eq!(without_figures("  Shop$Cart   12,345   1.5 MiB  at 23:01:02"), "Shop$Cart 0 0 at 0");
    assert_eq!(without_figures(" ------  -----"), "");
    assert_eq!(without_figures("0xff01 4"), without_figures("0x7a 5"));
    assert_ne!(without_figures("Shop$Cart 5"), without_figures("Shop$Page 5"));
}
