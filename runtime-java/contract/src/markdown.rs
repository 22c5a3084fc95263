//! The tables of the documents.

use crate::{EVENTS, RUNTIME_OPTIONS, RuntimeOption, TraceKind, Values};

/// What an option is unless set.
fn default_text(option: &RuntimeOption) -> String {
    let code = |text: &str| if text.is_empty() { "none".to_owned() } else { format!("`{text}`") };
    match option.values {
        _ if !option.unless_set.is_empty() => option.unless_set.to_owned(),
        Values::Flag(yes) => format!("`{yes}`"),
        Values::Text(text) | Values::Duration { default: text, .. } => code(text),
        Values::Texts | Values::Size => "none".to_owned(),
        Values::Choice(words) => code(words[0]),
        Values::Number { default, .. } => format!("`{default}`"),
        Values::Percent(0) => "`off`".to_owned(),
        Values::Percent(percent) => format!("`{percent}%`"),
    }
}

/// All options but those of peaks; those of `[shortage]` are documented where that is.
pub fn options_table() -> String {
    let mut table = "| option | default | values | set in the configuration by |\n|---|---|---|---|\n".to_owned();
    let is_here = |option: &&RuntimeOption| !option.meaning.is_empty() && !option.key.starts_with("peak_");
    let documented = RUNTIME_OPTIONS.iter().filter(is_here);
    for option in documented {
        let RuntimeOption { key, meaning, set_by, .. } = option;
        table += &format!("| `{key}` | {} | {meaning} | {set_by} |\n", default_text(option));
    }
    let others = RUNTIME_OPTIONS.iter().filter(|option| option.meaning.is_empty());
    let others: Vec<String> = others.map(|option| format!("`{}`", option.key)).collect();
    table += &format!(
        "| {} | as the keys | the keys of `[shortage]`: percentages as numbers, rates as bytes, lists joined by `;` | `[shortage]` |\n",
        others.join(", ")
    );
    table
}

/// The options of peaks.
pub fn peak_options_table() -> String {
    let mut table = "| option | default | values |\n|---|---|---|\n".to_owned();
    for option in RUNTIME_OPTIONS.iter().filter(|option| option.key.starts_with("peak_")) {
        table += &format!("| `{}` | {} | {} |\n", option.key, default_text(option), option.meaning);
    }
    table
}

/// The events of a trace of every event.
pub fn events_table() -> String {
    let mut table = "| Code | Event | Operands | Counts |\n|---|---|---|---|\n".to_owned();
    for event in &EVENTS {
        let more = if event.more.is_empty() { String::new() } else { format!("; `0x20`: {}", event.more) };
        let counts = if event.counts { "yes " } else { "" };
        table += &format!("| {} | {}{more} | {} | {counts}|\n", event.code, event.meaning, event.operands);
    }
    table
}

/// The kinds of traces.
pub fn traces_table() -> String {
    let mut table = "| WHAT | tells | exact? | costs |\n|---|---|---|---|\n".to_owned();
    for form in TraceKind::ALL.iter().map(|kind| kind.form()) {
        table += &format!("| `{}` | {} | {} | {} |\n", form.word, form.tells, form.exact, form.costs);
    }
    table
}
