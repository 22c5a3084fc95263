//! Archives in archives, web and enterprise archives, Multi-Release jars: what is inside is rewritten where it is,
//! and everything around it keeps its order, method and alignment. docs/fidelity.md lists the rules and their tests.
//! Published archives are in `jvm/fidelity_archives.rs`.

mod checked;
mod craft;
mod program;

use checked::{assert_sound, stored};
use craft::{Entry, Zip};
use program::{Run, app, base, entries, names, read};

const ACME: &str = "version = 1\n[instrument]\ninclude = [\"com.acme.**\"]";
const NONE: &str = "version = 1\n[instrument]\ninclude = [\"org.other.**\"]";

#[test]
fn stored_archives_stay_stored_and_aligned_at_every_depth() {
    for alignment in [4, 4096] {
        let mut archive = Zip::of(entries(&[app(), base()])).bytes();
        for level in (0..5).rev() {
            let text = |name: &str| Entry::new(name, "stored beside it").stored();
            let inner = Entry::new(&format!("level{level}.jar"), archive).stored();
            let all = vec![text("before.txt"), inner, text("after.txt")];
            archive = Zip { alignment: Some(alignment), ..Zip::of(all) }.bytes();
        }
        let run = Run::new(&[("outer.jar", archive)], &format!("{ACME}\nnested = \"all\""));
        assert_eq!(run.summary.total.classes_rewritten, 3);
        assert_eq!(run.summary.total.nested_archives, 5);
        assert_sound(&run, "outer.jar");
        let mut archive = run.output("outer.jar");
        for level in 0..5 {
            let inner = format!("level{level}.jar");
            let expected = ["before.txt", &inner, "after.txt"].map(|name| (name.to_owned(), 0));
            assert_eq!(stored(&archive, alignment as u64), expected, "level {level}");
            archive = read(&archive, &inner);
        }
        assert!(names(&archive).iter().any(|name| name.contains("Weighbridge$")));
    }
}

/// A web archive with classes and a library of its own.
fn web() -> Vec<u8> {
    let mut files = vec![Entry::new("WEB-INF/web.xml", "<web-app/>")];
    for mut entry in app() {
        entry.name = [b"WEB-INF/classes/", &entry.name[..]].concat();
        files.push(entry);
    }
    files.push(Entry::new("WEB-INF/lib/base.jar", Zip::of(base()).bytes()));
    Zip::of(files).bytes()
}

#[test]
fn the_classes_and_libraries_of_web_and_enterprise_archives_get_a_bridge_each() {
    let enterprise = Zip::of(vec![
        Entry::new("META-INF/application.xml", "<application/>"),
        Entry::new("web.war", web()),
        Entry::new("lib/base.jar", Zip::of(base()).bytes()),
    ]);
    let run = Run::new(&[("app.ear", enterprise.bytes())], ACME);
    assert_eq!(run.summary.total.classes_rewritten, 4);
    assert_sound(&run, "app.ear");
    let new = run.output("app.ear");
    let bridge = |archive: &[u8], package: &str| {
        let names = names(archive);
        let found = names.iter().filter(|name| name.starts_with(&format!("{package}Weighbridge$")));
        assert_eq!(found.count(), 1, "{names:?}");
    };
    assert_eq!(names(&new), ["META-INF/application.xml", "web.war", "lib/base.jar"]);
    bridge(&read(&new, "lib/base.jar"), "com/acme/base/");
    let web = read(&new, "web.war");
    bridge(&web, "WEB-INF/classes/com/acme/app/");
    bridge(&read(&web, "WEB-INF/lib/base.jar"), "com/acme/base/");
    let untouched = Run::new(&[("app.ear", enterprise.bytes())], NONE);
    assert!(untouched.output("app.ear") == enterprise.bytes());
}
