//! The Java and the tables that are made of the contract are those that are committed.

use weighbridge_contract::{
    EVENTS, REQUESTS, RUN_WORDS, TRACE_WORDS, events_table, java, options_table, peak_options_table, traces_table,
};
use weighbridge_generated::{assert_file, assert_table};

#[test]
fn the_java_of_the_contract_is_what_the_data_says() {
    let requests = "What the native agent asks the runtime to do (docs/control.md).";
    for (name, text) in [
        ("EventCodes", java::event_codes()),
        ("NativeMethods", java::native_methods()),
        ("RequestWords", java::words("RequestWords", requests, REQUESTS)),
        ("RunWords", java::words("RunWords", "The settings of a run of measurements.", RUN_WORDS)),
        ("RuntimeOptions", java::runtime_options()),
        ("TraceContract", java::traces()),
        ("TraceWords", java::words("TraceWords", "The settings of a run of traces.", TRACE_WORDS)),
    ] {
        let folder = java::PACKAGE.replace('.', "/");
        assert_file(&format!("runtime-java/runtime/src/main/java/{folder}/{name}.java"), &text);
    }
}

#[test]
fn the_code_of_an_event_is_its_index() {
    assert!(EVENTS.iter().enumerate().all(|(index, event)| index == usize::from(event.code)));
}

#[test]
fn the_document_of_the_events_has_all() {
    assert_table("docs/event-trace.md", "events", &events_table());
}

#[test]
fn the_document_of_the_traces_has_all_kinds() {
    assert_table("docs/traces.md", "kinds of traces", &traces_table());
}

#[test]
fn the_document_of_the_configuration_has_all_options() {
    assert_table("docs/configuration.md", "options", &options_table());
    assert_table("docs/configuration.md", "options of peaks", &peak_options_table());
}
