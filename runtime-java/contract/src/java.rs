//! The Java classes that are made of the data. They are constants alone; how they are used is written by hand beside them.

use crate::{
    Changes, EVENT_CODE, EVENT_MORE, EVENT_NULL, EVENTS, MOST_AGES, MOST_DIGITS, NATIVE_METHODS, PROBE_BITS,
    PROBE_PAGE_BITS, ROLE_CLONES, ROLE_PROBES, RUNTIME_OPTIONS, RuntimeOption, STOP_OUTCOMES, TRACE_CALLS, TRACE_EVERY,
    TRACE_FRAMES, TRACE_NUMBERS, TraceKind, Values, Word, event_bits,
};

/// The package of the classes.
pub const PACKAGE: &str = "io.weighbridge.runtime.contract";

/// The name of a constant in Java.
fn constant(key: &str) -> String {
    key.to_uppercase()
}

/// A class of constants.
fn class(name: &str, imports: &str, about: &str, body: &str) -> String {
    format!(
        "package {PACKAGE};\n\n{imports}/**\n * {about}\n *\n * <p>Made of runtime-java/contract by \
         WEIGHBRIDGE_WRITE_TABLES=1; change that.\n */\npublic final class {name} {{\n{body}\n    private {name}() {{\n    \
         }}\n}}\n"
    )
}

/// A constant, with its documentation unless that is empty.
fn field(about: &str, kind: &str, name: &str, value: &str) -> String {
    let about = if about.is_empty() { String::new() } else { format!("    /** {about} */\n") };
    format!("{about}    public static final {kind} {name} = {value};\n")
}

/// Documentation of Rust as that of Java.
fn java_text(text: &str) -> String {
    let mut is_code = false;
    let mark = |part: &str| {
        is_code = !is_code;
        if is_code { part.to_owned() } else { format!("{{@code {part}}}") }
    };
    text.trim().split('`').map(mark).collect()
}

/// `EventCodes.java`, whose constants `javac` copies into the template that writes events.
pub fn event_codes() -> String {
    let mut body: String = EVENTS.iter().map(|event| field("", "int", event.name, &event.code.to_string())).collect();
    body += &field("", "int", "CODE", &format!("{EVENT_CODE:#x}"));
    body += &field("", "int", "NULL", &format!("{EVENT_NULL:#x}"));
    body += &field("", "int", "MORE", &format!("{EVENT_MORE:#x}"));
    let counted = format!("{:#x}", event_bits(|event| event.counts));
    body += &field("By code, a bit: the clock goes on by the event.", "int", "COUNTED", &counted);
    class("EventCodes", "", "The codes of events (docs/event-trace.md, \"Events\").", &body)
}

/// `RequestWords.java`, `RunWords.java` and `TraceWords.java`.
pub fn words(name: &str, about: &str, words: &[Word]) -> String {
    let text = |word: &Word| field(&java_text(word.meaning), "String", word.name, &format!("\"{}\"", word.word));
    class(name, "", about, &words.iter().map(text).collect::<String>())
}

/// `TraceContract.java`.
pub fn traces() -> String {
    let kind = |kind: &TraceKind| {
        let name = format!("{kind:?}").to_uppercase();
        field(&java_text(kind.form().meaning), "String", &name, &format!("\"{}\"", kind.word()))
    };
    let mut body: String = TraceKind::ALL.iter().map(kind).collect();
    let number = |about: &str, name: &str, value: u32| field(about, "int", name, &value.to_string());
    body += &number("Frames of a stack unless given.", "DEFAULT_FRAMES", TRACE_FRAMES.default);
    body += &number("Calls that are kept unless given.", "DEFAULT_CALLS", TRACE_CALLS.default);
    body += &number("Bytes for a sample unless given.", "DEFAULT_EVERY", TRACE_EVERY.default);
    body += &number("Numbers that traces can have.", "NUMBERS", TRACE_NUMBERS);
    body += &number("In the number of a probe: above these bits is that of its trace.", "PROBE_BITS", PROBE_BITS);
    body += &number("In the number of a probe: the bits that are its index in a page.", "PAGE_BITS", PROBE_PAGE_BITS);
    class(
        "TraceContract",
        "",
        "The kinds of traces, and the numbers in their probes (docs/probe-contract.md, \"Traces\").",
        &body,
    )
}

