//! The live view of `attach`, on a terminal.

use weighbridge_tests::jdks;

use crate::program::{Program, ask, wait_for};
use crate::terminal::Terminal;

fn attach(program: &Program) -> Terminal {
    let arguments = format!("attach {} --include 'com.acme.**' --set interval=200ms", program.pid);
    let mut terminal = Terminal::start(&program.path("."), &arguments);
    terminal.wait_for("snapshot");
    terminal
}

#[test]
fn the_view_shows_the_programs_classes_and_after_its_end_nothing_is_left() {
    for jdk in jdks() {
        let mut program = Program::start(jdk);
        // Both are keys: the terminal makes no signals of them meanwhile.
        for keys in [&b"q"[..], b"\x03"] {
            let mut terminal = attach(&program);
            assert_eq!(program.calls(), 1, "Java {}: the probe is there", jdk.version);
            terminal.press(b"\t");
            terminal.wait_for("attached.Load$Item");
            terminal.press(keys);
            terminal.wait_for("classes have their own bytes again");
            terminal.ends_with(0);
            program.assert_clean(&jdk.version);
        }
        program.end(0);
    }
}

#[test]
fn the_end_of_the_program_or_of_the_session_is_shown_until_a_key_is_pressed() {
    let program = Program::start(&jdks()[0]);
    let mut terminal = attach(&program);
    ask(&["detach", &program.pid]).json();
    terminal.wait_for("ended in order (detach)");
    terminal.press(b"q");
    terminal.ends_with(0);
    let mut terminal = attach(&program);
    program.end(0);
    terminal.wait_for("the program ended in order (exit)");
    terminal.press(b"q");
    terminal.ends_with(0);
}

#[test]
fn a_terminal_that_is_gone_ends_the_session() {
    let mut program = Program::start(&jdks()[0]);
    attach(&program).close();
    wait_for("the end of the session", || !ask(&["ctl", &program.pid, "status"]).success());
    program.assert_clean("first");
    program.end(0);
}
