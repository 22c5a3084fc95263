//! Foreign names: in recordings, archives and file names.

use std::io::Write;

use crate::support::{CONFIG, Folder, demo_class, zip};

/// A CSI of C0 and one of C1, a bell, an override of the text direction, a carriage return and a line end.
const HOSTILE: &str = "\u{1b}[2J\u{9b}31m\u{7}\u{202e}nimda\r\n::error::forged";

fn acts(c: char) -> bool {
    c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c)
}

/// A recording in which every name that a program chooses is hostile; each class has one live object.
fn hostile() -> Vec<u8> {
    let name = serde_json::to_string(HOSTILE).expect("a string");
    let lines = format!(
        r#"{{"kind":"header","format":1,"session":{name},"jvm":{{"pid":7,"main":{name},"name":{name}}},"sizes":{name}}}
{{"kind":"class","id":0,"class":{name},"component":{name},"track":"live","jar":{name}}}
{{"kind":"class","id":1,"class":"=1+1","component":"@x","track":"live"}}
{{"kind":"link","jar":{name},"base":0,"skipped":[{{"class":{name},"reason":{name}}}],"skipped_total":1}}
{{"kind":"note","at_ms":1,"text":{name}}}
{{"kind":"snapshot","seq":1,"at_ms":9,"uptime_ms":9,"reason":{name},"collected":true,"heap":{{"used_bytes":99}},"classes":[{{"id":0,"allocated":3,"live":1,"live_error":0.0,"exact":true,"tracked":1,"shallow_bytes":16,"deep_bytes":64,"holders":{{"examined":1,"outside":0,"others":0,"chains":[{{"objects":1,"steps":[{name}]}}]}}}},{{"id":1,"allocated":1,"live":1,"live_error":0.0,"exact":true,"shallow_bytes":16,"deep_bytes":16}}],"components":[{{"name":{name},"live":1,"live_error":0.0,"exact":true,"deep_bytes":64}}],"threads":[{{"name":{name},"allocated":3,"live":1,"live_error":0.0}}],"tags":[{{"key":{name},"value":{name},"allocated":3,"live":1,"live_error":0.0}}],"walk":{{"objects":2,"stopped":{name}}}}}
{{"kind":"sites","seq":1,"nodes":[{{"id":0,"frame":{name}}}],"objects":[{{"site":0,"class":0,"objects":1,"bytes":16}}]}}
{{"kind":"footer","at_ms":10,"uptime_ms":10,"reason":{name}}}
"#
    );
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(lines.as_bytes()).expect("memory");
    gzip.finish().expect("memory")
}

#[test]
fn no_name_acts_on_a_terminal_a_build_log_or_a_spreadsheet() {
    let folder = Folder::new();
    folder.write("a.wbr", hostile());
    folder.write("b.wbr", [hostile(), b"\x1f\x8bcut".to_vec()].concat());
    let name =
        HOSTILE.replace('\n', "\\n").replace('\r', "\\r").replace('\u{1b}', "\\u001b").replace('\u{7}', "\\u0007");
    let budgets = format!("version = 1\n[[budget]]\ntag = \"{name}={name}\"\nfigure = \"live\"\nmax = 0\n");
    let plain = format!("{CONFIG}[[budget]]\nclass = \"**\"\nfigure = \"live\"\nmax = 0\n");
    folder.write("wb.toml", &plain);
    folder.write("tags.toml", &budgets);
    let verbs: &[&[&str]] = &[
        &["report", "a.wbr", "--top", "0"],
        &["report", "b.wbr"],
        &["report", "a.wbr", "--by", "class"],
        &["report", "a.wbr", "--by", "component"],
        &["report", "a.wbr", "--by", "thread"],
        &["report", "a.wbr", "--by", "tag"],
        &["report", "a.wbr", "--by", "site"],
        &["report", "a.wbr", "-o", "folded"],
        &["report", "a.wbr", "-o", "json"],
        &["diff", "a.wbr", "b.wbr", "-o", "json"],
        &["check", "a.wbr", "--config", "wb.toml", "-o", "json"],
        &["diff", "a.wbr", "b.wbr"],
        &["check", "a.wbr", "--config", "wb.toml"],
        &["check", "a.wbr", "--config", "wb.toml", "-o", "github"],
        &["check", "a.wbr", "--config", "wb.toml", "-o", "junit"],
        &["check", "a.wbr", "--config", "tags.toml"],
        &["watch", "a.wbr", "--once"],
        &["watch", "a.wbr", "--once", "--by", "class"],
        &["watch", "a.wbr", "--once", "--by", "tag"],
        &["report", "\u{1b}[2J\nweighbridge: forged.wbr"],
        &["verify", "\u{9b}2J.jar"],
    ];
    for verb in verbs {
        let answer = folder.run(verb);
        let text = format!("{}{}", answer.stdout, answer.stderr);
        let acting: Vec<char> = text.chars().filter(|c| acts(*c)).collect();
        assert!(acting.is_empty(), "{verb:?}: {acting:?} in\n{answer}");
        assert!(!text.lines().any(|line| line.starts_with("::error::forged")), "{verb:?}: {answer}");
        assert!(!text.lines().any(|line| line.starts_with("weighbridge: forged")), "{verb:?}: {answer}");
    }
    let github = folder.run(&["check", "a.wbr", "--config", "wb.toml", "-o", "github"]);
    assert!(github.stdout.contains(r"\u{1b}[2J") && github.stdout.contains(r"\r\n::error::forged"), "{github}");
    let csv = |more: &[&str]| folder.run(&[&["report", "a.wbr", "-o", "csv"], more].concat()).stdout;
    assert!(csv(&[]).contains("\n'=1+1,'@x,"), "{}", csv(&[]));
    assert!(csv(&["--raw-cells"]).contains("\n=1+1,@x,"), "{}", csv(&["--raw-cells"]));
    let diff = folder.run(&["diff", "a.wbr", "a.wbr", "-o", "csv"]).stdout;
    assert!(diff.contains("\n'=1+1,'@x,"), "{diff}");
    let merged = folder.run(&["merge", "a.wbr", "-o", "csv"]).stdout;
    assert!(merged.contains("\n'=1+1,'@x,"), "{merged}");
}

