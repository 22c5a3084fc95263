//! The view without a terminal: the effect of keys on the model, and the drawn frames.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use weighbridge_recording::{Footer, Interval, Line, Reader};
use weighbridge_tests::made_recording::{self, Shape};
use weighbridge_watch::{KeyPress, Model, Reaction, Status, WatchTable, draw, text};

fn lines(shape: &Shape) -> Vec<Line> {
    let mut bytes = Vec::new();
    made_recording::write(&mut bytes, shape).unwrap();
    Reader::new("made.wbr", bytes.as_slice()).unwrap().map(Result::unwrap).collect()
}

const SHAPE: Shape = Shape { snapshots: 40, classes: 30, components: 6, interval_ms: 10_000, seed: 7 };

/// A model of a generated recording without its end, and the time two seconds after its last snapshot.
fn following() -> (Model, u64) {
    let mut model = Model::new("weighbridge-1007.wbr");
    let mut now = 0;
    for line in lines(&SHAPE) {
        match line {
            Line::Footer(_) => {}
            line => {
                if let Line::Snapshot(snapshot) = &line {
                    now = snapshot.at_ms.unwrap() + 2_345;
                }
                model.recorded.line(line);
            }
        }
    }
    model.recorded.update_tables();
    model.status = Status::Following;
    (model, now)
}

fn names(model: &Model) -> Vec<String> {
    model.rows().iter().map(|row| row.name.clone()).collect()
}

fn press(model: &mut Model, keys: &[KeyPress]) {
    keys.iter().for_each(|key| assert_eq!(model.key(*key), Reaction::Stay, "{key:?}"));
}

#[test]
fn the_view_fits_a_small_and_a_large_terminal() {
    for (width, height) in [(80, 24), (140, 40)] {
        let (mut model, now) = following();
        for table in ["components", "classes", "threads", "tags"] {
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            terminal.draw(|frame| draw(&model, now, frame.area(), frame.buffer_mut())).unwrap();
            insta::assert_snapshot!(format!("{table}_{width}x{height}"), terminal.backend());
            press(&mut model, &[KeyPress::Tab]);
        }
    }
}

#[test]
fn the_text_of_a_frame_is_what_a_terminal_shows() {
    let (model, now) = following();
    let mut terminal = Terminal::new(TestBackend::new(100, 20)).unwrap();
    terminal.draw(|frame| draw(&model, now, frame.area(), frame.buffer_mut())).unwrap();
    let shown: Vec<String> =
        terminal.backend().to_string().lines().map(|line| line.trim_matches('"').trim_end().to_owned()).collect();
    assert_eq!(text(&model, now, 100, 20).lines().collect::<Vec<_>>(), shown);
}

#[test]
fn every_size_of_terminal_is_drawn_without_a_panic() {
    let (mut model, now) = following();
    for table in 0..4 {
        for width in (1..200).step_by(7) {
            for height in [1, 2, 7, 8, 9, 50] {
                assert_eq!(text(&model, now, width, height).lines().count(), usize::from(height));
            }
        }
        press(&mut model, &[KeyPress::Tab, KeyPress::Char('?')]);
        assert!(text(&model, now, 80, 24).contains("any key closes"), "help over table {table}");
        press(&mut model, &[KeyPress::Enter]);
    }
}

#[test]
fn a_letter_sorts_by_its_column_and_again_the_other_way_round() {
    let (mut model, _) = following();
    press(&mut model, &[KeyPress::Tab, KeyPress::Char('l')]);
    let live: Vec<u64> = model.rows().iter().map(|row| row.live.unwrap()).collect();
    assert!(live.is_sorted_by(|a, b| a >= b), "{live:?}");
    press(&mut model, &[KeyPress::Char('l')]);
    let live: Vec<u64> = model.rows().iter().map(|row| row.live.unwrap()).collect();
    assert!(live.is_sorted(), "{live:?}");
    press(&mut model, &[KeyPress::Char('n')]);
    assert!(names(&model).is_sorted(), "names from A on");
    press(&mut model, &[KeyPress::Char('g')]);
    assert_eq!(names(&model)[0], SHAPE.class(0), "the class that leaks grows most steadily");
}

#[test]
fn the_arrows_sort_by_the_columns_from_left_to_right_and_around() {
    let (mut model, _) = following();
    press(&mut model, &[KeyPress::Right]);
    let growth: Vec<f64> = model.rows().iter().map(|row| row.growth.unwrap()).collect();
    assert!(growth.is_sorted_by(|a, b| a >= b), "{growth:?}");
    press(&mut model, &[KeyPress::Left, KeyPress::Left]);
    assert!(names(&model).is_sorted(), "left of the bytes is the name");
    press(&mut model, &[KeyPress::Left]);
    let oldest: Vec<u64> = model.rows().iter().map(|row| row.oldest.unwrap()).collect();
    assert!(oldest.is_sorted_by(|a, b| a >= b), "left of the name is the last column");
}

