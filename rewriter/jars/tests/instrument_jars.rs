//! Jars and folders through the whole rewriter. `jvm/instrument_jars.rs` runs them.

mod craft;
mod program;

use std::fs;
use std::num::NonZeroUsize;

use craft::{Entry, Zip};
use program::{Run, app, base, executable, names, read};
use weighbridge_config::Config;
use weighbridge_rewriter::instrument::{InstrumentOptions, InstrumentOutput, Silent, instrument};

const ALL: &str = "version = 1\n[instrument]\ninclude = [\"com.acme.**\"]";

#[test]
fn an_executable_jar_carries_the_runtime_and_starts_it() {
    let run = Run::new(&[("app.jar", executable())], ALL);
    let jar = &run.summary.jars[0];
    assert!(jar.executable && jar.carries_runtime, "{jar:?}");
    assert_eq!(jar.counts.classes_rewritten, 3);
    assert_eq!(jar.counts.constructors, 3);
    let skipped: Vec<&str> = jar.skipped.iter().map(|skipped| skipped.class.as_str()).collect();
    assert_eq!(skipped, ["com.acme.app.Main$Shape", "com.acme.base.Weighed"]);
    let new = run.output("app.jar");
    let manifest = String::from_utf8(read(&new, "META-INF/MANIFEST.MF")).unwrap();
    assert!(manifest.contains("Launcher-Agent-Class: io.weighbridge.runtime.Agent\r\n"), "{manifest}");
    assert!(manifest.contains("Add-Opens: java.base/java.lang.invoke\r\n"), "{manifest}");
    assert!(names(&new).contains(&"io/weighbridge/runtime/Agent.class".to_owned()));
}

#[test]
fn a_jar_without_a_match_comes_out_with_the_same_bytes() {
    let config = "version = 1\n[instrument]\ninclude = [\"org.other.**\"]";
    let run = Run::new(&[("app.jar", executable())], config);
    assert!(run.output("app.jar") == executable());
    assert_eq!(run.summary.warnings, ["instrument.include: \"org.other.**\" matches no class"]);
}

#[test]
fn the_same_inputs_give_the_same_bytes_on_any_number_of_threads() {
    let one = Run::with(&[("app.jar", executable())], ALL, |options| options.threads = NonZeroUsize::new(1));
    let four = Run::with(&[("app.jar", executable())], ALL, |options| options.threads = NonZeroUsize::new(4));
    assert!(one.output("app.jar") == four.output("app.jar"));
}

#[test]
fn ids_are_the_ordinals_of_the_class_lines_and_name_only_what_was_rewritten() {
    let config = "version = 1\n[instrument]\ninclude = [\"com.acme.**\"]\n[[target]]\nclass = \"com.acme.app.Leaf\"\n\
                  fields = [\"text\"]\ntrack = \"count\"\n[components]\nleaves = [\"com.acme.app.L*\"]\n\
                  [measure]\nat = [\"every 5s\"]";
    let run = Run::new(&[("app.jar", executable())], config);
    let table = run.table("app.jar", "com/acme/app/");
    let digest = Config::parse(config).unwrap().digest().to_owned();
    // Compilers of different versions make different bytes.
    let original = table.lines().find_map(|line| line.strip_prefix("original\t")).unwrap();
    assert_eq!(original.len(), 64);
    let hubs = table.lines().find_map(|line| line.strip_prefix("set\thubs\t")).unwrap();
    assert!(hubs.contains("java.lang.ClassLoader;"), "{hubs}");
    let table = table.replace(&digest, "(digest)").replace(original, "(listing)").replace(hubs, "(hubs)");
    insta::assert_snapshot!(table);
}

#[test]
fn a_class_of_another_jar_that_descends_from_one_of_this_is_in_its_table() {
    let inputs = [("base.jar", Zip::of(base()).bytes()), ("app.jar", Zip::of(app()).bytes())];
    let run = Run::new(&inputs, ALL);
    let table = run.table("base.jar", "com/acme/base/");
    assert!(table.contains("descendant\tcom.acme.app.Leaf\n"), "{table}");
    assert!(!run.table("app.jar", "com/acme/app/").contains("descendant"));
}

#[test]
fn annotations_and_supertypes_select_classes_and_exclude_wins() {
    let rewritten = |config: &str| {
        let inputs = [("base.jar", Zip::of(base()).bytes()), ("app.jar", Zip::of(app()).bytes())];
        let run = Run::new(&inputs, &format!("version = 1\n[instrument]\n{config}"));
        assert_eq!(run.summary.warnings, [""; 0]);
        run.summary.jars.iter().map(|jar| jar.counts.classes_rewritten).collect::<Vec<_>>()
    };
    assert_eq!(rewritten("annotated = [\"com.acme.base.Weighed\"]"), [0, 1]);
    assert_eq!(rewritten("extends = [\"com.acme.base.Node\"]"), [0, 1]);
    assert_eq!(rewritten("extends = [\"java.lang.Object\"]"), [1, 2]);
    assert_eq!(rewritten("include = [\"**\"]\nexclude = [\"com.acme.app.L*\"]"), [1, 1]);
}

