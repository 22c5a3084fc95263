//! Every wrong input has its message and exit code.

use crate::support::{CONFIG, Folder, RECORDING, demo_class, without_numbers, zip};
use insta::assert_snapshot;

/// A directory with a jar, a configuration and a recording.
fn prepared() -> Folder {
    let folder = Folder::new();
    folder.write("app.jar", weighbridge_samples::DEMO_JAR);
    folder.write("wb.toml", CONFIG);
    folder.write("run.wbr", RECORDING);
    folder
}

fn instrument(folder: &Folder, source: &str) -> String {
    folder.run(&["instrument", source, "--config", "wb.toml", "--dest", "out"]).to_string()
}

#[test]
fn a_configuration_that_selects_nothing_is_refused_unless_that_is_allowed() {
    let folder = prepared();
    folder.write("wb.toml", "version = 1\n[instrument]\ninclude = [\"org.nothing.**\"]\n");
    let arguments = ["instrument", "app.jar", "--config", "wb.toml", "--dest", "out"];
    let refused = folder.run(&arguments);
    assert_eq!(refused.code, Some(3), "{refused}");
    assert!(refused.stderr.ends_with("instrument.include: \"org.nothing.**\" matches no class\n"), "{refused}");
    assert!(!folder.path("out").exists());
    let allowed = folder.run(&[&arguments[..], &["--allow-empty"]].concat());
    assert_eq!(allowed.code, Some(0), "{allowed}");
    assert!(std::fs::read(folder.path("out/app.jar")).expect("the output") == weighbridge_samples::DEMO_JAR);
}

#[test]
fn a_file_that_is_no_zip_is_named() {
    let folder = prepared();
    folder.write("text.jar", "this is no zip file, it only says so in its name");
    assert_snapshot!(instrument(&folder, "text.jar"));
    folder.write("empty.jar", "");
    assert_snapshot!(instrument(&folder, "empty.jar"));
}

#[test]
fn a_truncated_zip_is_named_and_writes_nothing() {
    let folder = prepared();
    let jar = weighbridge_samples::DEMO_JAR;
    folder.write("cut.jar", &jar[..jar.len() * 2 / 3]);
    assert_snapshot!(without_numbers(&instrument(&folder, "cut.jar")));
    assert!(!folder.path("out/cut.jar").exists());
}

#[test]
fn an_archive_that_unpacks_to_too_much_is_refused_by_each_verb_and_leaves_no_output() {
    let folder = prepared();
    let zeros = vec![0; 4 << 20];
    let mut bomb = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    bomb.start_file("com/acme/Bomb.class", zip::write::SimpleFileOptions::default()).expect("an entry");
    std::io::Write::write_all(&mut bomb, &zeros).expect("its bytes");
    folder.write("bomb.jar", bomb.finish().expect("a zip").into_inner());
    assert_snapshot!(without_numbers(&instrument(&folder, "bomb.jar")));
    let explained = folder.run(&["explain", "com.acme.Bomb", "bomb.jar", "--config", "wb.toml"]);
    assert_eq!(explained.code, Some(3), "{explained}");
    let verified = folder.run(&["verify", "bomb.jar"]);
    assert_eq!(verified.code, Some(3), "{verified}");
    assert!(!folder.path("out/bomb.jar").exists());
    // With higher limits the file is refused as no class file; with a lower total another jar is refused.
    let raised = ["instrument", "bomb.jar", "--config", "wb.toml", "--dest", "out", "--max-ratio", "2000"];
    assert_eq!(folder.run(&raised).code, Some(0));
    let lowered = ["instrument", "app.jar", "--config", "wb.toml", "--dest", "low", "--max-inflated", "1000"];
    assert_snapshot!(without_numbers(&folder.run(&lowered).to_string()));
    assert!(!folder.path("low/app.jar").exists());
}

#[test]
fn a_missing_jar_is_named() {
    assert_snapshot!(instrument(&prepared(), "no-such.jar"));
}

/// Replaces the parts of a summary that differ from run to run or with the compiler.
fn summary(text: String) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        lines.push(match line.split_once("; ") {
            Some((matched, _)) if line.ends_with(" s") => format!("{matched}; ..."),
            _ => line.to_owned(),
        });
    }
    lines.join("\n")
}

