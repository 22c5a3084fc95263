//! The site of the documentation is made, with all its pages.

use std::fs;

#[test]
fn the_site_has_each_page_of_its_summary_and_no_link_out_of_it() {
    let site = xtask::book::make().expect("the site");
    let home = fs::read_to_string(site.join("index.html")).expect("its first page");
    assert!(home.contains("Ask a running program"), "the README");
    let summary = fs::read_to_string(xtask::corpus::fetch::checkout().join("docs/SUMMARY.md")).expect("the summary");
    let pages = summary.split("](").skip(1).filter_map(|rest| rest.split_once(".md)"));
    let pages: Vec<&str> = pages.map(|(page, _)| page).filter(|page| *page != "../README").collect();
    assert!(pages.len() > 25, "{pages:?}");
    for page in pages {
        let html = fs::read_to_string(site.join(page).with_extension("html")).expect(page);
        assert!(html.contains("<main>"), "{page}");
        let outside = html.split("href=\"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(target, _)| target);
        let outside: Vec<&str> = outside.filter(|target| target.contains(".md") || target.contains(".rs")).collect();
        assert!(outside.iter().all(|target| target.contains("://")), "{page}: {outside:?}");
    }
    assert!(site.join("decisions/0001-own-class-file-engine.html").exists(), "decisions");
}