/// `RuntimeOptions.java`.
pub fn runtime_options() -> String {
    let mut body = String::new();
    for option in RUNTIME_OPTIONS {
        body += &format!(
            "    public static final RuntimeOption {} =\n            new RuntimeOption(\"{}\", {});\n",
            constant(option.key),
            option.key,
            arguments(option)
        );
    }
    body += &format!(
        "\n    /** The most bounds of {{@link #AGES}}. */\n    public static final int MOST_AGES = {MOST_AGES};\n    /** The most \
         digits of a size. */\n    public static final int MOST_DIGITS = {MOST_DIGITS};\n"
    );
    let list = |wanted: &dyn Fn(&RuntimeOption) -> bool| {
        let names = RUNTIME_OPTIONS.iter().filter(|option| wanted(option)).map(|option| constant(option.key));
        names.collect::<Vec<_>>().join(",\n            ")
    };
    body += &format!(
        "\n    /** All, in the order of the documentation. */\n    public static final List<RuntimeOption> ALL = List.of(\n            {});\n",
        list(&|_| true)
    );
    body += &format!(
        "\n    /** What may be changed while measuring; the rest is in the recording's header, or in figures that are kept. */\n    \
         public static final List<RuntimeOption> CHANGEABLE = List.of(\n            {});\n",
        list(&|option| option.changes != Changes::Never)
    );
    body += &format!(
        "\n    /** Settings of a run: those of a measurement. Others belong to the whole session. */\n    \
         public static final List<RuntimeOption> OF_RUN = List.of(\n            {});\n",
        list(&|option| option.changes == Changes::Run)
    );
    let about = "The runtime's options (docs/configuration.md, \"Runtime options\").";
    class("RuntimeOptions", "import java.util.List;\n\n", about, &body)
}

/// `NativeMethods.java`.
pub fn native_methods() -> String {
    let mut body = String::new();
    for method in NATIVE_METHODS {
        let lines: String = method.lines.iter().map(|line| format!("     *{line}\n")).collect();
        body += &format!("    /**\n{lines}     */\n    public static native {};\n\n", method.declaration);
    }
    let role = |about: &str, name: &str, bit: i32| {
        field(&format!("In {{@link #roleInClones}}: {about}"), "int", name, &bit.to_string())
    };
    body += &role("calls of {@code clone()} have probes, or none matters.", "ROLE_PROBES", ROLE_PROBES);
    body += &role("it overrides {@code clone()}, whose own calls have probes.", "ROLE_CLONES", ROLE_CLONES);
    body += &field("From {@link #stop}: the thread throws the error.", "int", "STOPPED", "0");
    // A switch, not a list: a class initializer could run when there is no memory.
    body += "    /** What became of the thread, by what {@link #stop} gives. */\n    public static String stopOutcome(int number) {\n        \
             switch (number) {\n";
    for (number, outcome) in STOP_OUTCOMES.iter().enumerate() {
        body += &format!("            case {number}:\n                return \"{outcome}\";\n");
    }
    body += "            default:\n                return \"\";\n        }\n    }\n";
    let about = "What the native agent does for the runtime. It registers these methods when it starts the runtime; without it \
                 they must\n * not be called. None of them runs Java code, and none waits but those that say so.";
    class("NativeMethods", "", about, &body)
}

/// What the constructor of `RuntimeOption` takes after the name: the text unless set, the limits, and the words.
fn arguments(option: &RuntimeOption) -> String {
    let text = |text: &str| if text.is_empty() { "null".to_owned() } else { format!("\"{text}\"") };
    match option.values {
        Values::Flag(yes) => format!("\"{yes}\""),
        Values::Text(default) => text(default),
        Values::Duration { default, least } => format!("{}, {least}, Integer.MAX_VALUE", text(default)),
        Values::Texts | Values::Size => "null".to_owned(),
        Values::Number { default, least, most } => format!("\"{default}\", {least}, {most}"),
        Values::Percent(0) => "\"off\"".to_owned(),
        Values::Percent(percent) => format!("\"{percent}\""),
        Values::Choice(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            format!("{}, List.of({})", words[0], words.join(", "))
        }
    }
}
