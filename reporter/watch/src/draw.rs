//! A model as cells of a terminal: four lines of header, the table, a line of keys.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Row as TableRow, Table as TableWidget, Widget};
use weighbridge_reporter::units::{count, elapsed};
use weighbridge_reporter::{Decision, printable};

use crate::cells::{fitted, fitted_start, short_bytes};
use crate::columns::{WatchColumn, is_wide};
use crate::heap::{self, Dump};
use crate::help;
use crate::model::{Model, Status};
use crate::recorded::Recorded;
use crate::rows::{WatchRow, WatchTable};

/// The smallest area that has room for a header and a row.
const LEAST: (u16, u16) = (40, 8);

/// The least height with a line for decisions.
const LEAST_WITH_DECISION: u16 = 10;

/// Draws the model into `area`. `now_ms` is the time of day, milliseconds since the Unix epoch.
pub fn draw(model: &Model, now_ms: u64, area: Rect, buffer: &mut Buffer) {
    if area.width < LEAST.0 || area.height < LEAST.1 {
        return Line::from(format!("{} x {} at least", LEAST.0, LEAST.1)).render(area, buffer);
    }
    if let Dump::Shown(view) = model.dump() {
        let [title, rest] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
        draw_title(model, now_ms, title, buffer);
        return heap::draw(view, rest, buffer);
    }
    let decisions = decisions(model.shown_recording(), area.height);
    let lines = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(decisions.len() as u16),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(1),
    ]);
    let [title, jvm, heap, short, tabs, table, keys] = lines.areas(area);
    draw_title(model, now_ms, title, buffer);
    for (y, decision) in (short.y..).zip(decisions) {
        decision_line(decision, short.width).render(Rect { y, height: 1, ..short }, buffer);
    }
    Line::from(fitted_start(&jvm_line(model.shown_recording()), area.width)).render(jvm, buffer);
    heap_line(model.shown_recording(), area.width).render(heap, buffer);
    draw_tabs(model, tabs, buffer);
    draw_table(model, table, buffer);
    draw_keys(model, keys, buffer);
    heap::draw_box(model.dump(), model.process(), area, buffer);
    if model.help() {
        help::draw(area, buffer);
    }
}

