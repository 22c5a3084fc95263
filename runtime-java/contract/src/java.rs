//! The Java classes that are made of the data. They are constants alone; how they are used is written by hand beside them.

use crate::{Changes, MOST_AGES, MOST_DIGITS, RUNTIME_OPTIONS, RuntimeOption, Values};

/// The package of the classes.
pub const PACKAGE: &str = "io.weighbridge.runtime.contract";

/// The name of a constant in Java.
fn constant(key: &str) -> String {
    key.to_uppercase()
}

fn class(name: &str, about: &str, body: &str) -> String {
    format!(
        "package {PACKAGE};\n\nimport java.util.List;\n\n/**\n * {about}\n *\n * <p>Made of runtime-java/contract by \
         WEIGHBRIDGE_WRITE_TABLES=1; change that.\n */\npublic final class {name} {{\n{body}\n    private {name}() {{\n    \
         }}\n}}\n"
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
    class("RuntimeOptions", "The runtime's options (docs/configuration.md, \"Runtime options\").", &body)
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
