//! What works: commands, properties, agents.

use std::fs;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use weighbridge_jdk::pack_jar;
use weighbridge_jvms::{Error, list};
use weighbridge_tests::{Jdk, every_java, jdks};

use crate::program::{PATIENCE, Program, classes};

/// The library of a Java installation that loads agents in Java: a native agent that is always there.
fn instrument(jdk: &Jdk) -> String {
    jdk.home.join("lib/libinstrument.so").to_str().unwrap().to_owned()
}

/// An agent in Java.
fn agent() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    pack_jar(classes(), &[("Agent-Class", "Waiting")], &folder.path().join("agent.jar"));
    folder
}

#[test]
fn a_running_program_answers_every_command() {
    for jdk in every_java() {
        let program = Program::start(jdk, &["-Dtext=a=b: c\u{e9}\u{20ac}\\"]);
        let target = program.target();
        assert_eq!((target.pid(), target.inner_pid()), (program.pid, program.pid));
        for target in [&target, &program.target()] {
            for _ in 0..2 {
                let properties = target.properties(PATIENCE).unwrap_or_else(|e| panic!("Java {}: {e}", jdk.version));
                assert_eq!(properties["java.version"], jdk.version);
                assert_eq!(properties["line.separator"], "\n");
                assert!(properties["text"].starts_with("a=b: c"), "{}", properties["text"]);
            }
        }
        let version = target.command("jcmd", &["VM.version"], PATIENCE).unwrap();
        assert!(version.contains(&jdk.version), "Java {}: {version}", jdk.version);
        assert!(target.temporary().join(format!(".java_pid{}", program.pid)).exists());
        program.end();
    }
}

/// A JVM that listens prints its threads at SIGQUIT. `Program::end` looks for them.
#[test]
fn clients_that_attach_at_once_make_the_jvm_print_no_threads() {
    for jdk in jdks() {
        for round in 0..8 {
            let program = Program::start(jdk, &[]);
            let begin = Barrier::new(3);
            thread::scope(|scope| {
                for client in 0..3 {
                    let (program, begin) = (&program, &begin);
                    scope.spawn(move || {
                        let target = program.target();
                        begin.wait();
                        // A JVM begins to listen within milliseconds: some clients come while it does, some when it has.
                        thread::sleep(Duration::from_micros(200) * (client * round));
                        let properties = target.properties(PATIENCE).unwrap_or_else(|e| panic!("{e}"));
                        assert_eq!(properties["java.version"], jdk.version);
                    });
                }
            });
            program.end();
        }
    }
}

#[test]
fn an_agent_gets_its_options_and_stays() {
    let agent = agent();
    for jdk in jdks() {
        // By another name it is taken for ours.
        let library = agent.path().join(format!("libweighbridge-{}.so", jdk.major));
        fs::copy(instrument(jdk), &library).unwrap();
        let mut program = Program::start(jdk, &["-XX:+EnableDynamicAgentLoading"]);
        let options = format!("{}=some options", agent.path().join("agent.jar").display());
        let loaded = program.target().load_agent(library.to_str().unwrap(), &options, PATIENCE);
        loaded.unwrap_or_else(|e| panic!("Java {}: {e}", jdk.version));
        assert!(program.line("attached with some options"), "Java {}", jdk.version);
        fs::remove_file(&library).unwrap();
        let jvm = list().unwrap().into_iter().find(|jvm| jvm.pid == program.pid).unwrap();
        assert_eq!(jvm.weighbridge, Some(library));
        program.end();
    }
}

#[test]
fn an_agent_that_fails_gives_its_code() {
    for jdk in jdks() {
        let program = Program::start(jdk, &[]);
        let library = instrument(jdk);
        let error = program.target().load_agent(&library, "/no/such.jar", PATIENCE).unwrap_err();
        // ATTACH_ERROR_BADJAR of libinstrument.
        assert_eq!(
            error.to_string(),
            format!(
                "the agent {library} failed in process {} with code 100; see the standard error of that program",
                program.pid
            )
        );
        program.end();
    }
}

#[test]
fn what_the_jvm_refuses_is_said_in_its_own_words() {
    for jdk in jdks() {
        let program = Program::start(jdk, &[]);
        let target = program.target();
        let error = target.load_agent("/no/such/library.so", "", PATIENCE).unwrap_err().to_string();
        let beginning = format!(
            "process {} refused the command `load`: /no/such/library.so was not loaded. /no/such/library.so: cannot open",
            program.pid
        );
        assert!(error.starts_with(&beginning), "Java {}: {error}", jdk.version);
        let error = target.command("nothing", &[], PATIENCE).unwrap_err().to_string();
        let expected =
            format!("process {} refused the command `nothing`: Operation nothing not recognized!", program.pid);
        assert_eq!(error, expected, "Java {}", jdk.version);
        program.end();
        let program = Program::start(jdk, &["-XX:-EnableDynamicAgentLoading"]);
        let error = program.target().load_agent(&instrument(jdk), "", PATIENCE).unwrap_err().to_string();
        let beginning =
            format!("process {} refused the command `load`: Dynamic agent loading is not enabled.", program.pid);
        assert!(error.starts_with(&beginning), "Java {}: {error}", jdk.version);
        program.end();
    }
}

#[test]
fn a_library_for_another_processor_is_not_offered_and_the_jvm_would_refuse_it_as_it_refuses_what_is_no_library() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("library.so");
    let path = library.to_str().unwrap();
    for jdk in jdks() {
        let program = Program::start(jdk, &["-XX:+EnableDynamicAgentLoading"]);
        let target = program.target();
        let bytes = fs::read(instrument(jdk)).unwrap();
        // No processor has this number.
        fs::write(&library, [&bytes[..18], &[0xfe, 0xfe], &bytes[20..]].concat()).unwrap();
        let error = target.load_agent(path, "", PATIENCE).unwrap_err();
        assert!(matches!(error, Error::Architecture { .. }), "{error}");
        assert!(error.to_string().starts_with(&format!("{path} is for machine 65278 of ELF (")), "{error}");
        assert!(error.to_string().contains(&format!("but process {} runs on ", program.pid)), "{error}");
        // Newer JVMs carry the command out, and say in its output what went wrong.
        let said = target.command("load", &[path, "true", ""], PATIENCE).unwrap_or_else(|error| error.to_string());
        assert!(said.contains(&format!("{path} was not loaded")), "Java {}: {said}", jdk.version);
        let refused = format!("process {} refused the command `load`: {path} was not loaded. ", program.pid);
        for bytes in [&b"a text"[..], &bytes[..32], b""] {
            fs::write(&library, bytes).unwrap();
            let said = target.load_agent(path, "", PATIENCE).unwrap_err().to_string();
            assert!(said.starts_with(&refused) && !said.contains('\n'), "Java {}: {said}", jdk.version);
        }
        program.end();
    }
}
