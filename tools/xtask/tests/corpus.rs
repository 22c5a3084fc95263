//! The corpus run on its quick items.

use xtask::corpus::{CorpusOptions, run};

#[test]
fn no_probe_kind_breaks_or_blurs_a_class_of_the_quick_items() {
    let options = CorpusOptions { only: None, quick: true, keep: false, jdk: weighbridge_jdk::to_build_with() };
    let report = run(&options).expect("a run");
    assert_eq!(report.first_failure(), None, "\n{}", report.table());
    assert!(!report.items.is_empty());
    for item in &report.items {
        let before = item.linked_before.as_ref().expect("the quick items are loaded");
        assert!(before.linked * 10 > before.classes * 8, "{}: {before:?}", item.name);
        for kind in &item.kinds {
            let rewritten = kind.rewrites.rewritten;
            assert!(rewritten * 10 > item.census.classes * 3, "{}: {}: {rewritten}", item.name, kind.kind);
        }
    }
}
