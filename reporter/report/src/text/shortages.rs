//! The decisions of the control on memory shortage: of recordings, and of a running JVM.

use super::section::{Options, Section, write_sections};
use super::table::{Column, known, more, render};
use crate::aggregate::Aggregate;
use crate::shortage::{Decision, State};
use crate::units::{bytes, count, counted, elapsed};
use std::io::{self, Write};
use weighbridge_recording::ShortageCandidate;

pub(super) fn section(aggregate: &Aggregate, options: &Options) -> Section {
    if aggregate.shortages.is_empty() {
        return Section::new("", String::new());
    }
    let shown = options.shown(&aggregate.shortages);
    let table = table(shown, aggregate.jvms.len() > 1, options) + &more(aggregate.shortages.len(), shown.len());
    Section::new("Memory shortages", table)
}

/// Writes what a running JVM says of itself: the state, its last decisions, and the candidates of the last one.
pub fn state(state: &State, options: &Options, output: &mut impl Write) -> io::Result<()> {
    let decided: Vec<Decision> =
        state.decisions.iter().map(|line| Decision { jvm: 0, line: line.clone() }).rev().collect();
    let shown = options.shown(&decided);
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

fn lines(state: &State) -> Vec<String> {
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
            counted(state.works, "piece of work", "pieces of work"),
            count(state.delayed),
            count(state.refused)
        ),
    ]
}

fn candidates(all: &[ShortageCandidate], options: &Options) -> String {
    let columns = [
        Column::name("Candidate"),
        Column::name("Thread"),
        Column::number("Held"),
        Column::number("Allocated"),
        Column::number("Age"),
        Column::number("Priority").spare(2),
        Column::name("Not cancelled\nbecause").spare(1),
    ];
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let rows = all.iter().map(|one| {
        vec![
            text(&one.name),
            text(&one.thread),
            known(one.held_bytes, bytes),
            known(one.allocated_bytes, bytes),
            known(one.age_ms, elapsed),
            known(one.priority, count),
            text(&one.refused),
        ]
    });
    render(&columns, rows.collect(), options)
}

fn table(shown: &[Decision], several: bool, options: &Options) -> String {
    let columns = [
        Column::number("JVM").only_if(several),
        Column::number("At"),
        Column::name("Why"),
        Column::name("Done"),
        Column::number("Decided\nin"),
        Column::number("Predicted"),
        Column::number("Freed"),
        Column::number("Stopped\nfor").spare(1),
        Column::name("Memory"),
        Column::name("Reason").spare(2),
    ];
    let rows = shown.iter().map(|decision| {
        let line = &decision.line;
        vec![
            (decision.jvm + 1).to_string(),
            known(line.uptime_ms, elapsed),
            decision.cause(),
            decision.done(),
            known(line.decided_ms, elapsed),
            known(line.predicted_bytes, bytes),
            known(line.freed_bytes, bytes),
            known(line.pause_ms.map(|pause| pause + line.dump_ms.unwrap_or(0)), elapsed),
            decision.memory().to_owned(),
            [line.reason.as_deref(), line.unmeasured.as_deref()].into_iter().flatten().collect::<Vec<_>>().join("; "),
        ]
    });
    render(&columns, rows.collect(), options)
}
