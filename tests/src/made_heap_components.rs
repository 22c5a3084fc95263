//! Components in heap dumps, made without a JVM, for tests of readers.

use serde_json::json;
use weighbridge_recording::HeapComponents;

/// A dump after so many seconds, with the semantic bytes of its components.
pub fn dump(seconds: u64, components: &[(&str, u64)]) -> HeapComponents {
    let row = |(name, bytes): &(&str, u64)| {
        json!({"component": name, "depth": name.matches("].").count(), "instances": 1, "semantic_bytes": bytes,
               "true_bytes": bytes / 2})
    };
    serde_json::from_value(json!({
        "uptime_ms": seconds * 1000, "stopped_ms": 80, "reachable_bytes": 90 << 20, "frameworks": ["tomcat", "spring"],
        "components_total": components.len() + 1, "components": components.iter().map(row).collect::<Vec<_>>(),
    }))
    .expect("a line")
}

/// Three dumps of a program; the second one has other components.
pub fn three() -> [HeapComponents; 3] {
    [
        dump(60, &[("spring.context[shop]", 9 << 20), ("spring.context[shop].bean[cart]", 3 << 20)]),
        dump(90, &[("spring.context[shop]", 1)]),
        dump(
            3725,
            &[
                ("tomcat.context[/]", 2000),
                ("spring.context[shop]", 12 << 20),
                ("spring.context[shop].bean[cart]", 2 << 20),
                ("spring.context[shop].bean[<b>]", 4 << 20),
            ],
        ),
    ]
}
