//! A heap dump in the view: the worked example of S0, whose figures are known.

use weighbridge_heapdump::{Heap, HeapOptions, SizeModel};
use weighbridge_reporter::heap::Facts;
use weighbridge_reporter::heap::threads::{ThreadReport, ThreadRequest};
use weighbridge_tests::heap_dump::{FORMS, file};
use weighbridge_tests::made_shortage::decisions;
use weighbridge_tests::worked_example;
use weighbridge_watch::{KeyPress, Model, Reaction, Status, text};

fn figures() -> ThreadReport {
    let (bytes, _) = worked_example::dump(&worked_example::example(), FORMS[0]);
    let dump = file(&bytes);
    let options = HeapOptions { sizes: SizeModel::Raw, ..HeapOptions::default() };
    let (heap, graph) = Heap::open(dump.path(), &options).expect("a dump");
    let wanted = ThreadRequest { fixed: &|class| class.starts_with("java."), drill: 10 };
    ThreadReport::from_graph(&heap, &graph, Facts::default(), &wanted).expect("figures")
}

fn model(process: Option<u32>) -> Model {
    let mut model = Model::new("process 4711").of_process(process);
    model.status = Status::Following;
    model
}

/// A model that shows the dump.
fn shown() -> Model {
    let mut model = model(Some(4711));
    assert_eq!(model.key(KeyPress::Char('t')), Reaction::Stay);
    assert!(text(&model, 0, 100, 24).contains("The program stands still"), "it asks first");
    assert_eq!(model.key(KeyPress::Enter), Reaction::Dump);
    assert!(text(&model, 0, 100, 24).contains("The JVM writes the dump"));
    model.dumped(Ok(figures()));
    model
}

fn pressed(model: &mut Model, keys: &[KeyPress]) -> String {
    keys.iter().for_each(|key| assert_eq!(model.key(*key), Reaction::Stay, "{key:?}"));
    text(model, 0, 100, 24)
}

#[test]
fn threads_are_ranked_by_each_figure_and_lead_to_frames_entries_objects_and_classes() {
    let mut model = shown();
    let pages = [
        pressed(&mut model, &[]),
        pressed(&mut model, &[KeyPress::Char('p')]),
        pressed(&mut model, &[KeyPress::Char('s')]),
        pressed(&mut model, &[KeyPress::Char('t'), KeyPress::Enter]),
        pressed(&mut model, &[KeyPress::Down, KeyPress::Enter]),
        pressed(&mut model, &[KeyPress::Escape, KeyPress::Down, KeyPress::Enter]),
    ];
    insta::assert_snapshot!(pages.join("\n"));
    assert_eq!(pressed(&mut model, &[KeyPress::Escape, KeyPress::Escape]), pages[0], "back at the threads");
    assert!(pressed(&mut model, &[KeyPress::Escape]).contains("[Components"), "and at the tables");
}

#[test]
fn what_ends_with_threads_and_sets_leads_to_their_threads() {
    let mut model = shown();
    let pages = [
        pressed(&mut model, &[KeyPress::Char('r')]),
        pressed(&mut model, &[KeyPress::Enter]),
        pressed(&mut model, &[KeyPress::Enter]),
        pressed(&mut model, &[KeyPress::Char('r'), KeyPress::End, KeyPress::Enter]),
    ];
    insta::assert_snapshot!(pages.join("\n"));
}

#[test]
fn every_page_is_drawn_in_every_size_without_a_panic() {
    let mut model = shown();
    for keys in [&[][..], &[KeyPress::Enter], &[KeyPress::Down, KeyPress::Enter], &[KeyPress::Tab], &[KeyPress::Enter]]
    {
        pressed(&mut model, keys);
        for width in (1..200).step_by(7) {
            for height in [1, 2, 7, 8, 9, 50] {
                assert_eq!(text(&model, 0, width, height).lines().count(), usize::from(height));
            }
        }
    }
}

#[test]
fn a_dump_is_of_a_process_that_runs_is_asked_for_and_can_fail() {
    let mut file = model(None);
    assert!(pressed(&mut file, &[KeyPress::Char('t')]).contains("watch a process id"));
    assert!(!pressed(&mut file, &[KeyPress::Enter]).contains("watch a process id"));

    let mut over = model(Some(4711));
    over.status = Status::Over("killed".to_owned());
    assert!(pressed(&mut over, &[KeyPress::Char('t')]).contains("The program runs no more: killed"));

    let mut asked = model(Some(4711));
    assert!(!pressed(&mut asked, &[KeyPress::Char('t'), KeyPress::Escape]).contains("stands still"), "not taken");
    pressed(&mut asked, &[KeyPress::Char('t')]);
    assert_eq!(asked.key(KeyPress::Char('y')), Reaction::Dump);
    asked.dumped(Err("process 4711: there is no room".to_owned()));
    assert!(text(&asked, 0, 100, 24).contains("there is no room"));
    assert!(!pressed(&mut asked, &[KeyPress::Enter]).contains("there is no room"));

    pressed(&mut asked, &[KeyPress::Char('t')]);
    assert_eq!(asked.key(KeyPress::Enter), Reaction::Dump);
    pressed(&mut asked, &[KeyPress::Escape]);
    asked.dumped(Ok(figures()));
    assert!(text(&asked, 0, 100, 24).contains("[Components"), "nobody waits for it any more");
    assert_eq!(shown().key(KeyPress::Char('q')), Reaction::Quit);
}

#[test]
fn decisions_in_memory_shortages_are_lines_with_time_work_and_bytes() {
    let mut model = model(None);
    decisions().into_iter().for_each(|line| model.recorded.line(line));
    let lines = |height| -> Vec<String> {
        let frame = text(&model, 0, 160, height);
        frame.lines().filter(|line| line.starts_with("memory short")).map(str::to_owned).collect()
    };
    insta::assert_snapshot!(lines(30).join("\n"));
    assert_eq!((lines(12).len(), lines(9).len()), (1, 0), "a low terminal has room for the newest, or for none");
    assert_eq!(lines(12)[0], lines(30)[2]);
}

#[test]
fn the_doctor_is_for_a_process() {
    let mut of_file = Model::new("a.wbr");
    assert_eq!(of_file.key(KeyPress::Char('d')), Reaction::Stay);
    let mut of_process = Model::new("a.wbr").of_process(Some(7));
    assert_eq!(of_process.key(KeyPress::Char('d')), Reaction::Examine);
}
