//! What each trace asks of Flight Recorder: its settings file (JFR's `.jfc`).

use super::what::What;

/// A type of event and its settings.
type DumpRequest = (&'static str, &'static [(&'static str, &'static str)]);

const STACK: (&str, &str) = ("stackTrace", "true");
const EACH: (&str, &str) = ("threshold", "0 ns");
/// From JDK 24 on some events are thinned out unless told otherwise.
const ALL: (&str, &str) = ("throttle", "off");

/// The types of events, none for what is traced by probes. A JVM ignores those that it does not have.
fn events(what: What) -> &'static [DumpRequest] {
    match what {
        What::Time => &[("jdk.ExecutionSample", &[("period", "10 ms")])],
        What::Allocations => &[
            ("jdk.ObjectAllocationSample", &[("throttle", "1000/s"), STACK]),
            // Before JDK 16.
            ("jdk.ObjectAllocationInNewTLAB", &[STACK]),
            ("jdk.ObjectAllocationOutsideTLAB", &[STACK]),
        ],
        What::Collections => {
            &[("jdk.GarbageCollection", &[EACH]), ("jdk.GCHeapSummary", &[]), ("jdk.GCPhasePause", &[EACH])]
        }
        What::Io => &[
            ("jdk.FileRead", &[EACH, ALL, STACK]),
            ("jdk.FileWrite", &[EACH, ALL, STACK]),
            ("jdk.FileForce", &[EACH, STACK]),
            ("jdk.SocketRead", &[EACH, ALL, STACK]),
            ("jdk.SocketWrite", &[EACH, ALL, STACK]),
        ],
        What::Monitors => &[("jdk.JavaMonitorEnter", &[EACH, STACK]), ("jdk.JavaMonitorWait", &[EACH, STACK])],
        What::Waits => &[("jdk.ThreadPark", &[EACH, STACK]), ("jdk.ThreadSleep", &[EACH, STACK])],
        What::Exceptions => &[("jdk.JavaExceptionThrow", &[ALL, STACK]), ("jdk.JavaErrorThrow", &[STACK])],
        // Not Flight Recorder's.
        _ => &[],
    }
}

/// The settings file for several.
pub(crate) fn file(wanted: &[What], with_buffers: bool) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <configuration version=\"2.0\" label=\"Weighbridge\" provider=\"Weighbridge\" description=\"A trace\">\n",
    );
    let always: &[DumpRequest] = &[("jdk.JVMInformation", &[("period", "beginChunk")]), ("jdk.DataLoss", &[])];
    let events = wanted.iter().flat_map(|what| events(*what)).chain(always);
    for (event, settings) in events.filter(|(event, _)| with_buffers || !event.contains("TLAB")) {
        text += &format!("  <event name=\"{event}\">\n    <setting name=\"enabled\">true</setting>\n");
        for (name, value) in *settings {
            text += &format!("    <setting name=\"{name}\">{value}</setting>\n");
        }
        text += "  </event>\n";
    }
    text + "</configuration>\n"
}