/// The model as lines of text, without colours and trailing spaces.
pub fn text(model: &Model, now_ms: u64, width: u16, height: u16) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    draw(model, now_ms, buffer.area, &mut buffer);
    let mut text = String::new();
    for y in 0..height {
        let line: String = (0..width).map(|x| buffer[(x, y)].symbol()).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn draw_title(model: &Model, now_ms: u64, area: Rect, buffer: &mut Buffer) {
    let style = Style::new().add_modifier(Modifier::REVERSED);
    buffer.set_style(area, style);
    let state = state(model, now_ms);
    let left = usize::from(area.width).saturating_sub(state.chars().count() + 21);
    Line::from(vec![" weighbridge watch ".bold(), fitted(model.title(), left).into()]).render(area, buffer);
    Line::from(format!("{} ", fitted_start(&state, area.width.saturating_sub(20))))
        .right_aligned()
        .render(area, buffer);
}

fn state(model: &Model, now_ms: u64) -> String {
    let snapshot = model.shown_recording().last().map(|last| {
        let age = last.at_ms.and_then(|at| now_ms.checked_sub(at));
        let age = age.map_or_else(String::new, |ms| format!(", {} ago", elapsed(ms / 1_000 * 1_000)));
        format!("snapshot {}{age}", count(last.seq))
    });
    let state = match &model.status {
        _ if model.is_frozen() => "FROZEN".to_owned(),
        Status::Waiting(_) => "waiting".to_owned(),
        Status::Reading(percent) => format!("reading {percent} %"),
        Status::Following => "live".to_owned(),
        Status::Unattended => "following".to_owned(),
        Status::Over(_) => "ended".to_owned(),
    };
    [Some(state), snapshot].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn jvm_line(recorded: &Recorded) -> String {
    let Some(header) = recorded.header() else { return String::new() };
    let jvm = &header.jvm;
    let machine: Vec<&str> =
        [jvm.name.as_deref(), jvm.version.as_deref(), jvm.collector.as_deref()].into_iter().flatten().collect();
    let facts = [
        jvm.main.clone(),
        jvm.pid.map(|pid| format!("pid {pid}")),
        (!machine.is_empty()).then(|| machine.join(" ")),
        header.session.as_ref().map(|session| format!("session {session}")),
        recorded.end().map(|end| format!("ended in order ({})", end.reason.as_deref().unwrap_or("no reason given"))),
    ];
    printable(&facts.into_iter().flatten().collect::<Vec<_>>().join(" · "))
}

fn heap_line(recorded: &Recorded, width: u16) -> Line<'static> {
    let Some(last) = recorded.last() else { return Line::default() };
    let heap = &last.heap;
    let used = heap.used_bytes.map(|used| match heap.max_bytes {
        Some(max) => format!("heap {} of {}", short_bytes(used), short_bytes(max)),
        None => format!("heap {}", short_bytes(used)),
    });
    let kinds = [(last.collections.young, "young"), (last.collections.full, "full")];
    let kinds: Vec<String> = kinds.into_iter().filter_map(|(n, kind)| Some(format!("{} {kind}", count(n?)))).collect();
    let (occasion, living) = match (last.collected, last.live_at_ms) {
        (Some(true), _) => (None, "collected".to_owned()),
        (_, Some(at)) => (last.reason.clone(), format!("live at {}", elapsed(at))),
        (_, None) => (last.reason.clone(), "at most live: no full marking is known".to_owned()),
    };
    let facts = [
        // First, because it explains why the table does not change.
        last.interval.map(|interval| {
            let (asked, stretched) = (elapsed(interval.asked_ms), elapsed(interval.stretched_ms));
            let (cost, percent) = (elapsed(interval.cost_ms), interval.cpu_percent);
            format!("interval {asked} stretched to {stretched} ({cost} of CPU each, {percent} % allowed)")
        }),
        last.uptime_ms.map(|ms| format!("up {}", elapsed(ms))),
        last.measured_bytes.map(|bytes| format!("measured {}", short_bytes(bytes))),
        (!kinds.is_empty()).then(|| format!("GC {}", kinds.join(", "))),
        last.collections.pause_ms.map(|ms| format!("{} in it", elapsed(ms))),
        occasion.filter(|reason| reason != "interval"),
        Some(living),
        last.walk_stopped.as_ref().map(|why| format!("walk stopped: {why}")),
    ];
    let rest = printable(&facts.into_iter().flatten().collect::<Vec<_>>().join(" · "));
    let Some(used) = used else { return Line::from(fitted_start(&rest, width)) };
    let blocks = recorded.heap().blocks(if is_wide(width) { 24 } else { 8 });
    let blocks = blocks.trim_start().to_owned();
    let left = width.saturating_sub((used.chars().count() + blocks.chars().count() + 4) as u16);
    Line::from(vec![
        Span::from(format!("{used} ")),
        Span::styled(blocks, TREND),
        Span::from(format!(" · {}", fitted_start(&rest, left))),
    ])
}

/// The last decisions in memory shortages, as many as there is room for, the newest last.
fn decisions(recorded: &Recorded, height: u16) -> Vec<&Decision> {
    let most = match height {
        ..LEAST_WITH_DECISION => 0,
        LEAST_WITH_DECISION..20 => 1,
        _ => 3,
    };
    let all = recorded.decisions();
    all.iter().skip(all.len().saturating_sub(most)).collect()
}

fn decision_line(decision: &Decision, width: u16) -> Line<'static> {
    let line = &decision.line;
    let facts = [
        line.uptime_ms.map(|ms| format!("at {}", elapsed(ms))),
        Some(if line.chosen.is_some() { decision.describe_action() } else { "nothing was cancelled".to_owned() }),
        line.freed_bytes.map(|bytes| format!("{} freed", short_bytes(bytes))),
        Some(decision.cause()),
        line.reason.clone(),
        line.unmeasured.clone(),
    ];
    let facts = printable(&facts.into_iter().flatten().collect::<Vec<_>>().join(" · "));
    let colour = if line.resolved == Some(true) { Color::Yellow } else { Color::Red };
    let text = fitted_start(&format!("memory short {facts}"), width);
    Line::styled(text, Style::new().fg(colour))
}

const TREND: Style = Style::new().fg(Color::Cyan);

fn draw_tabs(model: &Model, area: Rect, buffer: &mut Buffer) {
    let mut tabs = Vec::new();
    for table in WatchTable::ALL {
        let style = match table == model.table() {
            true => Style::new().add_modifier(Modifier::BOLD).add_modifier(Modifier::UNDERLINED),
            false => Style::new().add_modifier(Modifier::DIM),
        };
        let mark = if table == model.table() { ["[", "]"] } else { [" ", " "] };
        let rows = model.shown_recording().rows(table).len();
        tabs.push(Span::styled(format!("{}{} {}{}", mark[0], table.title(), count(rows as u64), mark[1]), style));
    }
    Line::from(tabs).render(area, buffer);
}

