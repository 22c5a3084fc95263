//! Published archives in archives, web and enterprise archives, Multi-Release jars. docs/fidelity.md lists the rules.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read};

use weighbridge_rewriter::instrument::InstrumentOptions;

use crate::checked::{assert_sound, stored};
use crate::craft::{Entry, Zip};
use crate::program::{Run, names, read, run_in};

const ALL: &str = "version = 1\n[instrument]\ninclude = [\"**\"]";
const NONE: &str = "version = 1\n[instrument]\ninclude = [\"org.other.**\"]";

#[test]
fn real_jars_are_rewritten_inside_a_stored_and_a_deflated_archive_as_they_are_alone() {
    let real = |artifact: &str| fs::read(weighbridge_tests::jar(artifact)).unwrap();
    let middle = Zip::of(vec![Entry::new("lib/jackson.jar", real("jackson-core")).stored()]).bytes();
    let outer = Zip {
        alignment: Some(4),
        ..Zip::of(vec![
            Entry::new("BOOT-INF/lib/failureaccess.jar", real("failureaccess")).stored(),
            Entry::new("BOOT-INF/lib/middle.jar", middle),
            Entry::new("BOOT-INF/lib/netty.jar", real("netty-buffer")).stored(),
        ])
    };
    let config = "version = 1\n[instrument]\nnested = \"all\"\ninclude = [\"com.fasterxml.**\"]";
    let run = Run::new(&[("fat.jar", outer.bytes())], config);
    let alone = Run::new(&[("jackson.jar", real("jackson-core"))], config);
    assert!(alone.summary.total.classes_rewritten > 100);
    assert_eq!(run.summary.total.classes_rewritten, alone.summary.total.classes_rewritten);
    assert_sound(&run, "fat.jar");
    let new = run.output("fat.jar");
    let kept = ["BOOT-INF/lib/failureaccess.jar", "BOOT-INF/lib/netty.jar"];
    assert_eq!(stored(&new, 4), kept.map(|name| (name.to_owned(), 0)));
    assert!(read(&new, kept[0]) == real("failureaccess") && read(&new, kept[1]) == real("netty-buffer"));
}

#[test]
fn a_real_web_archive_is_rewritten_in_its_libraries_alone_and_inside_an_enterprise_archive() {
    let war = fs::read(weighbridge_tests::jar("jolokia-war")).unwrap();
    let ear = Zip::of(vec![
        Entry::new("META-INF/application.xml", "<application/>"),
        Entry::new("jolokia.war", war.clone()),
        Entry::new("lib/failureaccess.jar", fs::read(weighbridge_tests::jar("failureaccess")).unwrap()),
    ]);
    let config = "version = 1\n[instrument]\ninclude = [\"org.jolokia.**\"]";
    let alone = Run::new(&[("jolokia.war", war.clone())], config);
    let inside = Run::new(&[("app.ear", ear.bytes())], config);
    assert!(alone.summary.total.classes_rewritten > 100);
    assert_eq!(alone.summary.total.classes_rewritten, inside.summary.total.classes_rewritten);
    assert_sound(&alone, "jolokia.war");
    assert_sound(&inside, "app.ear");
    let new = alone.output("jolokia.war");
    assert_eq!(names(&new), names(&war));
    for name in ["META-INF/MANIFEST.MF", "WEB-INF/web.xml", "WEB-INF/lib/json-simple-1.1.1.jar"] {
        assert!(read(&new, name) == read(&war, name), "{name}");
    }
    for library in ["WEB-INF/lib/jolokia-core-1.7.2.jar", "WEB-INF/lib/jolokia-jsr160-1.7.2.jar"] {
        assert!(names(&read(&new, library)).iter().any(|name| name.contains("Weighbridge$")), "{library}");
    }
    assert!(Run::new(&[("jolokia.war", war.clone())], NONE).output("jolokia.war") == war);
}

#[test]
fn a_real_enterprise_archive_is_rewritten_in_its_modules_and_nowhere_else() {
    let ear = fs::read(weighbridge_tests::jar("daytrader-ear")).unwrap();
    let run = Run::new(
        &[("daytrader.ear", ear.clone())],
        "version = 1\n[instrument]\ninclude = [\"org.apache.geronimo.**\"]",
    );
    assert_eq!(run.summary.total.nested_archives, 5);
    assert_sound(&run, "daytrader.ear");
    let new = run.output("daytrader.ear");
    assert_eq!(names(&new), names(&ear));
    let modules = ["streamer.jar", "dt-ejb.jar", "web.war", "wsappclient.jar"];
    for name in names(&ear).iter().filter(|name| !name.ends_with('/')) {
        let (old, new) = (read(&ear, name), read(&new, name));
        assert_eq!(old != new, modules.contains(&name.as_str()), "{name}");
        if old != new {
            let bridges = names(&new).into_iter().filter(|name| name.contains("Weighbridge$"));
            assert_eq!(bridges.count(), 1, "{name}");
            // Whatever is no class stays as it is, entry by entry.
            for inner in names(&old).iter().filter(|inner| !inner.ends_with(".class")) {
                assert!(read(&old, inner) == read(&new, inner), "{name}!/{inner}");
            }
        }
    }
    assert!(Run::new(&[("daytrader.ear", ear.clone())], NONE).output("daytrader.ear") == ear);
}