#[test]
fn a_truncated_class_is_left_untouched_and_listed() {
    let folder = prepared();
    let class = demo_class("com/acme/shop/web/Session.class");
    folder.write("app.jar", zip(&[("com/acme/shop/web/Session.class", &class[..class.len() - 20])]));
    assert_snapshot!(without_numbers(&summary(instrument(&folder, "app.jar"))));
}

#[test]
fn a_class_of_a_future_version_is_left_untouched_and_listed() {
    let folder = prepared();
    let mut class = demo_class("com/acme/shop/web/Session.class");
    class[6..8].copy_from_slice(&999_u16.to_be_bytes());
    folder.write("app.jar", zip(&[("com/acme/shop/web/Session.class", &class)]));
    assert_snapshot!(summary(instrument(&folder, "app.jar")));
}

#[test]
fn an_unknown_key_of_the_configuration_is_named_with_its_position_and_the_nearest_known() {
    let folder = prepared();
    folder.write("wb.toml", "version = 1\n[instrument]\ninclud = [\"com.acme.**\"]\n");
    assert_snapshot!(instrument(&folder, "app.jar"));
}

#[test]
fn a_bad_pattern_is_named_with_its_position() {
    let folder = prepared();
    folder.write("wb.toml", "version = 1\n[instrument]\ninclude = [\"com..acme\"]\n");
    assert_snapshot!(instrument(&folder, "app.jar"));
}

#[test]
fn a_missing_configuration_is_named() {
    let folder = prepared();
    assert_snapshot!(folder.run(&["instrument", "app.jar", "--config", "none.toml", "--dest", "out"]));
}

#[test]
fn an_existing_output_needs_force() {
    let folder = prepared();
    folder.write("out.jar", "precious");
    let refused = folder.run(&["instrument", "app.jar", "--config", "wb.toml", "-o", "out.jar"]);
    assert_snapshot!(refused);
    assert_eq!(std::fs::read(folder.path("out.jar")).unwrap(), b"precious");
    let forced = folder.run(&["instrument", "app.jar", "--config", "wb.toml", "-o", "out.jar", "--force"]);
    assert_eq!(forced.code, Some(0), "{forced}");
}

#[test]
fn force_rewrites_a_rewritten_jar_from_the_original_beside_it() {
    let folder = prepared();
    let first = folder.run(&["instrument", "app.jar", "--config", "wb.toml", "-o", "weighed.jar"]);
    assert_eq!(first.code, Some(0), "{first}");
    let weighed = std::fs::read(folder.path("weighed.jar")).unwrap();
    folder.write("few.toml", "version = 1\n[instrument]\ninclude = [\"com.acme.shop.web.*\"]\n");
    let again = ["instrument", "weighed.jar", "--config", "few.toml", "-o", "weighed.jar"];
    let refused = folder.run(&["instrument", "weighed.jar", "--config", "few.toml", "-o", "new.jar"]);
    assert_eq!(refused.code, Some(3), "{refused}");
    let forced = folder.run(&[&again[..], &["--force"]].concat());
    assert_eq!(forced.code, Some(0), "{forced}");
    assert!(forced.stdout.starts_with("app.jar -> weighed.jar: "), "{forced}");
    let direct = folder.run(&["instrument", "app.jar", "--config", "few.toml", "-o", "direct.jar"]);
    assert_eq!(direct.code, Some(0), "{direct}");
    let rewritten = std::fs::read(folder.path("weighed.jar")).unwrap();
    assert!(rewritten != weighed && rewritten == std::fs::read(folder.path("direct.jar")).unwrap());
    std::fs::remove_file(folder.path("app.jar")).unwrap();
    let alone = folder.run(&[&again[..], &["--force"]].concat());
    assert_eq!(alone.code, Some(3), "{alone}");
    assert!(
        alone.stderr.contains("weighed.jar: was rewritten by weighbridge before, and no file beside it is"),
        "{alone}"
    );
    assert_eq!(std::fs::read(folder.path("weighed.jar")).unwrap(), rewritten);
}