#[test]
fn no_name_of_an_archive_acts_on_a_terminal() {
    let folder = Folder::new();
    let entry = format!("com/acme/{}.class", HOSTILE.replace('/', ""));
    folder.write("a.jar", zip(&[(&entry, &demo_class("com/acme/shop/Shop.class")[..40])]));
    folder.write("wb.toml", CONFIG);
    for verb in [&["verify", "a.jar"][..], &["instrument", "a.jar", "--config", "wb.toml", "--dest", "out"]] {
        let answer = folder.run(verb);
        let text = format!("{}{}", answer.stdout, answer.stderr);
        assert!(!text.chars().any(acts), "{verb:?}: {answer}");
        assert!(text.contains("nimda"), "{verb:?} names it: {answer}");
    }
}

#[cfg(unix)]
#[test]
fn no_name_that_init_finds_acts_on_a_terminal_or_begins_a_line() {
    let folder = Folder::new();
    let hostile = HOSTILE.replace('/', "");
    let main = format!("{hostile}/app/Main.class");
    let jar = zip(&[
        (main.as_str(), &[0xca, 0xfe]),
        ("org/other/A.class", &[0xca]),
        (&format!("{hostile}/app/B.class"), &[]),
    ]);
    folder.write(&format!("{hostile}.jar"), jar);
    let (source, file) = (format!("{hostile}.jar"), format!("{hostile}.toml"));
    for arguments in [&["init", &source, "-f", &file][..], &["init", &source, "-f", &file], &["init", &file]] {
        let answer = folder.run(arguments);
        let text = format!("{}{}", answer.stdout, answer.stderr);
        assert!(text.contains(r"\u{1b}[2J") && text.contains(r"\r\n::error::forged"), "{answer}");
        assert!(!text.chars().any(acts), "{answer}");
        assert!(!text.lines().any(|line| line.starts_with("::error::forged")), "{answer}");
    }
}

#[test]
fn no_argument_acts_on_a_terminal_in_a_message_about_it() {
    let folder = Folder::new();
    let [flag, colour] = [format!("--{HOSTILE}"), "\u{1b}[31mred".to_owned()];
    let wrong: &[&[&str]] = &[
        &[HOSTILE],
        &["jvms", &flag],
        &["jvms", HOSTILE],
        &["report", "a.wbr", &flag],
        &["report", "a.wbr", "-o", HOSTILE],
        &["report", "a.wbr", "-o", &colour],
        &["attach", HOSTILE],
        &["trace", "1", "time", "--for", HOSTILE],
        &["trace", HOSTILE, "time"],
        &["instrument", "a.jar", "--config", "wb.toml", "--memory", HOSTILE, "-o", "b.jar"],
        &["export", "a.wbr", "--openmetrics", "--listen", HOSTILE],
        &["watch", "a.wbr", "--once", "--size", HOSTILE],
    ];
    for arguments in wrong {
        let answer = folder.run(arguments);
        assert_eq!(answer.code, Some(2), "{arguments:?}: {answer}");
        assert!(answer.stderr.contains(r"\u{1b}["), "{arguments:?}: it is named: {answer}");
        assert!(!answer.stderr.chars().any(acts), "{arguments:?}: {answer}");
        assert!(!answer.stderr.lines().any(|line| line.starts_with("::error::forged")), "{arguments:?}: {answer}");

        // As on a terminal: clap's own colours, and none of the argument.
        let coloured = folder.answer(folder.command().args(*arguments).env("CLICOLOR_FORCE", "1"));
        let text = coloured.stderr;
        assert!(text.starts_with("\u{1b}["), "{arguments:?}: {text:?}");
        assert!(!text.contains("\u{1b}[31mred") && !text.contains("\u{1b}[2J"), "{arguments:?}: {text:?}");
    }
}

