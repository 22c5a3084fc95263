//! What each trace asks of Flight Recorder: its settings file (JFR's `.jfc`).

/// A type of event and its settings.
type DumpRequest = (&'static str, &'static [(&'static str, &'static str)]);

const STACK: (&str, &str) = ("stackTrace", "true");
const EACH: (&str, &str) = ("threshold", "0 ns");
/// From JDK 24 on some events are thinned out unless told otherwise.
const ALL: (&str, &str) = ("throttle", "off");

/// What Flight Recorder is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlightEvents {
    /// Where the time goes.
    Time,
    /// Which code allocates.
    Allocations,
    /// Each garbage collection.
    Collections,
    /// Each read and write of a file or a socket.
    Io,
    /// Each wait for a monitor.
    Monitors,
    /// Each sleep, and each time that a thread was parked.
    Waits,
    /// Each exception and error that is thrown.
    Exceptions,
}

/// The types of events. A JVM ignores those that it does not have.
fn events(what: FlightEvents) -> &'static [DumpRequest] {
    match what {
        FlightEvents::Time => &[("jdk.ExecutionSample", &[("period", "10 ms")])],
        FlightEvents::Allocations => &[
            ("jdk.ObjectAllocationSample", &[("throttle", "1000/s"), STACK]),
            // Before JDK 16.
            ("jdk.ObjectAllocationInNewTLAB", &[STACK]),
            ("jdk.ObjectAllocationOutsideTLAB", &[STACK]),
        ],
        FlightEvents::Collections => {
            &[("jdk.GarbageCollection", &[EACH]), ("jdk.GCHeapSummary", &[]), ("jdk.GCPhasePause", &[EACH])]
        }
        FlightEvents::Io => &[
            ("jdk.FileRead", &[EACH, ALL, STACK]),
            ("jdk.FileWrite", &[EACH, ALL, STACK]),
            ("jdk.FileForce", &[EACH, STACK]),
            ("jdk.SocketRead", &[EACH, ALL, STACK]),
            ("jdk.SocketWrite", &[EACH, ALL, STACK]),
        ],
        FlightEvents::Monitors => &[("jdk.JavaMonitorEnter", &[EACH, STACK]), ("jdk.JavaMonitorWait", &[EACH, STACK])],
        FlightEvents::Waits => &[("jdk.ThreadPark", &[EACH, STACK]), ("jdk.ThreadSleep", &[EACH, STACK])],
        FlightEvents::Exceptions => &[("jdk.JavaExceptionThrow", &[ALL, STACK]), ("jdk.JavaErrorThrow", &[STACK])],
    }
}

/// The settings file for several.
pub(super) fn file(wanted: &[FlightEvents], with_buffers: bool) -> String {
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