#[test]
fn an_output_that_is_an_input_is_refused_even_with_force() {
    let folder = prepared();
    let answer = folder.run(&["instrument", "app.jar", "--config", "wb.toml", "-o", "./app.jar", "--force"]);
    assert_snapshot!(answer);
    let answer = folder.run(&["instrument", "app.jar", "--config", "wb.toml", "--dest", ".", "--force"]);
    assert_snapshot!(answer);
    assert_eq!(std::fs::read(folder.path("app.jar")).unwrap(), weighbridge_samples::DEMO_JAR);
}

#[test]
fn one_output_file_takes_one_source() {
    let folder = prepared();
    let answer = folder.run(&["instrument", "app.jar", "app.jar", "--config", "wb.toml", "-o", "out.jar"]);
    assert_snapshot!(answer);
}

#[test]
fn a_cut_recording_is_reported_up_to_the_cut_with_a_warning() {
    let folder = prepared();
    folder.write("cut.wbr", &RECORDING[..1_500]);
    let answer = folder.run(&["report", "cut.wbr"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    assert!(answer.stdout.contains("as of snapshot 1 at 10.3 s"), "{answer}");
    assert_snapshot!(answer.stderr);
}

#[test]
fn a_recording_cut_before_its_header_is_refused() {
    let folder = prepared();
    folder.write("cut.wbr", &RECORDING[..40]);
    assert_snapshot!(folder.run(&["report", "cut.wbr"]));
}

#[test]
fn a_recording_of_a_newer_format_is_refused_with_both_versions() {
    use std::io::Write;
    let folder = prepared();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(b"{\"kind\":\"header\",\"format\":2}\n").unwrap();
    folder.write("new.wbr", gzip.finish().unwrap());
    assert_snapshot!(folder.run(&["report", "new.wbr"]));
}

#[test]
fn a_file_that_is_no_recording_is_refused() {
    let folder = prepared();
    assert_snapshot!(folder.run(&["report", "app.jar"]));
    assert_snapshot!(folder.run(&["report", "missing.wbr"]));
}

#[test]
fn among_several_files_those_that_are_no_recording_are_named_and_the_others_reported() {
    let folder = prepared();
    let answer = folder.run(&["report", "run.wbr", "app.jar", "missing.wbr", "-o", "json"]);
    assert_eq!(answer.code, Some(3), "{answer}");
    let report: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(report["summary"]["jvms"], 1);
    assert_snapshot!(answer.stderr);
}

#[test]
fn several_files_without_a_recording_are_an_error() {
    assert_snapshot!(prepared().run(&["report", "app.jar", "wb.toml"]));
}

#[test]
fn a_directory_without_recordings_is_an_error() {
    let folder = prepared();
    folder.write("empty/readme.txt", "");
    assert_snapshot!(folder.run(&["report", "empty"]));
}

#[test]
fn an_existing_report_needs_force_and_a_recording_is_never_replaced() {
    let folder = prepared();
    folder.write("report.txt", "precious");
    assert_snapshot!(folder.run(&["report", "run.wbr", "-f", "report.txt"]));
    assert_snapshot!(folder.run(&["report", "run.wbr", "-f", "./run.wbr", "--force"]));
    let forced = folder.run(&["report", "run.wbr", "-f", "report.txt", "--force"]);
    assert_eq!((forced.code, forced.stdout.as_str()), (Some(0), ""), "{forced}");
    assert!(std::fs::read_to_string(folder.path("report.txt")).unwrap().starts_with("Weighbridge report"));
    assert_eq!(folder.names("."), ["app.jar", "report.txt", "run.wbr", "wb.toml"]);
}

#[test]
fn a_report_into_a_missing_directory_is_an_error() {
    assert_snapshot!(prepared().run(&["report", "run.wbr", "-f", "no/such/report.txt"]));
}

#[test]
fn run_needs_the_java_launcher() {
    let folder = prepared();
    assert_snapshot!(folder.run(&["run", "--config", "wb.toml", "--", "gradle", "test"]));
    assert_snapshot!(folder.run(&["run", "--config", "wb.toml", "--", "./no/java", "Main"]));
    let nowhere =
        folder.answer(folder.command().env("PATH", "").args(["run", "--config", "wb.toml", "--", "java", "M"]));
    assert_snapshot!(nowhere);
    assert_snapshot!(folder.run(&["run", "--config", "wb.toml"]));
}

#[test]
fn wrong_flags_are_usage_errors() {
    let folder = prepared();
    assert_snapshot!(folder.run(&["instrument", "app.jar", "--config", "wb.toml"]));
    assert_snapshot!(folder.run(&["report", "run.wbr", "-o", "xml"]));
    assert_snapshot!(folder.run(&["wiegh"]));
}

#[test]
fn a_report_of_a_jar_or_a_heap_dump_names_the_verb_for_it() {
    use std::io::Write;
    let folder = prepared();
    folder.write("my app.jar", weighbridge_samples::DEMO_JAR);
    folder.write("app.hprof", b"JAVA PROFILE 1.0.2\0\0\0\0\x08");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"JAVA PROFILE 1.0.2\0\0\0\0\x08").unwrap();
    folder.write("app.hprof.gz", packed.finish().unwrap());
    for (file, command) in [
        ("my app.jar", "`weighbridge instrument 'my app.jar' --config FILE --dest DIR`"),
        ("app.hprof", "`weighbridge heap dominators app.hprof`"),
        ("app.hprof.gz", "`weighbridge heap dominators app.hprof.gz`"),
    ] {
        let answer = folder.run(&["report", file]);
        assert_eq!(answer.code, Some(3), "{answer}");
        assert!(answer.stderr.contains(command), "{answer}");
    }
    let answer = folder.run(&["report", "wb.toml"]);
    assert!(answer.code == Some(3) && !answer.stderr.contains("see `"), "{answer}");
}

#[test]
fn one_output_that_is_a_directory_leads_to_dest() {
    let folder = prepared();
    std::fs::create_dir(folder.path("out dir")).unwrap();
    for (named, quoted) in [("out dir", "'out dir'"), ("new/", "new/")] {
        let answer = folder.run(&["instrument", "app.jar", "--config", "wb.toml", "-o", named]);
        assert_eq!(answer.code, Some(2), "{answer}");
        assert!(answer.stderr.contains(&format!("{named}: is a directory; use --dest {quoted}")), "{answer}");
    }
    assert_eq!(folder.names("out dir"), [""; 0]);
}

#[test]
fn the_hints_of_instrument_name_files_that_are_there_as_a_shell_takes_them() {
    let folder = prepared();
    let plain = zip(&[("com/acme/shop/Shop.class", &demo_class("com/acme/shop/Shop.class"))]);
    folder.write("plain.jar", plain);
    let alone = folder.run(&["instrument", "plain.jar", "--config", "wb.toml", "-o", "weighed.jar"]);
    assert_eq!(alone.code, Some(0), "{alone}");
    assert!(
        alone.stdout.contains("use --dest DIR, and run the program with -javaagent:DIR/weighbridge-runtime.jar"),
        "{alone}"
    );
    let beside = folder.run(&["instrument", "plain.jar", "--config", "wb.toml", "--dest", "my out"]);
    assert!(beside.stdout.contains("run the program with '-javaagent:my out/weighbridge-runtime.jar'"), "{beside}");
    assert!(folder.path("my out/weighbridge-runtime.jar").is_file());
    let own = folder.run(&["instrument", "app.jar", "--config", "wb.toml", "-o", "my app.jar"]);
    assert!(own.stdout.contains("`java -jar 'my app.jar'` starts the runtime by itself"), "{own}");
}

#[test]
fn a_folder_for_temporary_files_that_cannot_be_written_is_named() {
    let folder = prepared();
    // Larger than the archives that are kept in memory.
    let mut bytes = vec![0_u8; 9 << 20];
    let mut state = 1_u32;
    bytes.iter_mut().for_each(|byte| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *byte = (state >> 24) as u8;
    });
    let inner = zip(&[("large.bin", &bytes)]);
    let mut war = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let deflated = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    war.start_file("WEB-INF/lib/inner.jar", deflated).expect("an entry");
    std::io::Write::write_all(&mut war, &inner).expect("its bytes");
    folder.write("app.war", war.finish().expect("a zip").into_inner());
    let arguments = ["instrument", "app.war", "--config", "wb.toml", "--dest", "out", "--allow-empty"];
    let answer = folder.answer(folder.command().args(arguments).env("TMPDIR", folder.path("none")));
    assert_eq!(answer.code, Some(3), "{answer}");
    let told = "the folder for temporary files, [DIR]/none, cannot be written (TMPDIR names it)";
    assert!(answer.stderr.contains(told), "{answer}");
    assert_eq!(folder.run(&arguments).code, Some(0));
}