/// 1.8 GiB of different notes in 1.8 MB: keeping them would take as much memory.
#[cfg(unix)]
#[test]
fn a_recording_that_inflates_without_end_takes_bounded_memory_in_each_verb() {
    let folder = Folder::new();
    let gzip = |text: &[u8]| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        gzip.write_all(text).expect("memory");
        gzip.finish().expect("memory")
    };
    let mut bytes = gzip(b"{\"kind\":\"header\",\"format\":1}\n");
    let tail = "x".repeat(15 << 20);
    for member in 0..30 {
        let notes: String =
            (0..4).map(|n| format!("{{\"kind\":\"note\",\"text\":\"{member} {n} {tail}\"}}\n")).collect();
        bytes.extend(gzip(notes.as_bytes()));
    }
    assert!(bytes.len() < 2_000_000, "{}", bytes.len());
    folder.write("a.wbr", bytes);
    let verbs: &[&[&str]] = &[
        &["report", "a.wbr"],
        &["export", "a.wbr", "--parquet", "parquet"],
        &["export", "a.wbr", "--openmetrics"],
        &["merge", "a.wbr", "-o", "csv"],
        &["watch", "a.wbr", "--once"],
    ];
    for verb in verbs {
        // 1 GiB of address space: more ends the process.
        let limited = ["-c", "ulimit -v 1048576; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_weighbridge")];
        let output = std::process::Command::new("sh").current_dir(folder.path("")).args(limited).args(*verb).output();
        let output = output.expect("the binary starts");
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.code().is_some_and(|code| code == 0 || code == 3), "{verb:?}: {}: {said}", output.status);
        assert!(said.contains("max-ratio") || verb[0] == "watch", "{verb:?}: {said}");
    }
}

/// An agent that answers by TCP: what it says is what a program may have put there.
#[cfg(unix)]
#[test]
fn no_answer_of_an_agent_acts_on_a_terminal() {
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    use serde_json::{Value, json};
    use weighbridge_control::{Command, Endpoint, Next, Server, ServerLimits};

    let folder = Folder::new();
    let token = folder.write("token", "0f4c2d9ab1e85c7730d6aa52e81b94c3");
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o600)).expect("a mode");
    let endpoint = Endpoint::tcp("0", &token).expect("an endpoint");
    let server = Server::start(&[endpoint], ServerLimits::default()).expect("a server");
    let address = server.address().expect("an address").to_string();
    let said = json!({ "recording": HOSTILE, HOSTILE: [HOSTILE, "\u{7f}\u{2028}"] });
    let run = |arguments: &[&str]| folder.run(&[&["ctl", &address], arguments, &["--token-file", "token"]].concat());
    let check = |answer: &crate::support::Answer, text: &str| {
        assert!(!text.chars().any(acts) && !text.contains('\u{2028}'), "{answer}");
        let read: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {answer}"));
        assert_eq!(read, said, "it is the same value: {answer}");
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            loop {
                match server.next(Duration::from_secs(60)) {
                    Next::Request(ticket, Command::Subscribe { .. }) => {
                        // The agent ends it at once; what is queued is written.
                        server.subscribe(ticket, vec![said.to_string()]);
                        return server.stop();
                    }
                    Next::Request(ticket, Command::Stop { .. }) => server.reply(ticket, Err(HOSTILE.to_owned())),
                    Next::Request(ticket, _) => server.reply(ticket, Ok(said.clone())),
                    Next::Left(_) => {}
                    Next::Nothing | Next::Closed => return,
                }
            }
        });
        let status = run(&["status"]);
        check(&status, &status.stdout);
        let refused = run(&["stop"]);
        assert!(refused.stderr.contains("nimda") && !refused.stderr.chars().any(acts), "{refused}");
        let lines = run(&["subscribe"]);
        check(&lines, lines.stdout.lines().next().unwrap_or_default());
    });
}
