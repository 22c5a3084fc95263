//! The managed bean, asked by the program itself and by a client in another process.

use serde_json::{Value, json};
use weighbridge_tests::{cache, compile, java, jdks, run};

use crate::program::{Attached, Program, ask, recorded, wait_for};

fn request(program: &mut Program, line: &str) -> Value {
    let reply = program.tell(&format!("ask {line}"));
    serde_json::from_str(&reply).unwrap_or_else(|error| panic!("{error}: {reply}"))
}

#[test]
fn a_client_of_jmx_gets_the_replies_that_clients_of_the_socket_get() {
    for jdk in jdks() {
        let mut program = Program::start(jdk);
        let pid = program.pid.clone();
        let recording = program.path("a.wbr");
        let with = ["--include", "com.acme.**", "--set", "jmx=true", "--set", "interval=1h"];
        let attached = Attached::start(&pid, &recording, &with);
        wait_for("the bean", || !program.tell(r#"ask {}"#).is_empty());
        program.tell("make 10");
        let status = request(&mut program, r#"{"v":1,"id":1,"do":"status"}"#);
        assert_eq!((&status["v"], &status["id"]), (&1.into(), &1.into()), "{status}");
        let mut by_socket = ask(&["ctl", &pid, "status"]).json();
        // The one that asks by the socket is a client of it.
        by_socket["clients"] = status["ok"]["clients"].clone();
        assert_eq!(status["ok"], by_socket);
        let taken = request(&mut program, r#"{"v":1,"id":2,"do":"measure","label":"by-jmx"}"#);
        assert_eq!((&taken["id"], &taken["ok"]["snapshot"]), (&2.into(), &1.into()), "{taken}");
        let set = request(&mut program, r#"{"v":1,"id":3,"do":"set","settings":{"interval":"30s"}}"#);
        assert_eq!(set["ok"]["settings"]["interval"], "30s", "{set}");
        let file = program.path("run.wbr").display().to_string();
        let start = json!({"v": 1, "id": 4, "do": "start", "name": "run", "file": file}).to_string();
        let started = json!({"name": "run", "recording": file});
        assert_eq!(request(&mut program, &start)["ok"], started);
        assert_eq!(request(&mut program, r#"{"v":1,"id":5,"do":"stop"}"#)["ok"]["snapshots"], 2);
        for (line, id, said) in [
            ("hello", Value::Null, "the line is not JSON"),
            (r#"{"v":2,"id":6,"do":"status"}"#, 6.into(), "version 2 is unknown"),
            (r#"{"v":1,"id":7,"do":"fly"}"#, 7.into(), "unknown command `fly`"),
            (r#"{"v":1,"id":8,"do":"stop","name":"walk"}"#, 8.into(), "no run has the name walk"),
            (r#"{"v":1,"id":9,"do":"subscribe"}"#, 9.into(), "subscribe needs a connection"),
        ] {
            let refused = request(&mut program, line);
            assert_eq!(refused["id"], id, "{refused}");
            assert!(refused["error"].as_str().is_some_and(|error| error.contains(said)), "{refused}");
        }
        let ended = request(&mut program, r#"{"v":1,"id":18446744073709551615,"do":"detach"}"#);
        assert_eq!(ended["id"], u64::MAX);
        assert!(ended["ok"]["classes"].as_u64() >= Some(3), "{ended}");
        assert_eq!(attached.end(), (Some(0), String::new()));
        assert_eq!(recorded(&recording), (10, "detach".to_owned()), "Java {}", jdk.version);
        assert_eq!(program.tell("ask {}"), "", "the bean is gone");
        program.assert_clean(&jdk.version);
        program.end(10);
    }
}

#[test]
fn a_client_in_another_process_asks_by_jmx_and_nothing_is_left_after_it() {
    let classes = compile("beans", &[], &cache().join("attach"));
    for jdk in jdks() {
        let mut program = Program::start(jdk);
        let with = ["--include", "com.acme.**", "--set", "jmx=true"];
        let attached = Attached::start(&program.pid, &program.path("a.wbr"), &with);
        let client = |request: &str| {
            run(java(jdk).arg("-cp").arg(&classes).args(["com.acme.beans.Client", &program.pid, request]))
        };
        wait_for("the bean", || client(r#"{"v":1,"id":1,"do":"status"}"#).success());
        let ended = client(r#"{"v":1,"id":2,"do":"detach"}"#).json();
        assert!(ended["ok"]["classes"].as_u64() >= Some(3), "{ended}");
        assert_eq!(attached.end(), (Some(0), String::new()));
        program.assert_clean(&jdk.version);
        program.end(0);
    }
}

#[test]
fn without_the_option_there_is_no_bean() {
    let mut program = Program::start(&jdks()[0]);
    let attached = Attached::to(&program, &program.path("a.wbr"));
    ask(&["ctl", &program.pid, "measure"]).json();
    assert_eq!(program.tell("ask {}"), "");
    ask(&["detach", &program.pid]).json();
    attached.end();
    program.end(0);
}