/// Where the JVM that verifies would find its program and the archives.
#[cfg(unix)]
#[test]
fn a_folder_for_temporary_files_that_verify_cannot_write_is_named() {
    let folder = prepared();
    // It is not started.
    folder.write("jdk/bin/java", "");
    folder.write("jdk/release", "JAVA_VERSION=\"21.0.1\"\n");
    folder.write("app.war", zip(&[("WEB-INF/lib/inner.jar", weighbridge_samples::DEMO_JAR)]));
    std::fs::create_dir(folder.path("full")).expect("a directory");
    let verify = ["verify", "app.war", "--jvm", "--java", "jdk"];
    let absent = folder.answer(folder.command().args(verify).env("TMPDIR", folder.path("none")));
    // No file can have a byte, as on a disk that is full.
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_weighbridge")]);
    limited.current_dir(folder.path("")).args(verify).env("TMPDIR", folder.path("full"));
    let full = folder.answer(&mut limited);
    for (answer, name) in [(absent, "none"), (full, "full")] {
        assert_eq!(answer.code, Some(3), "{answer}");
        let told = format!("the folder for temporary files, [DIR]/{name}, cannot be written (TMPDIR names it)");
        assert!(answer.stderr.contains(&told), "{answer}");
    }
}

#[cfg(unix)]
#[test]
fn a_path_that_is_no_utf_8_is_in_the_json_as_far_as_it_is_one() {
    use std::os::unix::ffi::OsStrExt;
    let folder = prepared();
    let name = std::ffi::OsStr::from_bytes(b"a\xFF.jar");
    std::fs::copy(folder.path("app.jar"), folder.path("x").with_file_name(name)).expect("a copy");
    let mut command = folder.command();
    command.arg("instrument").arg(name).args(["--config", "wb.toml", "--dest", "out", "--json"]);
    let answer = folder.answer(&mut command);
    assert_eq!(answer.code, Some(0), "{answer}");
    assert!(answer.stdout.contains("\"input\": \"a\u{fffd}.jar\""), "{answer}");
    let told = |name: &str| {
        format!("weighbridge: warning: {name}: the path is no UTF-8; here and in JSON, U+FFFD stands for what is not\n")
    };
    assert_eq!(answer.stderr, told("a\u{fffd}.jar"), "{answer}");

    let config = std::ffi::OsStr::from_bytes(b"\xFFwb.toml");
    std::fs::copy(folder.path("wb.toml"), folder.path("x").with_file_name(config)).expect("a copy");
    let mut command = folder.command();
    command.args(["explain", "com.acme.shop.Shop"]).arg(name).arg("--config").arg(config).arg("--json");
    let answer = folder.answer(&mut command);
    assert_eq!(answer.code, Some(0), "{answer}");
    assert!(answer.stdout.contains("\"config\": \"\u{fffd}wb.toml\""), "{answer}");
    assert_eq!(answer.stderr, told("a\u{fffd}.jar") + &told("\u{fffd}wb.toml"), "{answer}");

    let answer = folder.answer(folder.command().arg("verify").arg(name).arg("--json"));
    assert_eq!(answer.code, Some(0), "{answer}");
    assert!(answer.stdout.contains("\"jar\": \"a\u{fffd}.jar\""), "{answer}");
    assert_eq!(answer.stderr, told("a\u{fffd}.jar"), "{answer}");
    let broken = std::ffi::OsStr::from_bytes(b"b\xFF.jar");
    let class = demo_class("com/acme/shop/Shop.class");
    std::fs::write(folder.path("x").with_file_name(broken), zip(&[("com/acme/shop/Shop.class", &class[..100])]))
        .expect("a jar");
    let answer = folder.answer(folder.command().arg("verify").arg(broken).arg("--json"));
    assert_eq!(answer.code, Some(3), "{answer}");
}
