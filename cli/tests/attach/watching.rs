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
fn a_key_takes_a_heap_dump_and_leads_from_threads_to_frames_and_to_what_ends_with_them() {
    let mut program = Program::start(&jdks()[0]);
    let mut terminal = attach(&program);
    terminal.press(b"t");
    terminal.wait_for("The program stands still");
    // Not asked for a second time: the first is not taken.
    terminal.press(b"\x1b");
    terminal.wait_for("t heap of threads");
    terminal.press(b"t\r");
    terminal.wait_for("Threads by both");
    terminal.wait_for("the program was stopped for");
    terminal.wait_for("main #");
    terminal.press(b"p");
    terminal.wait_for("Threads by what they hold alone");
    terminal.press(b"\r");
    terminal.wait_for("Frames of ");
    terminal.press(b"r");
    terminal.wait_for("What ends with threads, by what they hold alone");
    assert_eq!(program.files(), [format!("{}.sock", program.pid)], "the dump is gone, and the agent's socket is there");
    terminal.press(b"\x1b");
    terminal.wait_for("[Components");
    terminal.press(b"q");
    terminal.ends_with(0);
    program.assert_clean("first");
    program.end(0);
}

#[test]
fn a_terminal_that_is_gone_ends_the_session() {
    let mut program = Program::start(&jdks()[0]);
    attach(&program).close();
    wait_for("the end of the session", || !ask(&["ctl", &program.pid, "status"]).success());
    program.assert_clean("first");
    program.end(0);
}