#[test]
fn each_version_of_a_class_of_a_real_multi_release_jar_is_rewritten_or_listed() {
    for artifact in ["jackson-core", "lucene-core", "bcprov-jdk18on", "h2"] {
        let original = fs::read(weighbridge_tests::jar(artifact)).unwrap();
        let run = Run::new(&[("mr.jar", original.clone())], ALL);
        let new = run.output("mr.jar");
        assert_sound(&run, "mr.jar");
        let listed: Vec<&str> = run.summary.jars[0].skipped.iter().map(|skipped| skipped.location.as_str()).collect();
        let mut zip = zip::ZipArchive::new(Cursor::new(&original)).unwrap();
        let mut versions = BTreeMap::new();
        for index in 0..zip.len() {
            let mut file = zip.by_index(index).unwrap();
            let name = file.name().unwrap().into_owned();
            if name.starts_with("META-INF/versions/") && name.ends_with(".class") {
                let mut content = Vec::new();
                file.read_to_end(&mut content).unwrap();
                let changed = read(&new, &name) != content;
                let skipped = listed.iter().any(|location| location.ends_with(&format!("!/{name}")));
                assert!(changed != skipped, "{artifact}: {name}: changed {changed}, listed {skipped}");
                *versions.entry(name.split('/').nth(2).unwrap().to_owned()).or_insert(0) += 1;
            }
        }
        assert!(!versions.is_empty(), "{artifact} has no versions");
    }
}

#[test]
fn real_jars_without_a_match_come_out_with_the_same_bytes() {
    for artifact in ["guava", "jackson-core", "netty-buffer", "bcprov-jdk18on", "lucene-core", "jolokia-war"] {
        let original = fs::read(weighbridge_tests::jar(artifact)).unwrap();
        assert!(Run::new(&[("a.jar", original.clone())], NONE).output("a.jar") == original, "{artifact}");
    }
}

#[test]
fn the_index_of_a_real_jar_stays_and_lists_the_package_of_its_bridge() {
    let original = fs::read(weighbridge_tests::jar("netty-buffer")).unwrap();
    let new = Run::new(&[("netty.jar", original.clone())], ALL).output("netty.jar");
    let index = String::from_utf8(read(&new, "META-INF/INDEX.LIST")).unwrap();
    assert!(index.as_bytes() == read(&original, "META-INF/INDEX.LIST"));
    let bridge = names(&new).into_iter().find(|name| name.contains("Weighbridge$")).unwrap();
    let package = bridge.rsplit_once('/').unwrap().0;
    assert!(index.lines().any(|line| line == package), "{bridge} in {index}");
}

#[test]
fn a_rewritten_real_jar_is_refused_wherever_it_stands() {
    let config = "version = 1\n[instrument]\ninclude = [\"com.google.common.util.concurrent.internal.*\"]";
    let original = fs::read(weighbridge_tests::jar("failureaccess")).unwrap();
    let once = Run::new(&[("a.jar", original)], config).output("a.jar");
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in
        [("a.jar", once.clone()), ("b.jar", Zip::of(vec![Entry::new("BOOT-INF/lib/a.jar", once).stored()]).bytes())]
    {
        let error = run_in(folder.path(), &[(name, bytes)], config, |_| {}).unwrap_err();
        assert!(error.to_string().contains("was rewritten by weighbridge before"), "{error}");
        assert!(!folder.path().join("out").join(name).exists());
    }
}

#[test]
fn with_force_a_rewritten_jar_is_made_again_from_the_original_with_the_digest_that_it_keeps() {
    let config = "version = 1\n[instrument]\ninclude = [\"com.google.common.util.concurrent.internal.*\"]";
    let real = fs::read(weighbridge_tests::jar("failureaccess")).unwrap();
    let nested = Zip::of(vec![Entry::new("BOOT-INF/lib/inner.jar", real.clone()).stored()]).bytes();
    for original in [real, nested] {
        let once = Run::new(&[("a.jar", original.clone())], config).output("a.jar");
        let expected = Run::new(&[("a.jar.original", original.clone())], config).output("a.jar.original");
        let folder = tempfile::tempdir().unwrap();
        let other = Zip::of(vec![Entry::new("a.txt", "another archive")]).bytes();
        fs::write(folder.path().join("another.jar"), other).unwrap();
        fs::write(folder.path().join("a.jar.original"), &original).unwrap();
        let force = |options: &mut InstrumentOptions| options.force = true;
        run_in(folder.path(), &[("a.jar", once.clone())], config, force).unwrap();
        assert!(fs::read(folder.path().join("out/a.jar")).unwrap() == expected);
        fs::remove_file(folder.path().join("a.jar.original")).unwrap();
        let error = run_in(folder.path(), &[("a.jar", once)], config, force).unwrap_err();
        assert!(error.to_string().contains("no file beside it is the original"), "{error}");
        assert!(fs::read(folder.path().join("out/a.jar")).unwrap() == expected);
    }
}
