//! The decisions of the control on memory shortage: of recordings, and of a running JVM.

use crate::aggregate::Aggregate;
use crate::shortage::{Decision, ShortageState};
use std::io::{self, Write};
use weighbridge_recording::ShortageCandidate;
use weighbridge_table::section::{Section, TextOptions, write_sections};
use weighbridge_table::text_table::{TextColumn, format_or_dash, more, render};
use weighbridge_table::units::{bytes, count, count_with_noun, elapsed};

pub(super) fn section(aggregate: &Aggregate, options: &TextOptions) -> Section {
    if aggregate.shortages.is_empty() {
        return Section::new("", String::new());
    }
    let shown = options.top_rows(&aggregate.shortages);
    let table = table(shown, aggregate.jvms.len() > 1, options) + &more(aggregate.shortages.len(), shown.len());
    Section::new("Memory shortages", table)
}

/// Writes what a running JVM says of itself: the state, its last decisions, and the candidates of the last one.
pub fn state(state: &ShortageState, options: &TextOptions, output: &mut impl Write) -> io::Result<()> {
    let decided: Vec<Decision> =
        state.decisions.iter().map(|line| Decision { jvm: 0, line: line.clone() }).rev().collect();
    let shown = options.top_rows(&decided);
    let mut sections = vec![Section::lines("Memory shortage", lines(state))];
    if let Some(last) = shown.first() {
        sections.push(Section::new("Last decisions, the newest first", table(shown, false, options)));
        if !last.line.candidates.is_empty() {
            let title = format!("Candidates of decision {}", last.line.number.unwrap_or(0));
            sections.push(Section::new(title, candidates(&last.line.candidates, options)));
        }
    }
    write_sections(&sections, options, output)
}

fn lines(state: &ShortageState) -> Vec<String> {
    let mode = match state.mode.as_str() {
        "off" => return vec!["off: the configuration has no [shortage]".to_owned()],
        "observe" => "observe: decides what to cancel, and cancels nothing (dry run)",
        "act" => "act: cancels what the policy permits",
        other => other,
    };
    vec![
        mode.to_owned(),
        if state.short { "memory is short now" } else { "memory is not short" }.to_owned(),
        format!(
            "{} under way; gates have delayed {} and refused {}",
            count_with_noun(state.works, "piece of work", "pieces of work"),
            count(state.delayed),
            count(state.refused)
        ),
    ]
}

fn candidates(all: &[ShortageCandidate], options: &TextOptions) -> String {
    let columns = [
        TextColumn::name("Candidate"),
        TextColumn::name("Thread"),
        TextColumn::number("Held"),
        TextColumn::number("Allocated"),
        TextColumn::number("Age"),
        TextColumn::number("Priority").spare(2),
        TextColumn::name("Not cancelled\nbecause").spare(1),
    ];
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let rows = all.iter().map(|one| {
        vec![
            text(&one.name),
            text(&one.thread),
            format_or_dash(one.held_bytes, bytes),
            format_or_dash(one.allocated_bytes, bytes),
            format_or_dash(one.age_ms, elapsed),
            format_or_dash(one.priority, count),
            text(&one.refused),
        ]
    });
    render(&columns, rows.collect(), options)
}

fn table(shown: &[Decision], several: bool, options: &TextOptions) -> String {
    let columns = [
        TextColumn::number("JVM").only_if(several),
        TextColumn::number("At"),
        TextColumn::name("Why"),
        TextColumn::name("Done"),
        TextColumn::number("Decided\nin"),
        TextColumn::number("Predicted"),
        TextColumn::number("Freed"),
        TextColumn::number("Stopped\nfor").spare(1),
        TextColumn::name("Memory"),
        TextColumn::name("Reason").spare(2),
    ];
    let rows = shown.iter().map(|decision| {
        let line = &decision.line;
        vec![
            (decision.jvm + 1).to_string(),
            format_or_dash(line.uptime_ms, elapsed),
            decision.cause(),
            decision.describe_action(),
            format_or_dash(line.decided_ms, elapsed),
            format_or_dash(line.predicted_bytes, bytes),
            format_or_dash(line.freed_bytes, bytes),
            format_or_dash(line.pause_ms.map(|pause| pause + line.dump_ms.unwrap_or(0)), elapsed),
            decision.memory().to_owned(),
            [line.reason.as_deref(), line.unmeasured.as_deref()].into_iter().flatten().collect::<Vec<_>>().join("; "),
        ]
    });
    render(&columns, rows.collect(), options)
}