#[test]
fn a_filter_matches_names_and_components_in_any_case_and_escape_clears_it() {
    let (mut model, now) = following();
    press(&mut model, &[KeyPress::Tab, KeyPress::Char('/')]);
    press(&mut model, &"STORE.5".chars().map(KeyPress::Char).collect::<Vec<_>>());
    assert!(text(&model, now, 80, 24).contains("/STORE.5_"), "typed text is shown");
    assert!(!names(&model).is_empty() && names(&model).iter().all(|name| name.contains("store.5")));
    press(&mut model, &[KeyPress::Char('q'), KeyPress::Char('?')]);
    assert!(names(&model).is_empty(), "letters go into the filter");
    assert!(text(&model, now, 80, 24).contains("nothing matches \"STORE.5q?\""));
    press(&mut model, &[KeyPress::Backspace, KeyPress::Backspace, KeyPress::Enter]);
    assert_eq!(names(&model).len(), 5);
    press(&mut model, &[KeyPress::Escape]);
    assert_eq!(names(&model).len(), 30);
    assert_eq!(model.key(KeyPress::Escape), Reaction::Quit, "without a filter it ends the view");
}

#[test]
fn space_freezes_the_view_while_the_recording_grows() {
    let all = lines(&SHAPE);
    let (first, rest) = all.split_at(all.len() - 10);
    let mut model = Model::new("a.wbr");
    first.iter().for_each(|line| model.recorded.line(line.clone()));
    model.recorded.update_tables();
    model.status = Status::Following;
    press(&mut model, &[KeyPress::Char(' ')]);
    let before = text(&model, 0, 80, 24);
    assert!(before.contains("FROZEN"));
    rest.iter().for_each(|line| model.recorded.line(line.clone()));
    model.recorded.update_tables();
    assert_eq!(text(&model, 0, 80, 24), before);
    press(&mut model, &[KeyPress::Char(' ')]);
    assert_ne!(text(&model, 0, 80, 24), before);
    assert!(!model.is_frozen());
}

#[test]
fn the_selected_row_stays_visible_and_in_the_table() {
    let (mut model, now) = following();
    press(&mut model, &[KeyPress::Tab, KeyPress::Char('n'), KeyPress::End]);
    let last = names(&model).pop().unwrap();
    let shown = |model: &Model| text(model, now, 140, 12);
    assert!(shown(&model).contains(&last), "{}", shown(&model));
    press(
        &mut model,
        &[
            KeyPress::Down,
            KeyPress::PageDown,
            KeyPress::PageUp,
            KeyPress::PageUp,
            KeyPress::PageUp,
            KeyPress::Home,
            KeyPress::Up,
        ],
    );
    assert!(shown(&model).contains(&names(&model)[0]));
}

#[test]
fn every_state_of_the_file_is_shown() {
    let mut model = Model::new("weighbridge-1.wbr");
    model.status = Status::Waiting("weighbridge-1.wbr: not there yet".to_owned());
    let waiting = text(&model, 0, 80, 24);
    assert!(waiting.contains("waiting\n") && waiting.contains("not there yet; waiting for it"), "{waiting}");
    model.recorded.line(lines(&SHAPE).swap_remove(0));
    model.status = Status::Following;
    assert!(text(&model, 0, 80, 24).contains("no snapshot yet"));
    model.status = Status::Reading(45);
    assert!(text(&model, 0, 80, 24).contains("reading 45 %"));
    let (mut model, now) = following();
    model.recorded.line(Line::Footer(Footer { reason: Some("exit".to_owned()), ..Footer::default() }));
    model.status = Status::Over("the program ended in order (exit)".to_owned());
    insta::assert_snapshot!(text(&model, now, 80, 9));
}

#[test]
fn another_jvm_in_the_same_file_starts_afresh() {
    let (mut model, _) = following();
    let header = lines(&SHAPE).swap_remove(0);
    model.recorded.line(header);
    model.recorded.update_tables();
    assert_eq!(model.recorded.snapshots(), 0);
    assert!(WatchTable::ALL.iter().all(|table| model.recorded.rows(*table).is_empty()));
}

#[test]
fn control_characters_of_a_recording_never_reach_the_terminal() {
    let (mut model, now) = following();
    for mut line in lines(&SHAPE) {
        match &mut line {
            Line::Header(header) => header.jvm.main = Some("a\u{1b}[2Jb".to_owned()),
            Line::Class(class) => class.class = format!("\u{7}{}", class.class),
            _ => {}
        }
        model.recorded.line(line);
    }
    model.recorded.update_tables();
    press(&mut model, &[KeyPress::Tab]);
    assert!(text(&model, now, 140, 40).chars().all(|c| c == '\n' || !c.is_control()));
}

#[test]
fn a_stretched_interval_and_a_jvm_without_rewritten_classes_are_shown() {
    let (mut model, now) = following();
    let lines = lines(&SHAPE);
    let Some(Line::Snapshot(mut last)) = lines.iter().rev().find(|line| matches!(line, Line::Snapshot(_))).cloned()
    else {
        panic!("a snapshot")
    };
    assert!(!text(&model, now, 140, 40).contains("stretched"));
    last.interval = Some(Interval { asked_ms: 1_000, stretched_ms: 20_000, cost_ms: 400, cpu_percent: 2 });
    model.recorded.line(Line::Snapshot(last.clone()));
    model.recorded.update_tables();
    let told = "interval 1.0 s stretched to 20.0 s (400 ms of CPU each, 2 % allowed)";
    assert!(text(&model, now, 140, 40).contains(told), "{}", text(&model, now, 140, 40));

    let mut model = Model::new("weighbridge-1007.wbr");
    model.recorded.line(lines[0].clone());
    last.classes.clear();
    last.components.clear();
    model.recorded.line(Line::Snapshot(last));
    model.recorded.update_tables();
    model.status = Status::Following;
    assert!(text(&model, now, 140, 40).contains("no rewritten class was loaded"), "{}", text(&model, now, 140, 40));
}