#[test]
fn nested_archives_are_rewritten_where_they_are_and_keep_their_method() {
    let inner = Zip::of(base()).bytes();
    let mut outer = vec![
        Entry::new("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\nMain-Class: x.Launcher\r\n\r\n"),
        Entry::new("BOOT-INF/lib/stored.jar", inner.clone()).stored(),
        Entry::new("BOOT-INF/lib/deflated.jar", inner),
        Entry::new("BOOT-INF/lib/not-a.jar", "a text"),
    ];
    for mut entry in app() {
        entry.name = [b"BOOT-INF/classes/", &entry.name[..]].concat();
        outer.push(entry);
    }
    let run = Run::new(&[("fat.jar", Zip::of(outer).bytes())], ALL);
    let jar = &run.summary.jars[0];
    assert_eq!((jar.counts.classes_rewritten, jar.counts.nested_archives), (4, 2));
    assert_eq!(jar.warnings, ["BOOT-INF/lib/not-a.jar is left as it is: is not a zip file"]);
    let new = run.output("fat.jar");
    for library in ["BOOT-INF/lib/stored.jar", "BOOT-INF/lib/deflated.jar"] {
        let inner = names(&read(&new, library));
        assert!(inner.iter().any(|name| name.starts_with("com/acme/base/Weighbridge$")), "{inner:?}");
    }
    assert!(names(&new).iter().any(|name| name.starts_with("BOOT-INF/classes/com/acme/app/Weighbridge$")));
    assert!(names(&new).contains(&"io/weighbridge/runtime/Agent.class".to_owned()));
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(&new)).unwrap();
    let method = archive.by_name("BOOT-INF/lib/stored.jar").unwrap().compression();
    assert_eq!(method, zip::CompressionMethod::Stored);
}

#[test]
fn every_version_and_duplicate_of_a_class_is_rewritten_under_one_id() {
    let mut entries = app();
    let mut version = entries[0].clone();
    version.name = [b"META-INF/versions/17/", &version.name[..]].concat();
    entries.push(version);
    entries.push(entries[0].clone());
    let run = Run::new(&[("mr.jar", Zip::of(entries.clone()).bytes())], ALL);
    assert_eq!(run.summary.total.classes_rewritten, 4);
    let table = run.table("mr.jar", "com/acme/app/");
    assert_eq!(table.lines().filter(|line| line.starts_with("class\t")).count(), 2);
}

#[test]
fn a_folder_is_mirrored_with_its_times_and_links() {
    let folder = tempfile::tempdir().unwrap();
    let classes = folder.path().join("classes");
    for entry in app() {
        let path = classes.join(String::from_utf8(entry.name).unwrap());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, entry.content).unwrap();
    }
    fs::write(classes.join("data.txt"), "kept").unwrap();
    let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    fs::File::options().write(true).open(classes.join("data.txt")).unwrap().set_modified(time).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("data.txt", classes.join("link.txt")).unwrap();
    let options = InstrumentOptions::new(InstrumentOutput::Folder(folder.path().join("out")));
    let summary = instrument(&[classes], &Config::parse(ALL).unwrap(), &options, &Silent).unwrap();
    assert_eq!(summary.total.classes_rewritten, 2);
    let out = folder.path().join("out/classes");
    assert_eq!(fs::metadata(out.join("data.txt")).unwrap().modified().unwrap(), time);
    #[cfg(unix)]
    assert_eq!(fs::read_link(out.join("link.txt")).unwrap().to_str(), Some("data.txt"));
    let bridges = fs::read_dir(out.join("com/acme/app")).unwrap();
    let bridges =
        bridges.filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().starts_with("Weighbridge$"));
    assert_eq!(bridges.count(), 1);
}

#[test]
fn the_runtime_goes_into_the_executable_jar_that_names_a_rewritten_one() {
    let manifest = "Manifest-Version: 1.0\r\nMain-Class: x.Main\r\nClass-Path: lib/base.jar other.jar\r\n\r\n";
    let launcher = Zip::of(vec![Entry::new("META-INF/MANIFEST.MF", manifest)]).bytes();
    let run = Run::new(&[("launcher.jar", launcher), ("base.jar", Zip::of(base()).bytes())], ALL);
    assert!(run.summary.jars[0].carries_runtime);
    assert!(!run.summary.jars[1].carries_runtime);
}

#[test]
fn patterns_and_fields_that_match_nothing_are_reported() {
    let config = "version = 1\n[instrument]\ninclude = [\"com.acme.app.**\", \"nothing.*\"]\nexclude = [\"no.Such\"]\n\
                  annotated = [\"no.Annotation\"]\nextends = [\"no.Base\"]\n[[target]]\nclass = \"com.acme.app.Leaf\"\n\
                  fields = [\"text\", \"txet\"]\n[[target]]\nclass = \"no.Target\"\n[components]\nempty = [\"no.**\"]";
    let run = Run::new(&[("app.jar", Zip::of(app()).bytes())], config);
    let warnings = [&run.summary.warnings[..], &run.summary.jars[0].warnings[..]].concat();
    insta::assert_snapshot!(warnings.join("\n"));
}