fn draw_table(model: &Model, area: Rect, buffer: &mut Buffer) {
    let rows = model.rows();
    if rows.is_empty() {
        return draw_nothing(model, area, buffer);
    }
    let wide = is_wide(area.width);
    let columns = WatchColumn::select_for_table(model.table(), area.width);
    let fixed: u16 = columns.iter().map(|column| column.width(wide)).sum();
    let name = area.width.saturating_sub(fixed + columns.len() as u16 - 1);
    let widths = columns.iter().map(|column| match column {
        WatchColumn::Name => Constraint::Length(name),
        column => Constraint::Length(column.width(wide)),
    });
    let (sort, ascending) = model.sort();
    let owned = model.shown_recording().rows(model.table()).iter().any(|row| row.owned);
    let header = columns.iter().map(|column| {
        let arrow = match *column == sort {
            true if ascending => "↑",
            true => "↓",
            false => "",
        };
        let title = format!("{arrow}{}", column.title(model.table(), owned));
        aligned(*column, title, Style::new())
    });
    let header = TableRow::new(header).style(Style::new().add_modifier(Modifier::BOLD));
    let visible = usize::from(area.height.saturating_sub(1));
    let first = (model.selected() + 1).saturating_sub(visible);
    let body = rows.iter().enumerate().skip(first).take(visible).map(|(index, row)| {
        let cells = columns.iter().map(|column| cell(*column, row, name, wide));
        let selected = if index == model.selected() { Modifier::REVERSED } else { Modifier::empty() };
        TableRow::new(cells.collect::<Vec<_>>()).style(Style::new().add_modifier(selected))
    });
    TableWidget::new(body, widths).header(header).column_spacing(1).render(area, buffer);
}

fn cell(column: WatchColumn, row: &WatchRow, name: u16, wide: bool) -> Cell<'static> {
    let text = column.cell(row, wide);
    let style = match column {
        WatchColumn::Trend => TREND,
        WatchColumn::Growth if row.growth.is_some_and(|growth| growth > 0.0) => Style::new().fg(Color::Red),
        WatchColumn::Growth => Style::new().fg(Color::Green),
        _ => Style::new(),
    };
    let width = if column == WatchColumn::Name { name } else { column.width(wide) };
    let text =
        if column.is_number() || column == WatchColumn::Trend { text } else { fitted(&text, usize::from(width)) };
    aligned(column, text, style)
}

fn aligned(column: WatchColumn, text: String, style: Style) -> Cell<'static> {
    let line = Line::from(text).style(style);
    Cell::from(if column.is_number() { line.right_aligned() } else { line })
}

fn draw_nothing(model: &Model, area: Rect, buffer: &mut Buffer) {
    let why = match &model.status {
        Status::Waiting(why) => format!("{why}; waiting for it"),
        _ if model.shown_recording().last().is_none() => {
            "no snapshot yet: they come at the runtime's interval, at exit and on request".to_owned()
        }
        _ if !model.filter().0.is_empty() => format!("nothing matches \"{}\"", model.filter().0),
        _ if !model.shown_recording().has_classes() => {
            "no rewritten class was loaded: are these the rewritten jars, does a pattern match?".to_owned()
        }
        _ => match model.table() {
            WatchTable::Components => "no components in this recording".to_owned(),
            WatchTable::Classes => "no class constructed anything yet".to_owned(),
            WatchTable::Threads => "the recording does not tell threads".to_owned(),
            WatchTable::Tags => "the program opened no scope (Weighbridge.scope)".to_owned(),
        },
    };
    Line::from(format!("  {}", printable(&why))).render(Rect { y: area.y + 1, height: 1, ..area }, buffer);
}

fn draw_keys(model: &Model, area: Rect, buffer: &mut Buffer) {
    let style = Style::new().add_modifier(Modifier::DIM);
    let line = match (model.filter(), &model.status) {
        ((filter, true), _) => Line::from(format!("/{}_   Enter keeps it, Esc clears it", printable(filter))),
        (_, Status::Over(why)) => {
            Line::from(fitted_start(&format!("{} · q quit · ? help", printable(why)), area.width))
        }
        ((filter, false), _) => {
            let filtered =
                if filter.is_empty() { String::new() } else { format!("filter \"{}\" · ", printable(filter)) };
            let dump = if model.process().is_some() && area.width >= 100 { "t heap of threads · " } else { "" };
            let keys = "q quit · Tab table · ←→ sort · r reverse · / filter · space freeze · ? help";
            Line::from(fitted_start(&format!("{filtered}{dump}{keys}"), area.width))
        }
    };
    line.style(style).render(area, buffer);
}
