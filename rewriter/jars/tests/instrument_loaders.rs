//! Classes that a loader or a JVM would refuse if rewritten stay as they are: packages of the JDK, data that looks like a
//! jar, jars that check themselves, folders with earlier outputs.

mod craft;
mod program;

use std::fs;
use std::path::Path;

use craft::{Entry, Zip};
use program::{Run, app, base, entries, executable, names, read};
use weighbridge_config::Config;
use weighbridge_rewriter::JarErrorKind;
use weighbridge_rewriter::instrument::{InstrumentOptions, InstrumentOutput, InstrumentSummary, Silent, instrument};

const ALL: &str = "version = 1\n[instrument]\ninclude = [\"**\"]";

fn holds_bridge(jar: &[u8]) -> bool {
    names(jar).iter().any(|name| name.contains("Weighbridge$"))
}

fn folder(input: &Path, output: &Path) -> weighbridge_rewriter::Result<InstrumentSummary> {
    let config = Config::parse(ALL).unwrap();
    instrument(
        &[input.to_owned()],
        &config,
        &InstrumentOptions::new(InstrumentOutput::Folder(output.to_owned())),
        &Silent,
    )
}

/// The classes of `com/acme/base` as if they were of a package of the JDK; both names have the same length.
fn of_the_jdk() -> Vec<Entry> {
    let mut classes = base();
    for class in &mut classes {
        for bytes in [&mut class.name, &mut class.content] {
            while let Some(at) = program::find(bytes, b"com/acme/base/") {
                bytes[at..at + 14].copy_from_slice(b"java/acme/bas/");
            }
        }
    }
    classes
}

#[test]
fn no_bridge_is_put_into_a_package_that_only_the_jdk_may_define() {
    let run = Run::new(&[("lib.jar", Zip::of(entries(&[of_the_jdk(), app()])).bytes())], ALL);
    let new = run.output("lib.jar");
    let bridge = names(&new).into_iter().find(|name| name.contains("Weighbridge$")).unwrap();
    assert!(bridge.starts_with("com/acme/app/Weighbridge$"), "{bridge}");
    let skipped = run.summary.jars[0].skipped.iter().find(|skipped| skipped.class == "java.acme.bas.Node").unwrap();
    assert_eq!(&*skipped.reason, "only the JDK may define classes of its package");
    assert!(!skipped.harmless);
}

#[test]
fn a_jar_that_is_a_module_on_newer_javas_only_does_not_get_the_runtimes_packages() {
    let manifest = "Manifest-Version: 1.0\r\nMain-Class: com.acme.app.Main\r\nMulti-Release: true\r\n\r\n";
    let module = Entry::new("META-INF/versions/9/module-info.class", "only its path counts here");
    let all = entries(&[vec![Entry::new("META-INF/MANIFEST.MF", manifest), module], app(), base()]);
    let run = Run::new(&[("mod.jar", Zip::of(all).bytes())], ALL);
    assert!(run.summary.total.classes_rewritten > 0);
    assert!(!run.summary.jars[0].carries_runtime);
    assert!(!names(&run.output("mod.jar")).iter().any(|name| name.starts_with("io/weighbridge/")));
}

#[test]
fn a_jar_that_is_data_keeps_its_bytes_unless_all_are_asked_for() {
    let template = Zip::of(base()).bytes();
    let outer = || {
        let data = Entry::new("templates/gradle-wrapper.jar", template.clone());
        Zip::of(entries(&[app(), vec![data, Entry::new("BOOT-INF/lib/base.jar", template.clone())]])).bytes()
    };
    let run = Run::new(&[("tool.jar", outer())], ALL);
    let new = run.output("tool.jar");
    assert!(read(&new, "templates/gradle-wrapper.jar") == template);
    assert!(holds_bridge(&read(&new, "BOOT-INF/lib/base.jar")));
    let warnings = &run.summary.jars[0].warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].starts_with("1 of the archives in it, first templates/gradle-wrapper.jar, are left"),
        "{warnings:?}"
    );
    let all = Run::new(&[("tool.jar", outer())], &format!("{ALL}\nnested = \"all\""));
    assert!(holds_bridge(&read(&all.output("tool.jar"), "templates/gradle-wrapper.jar")));
}

#[test]
fn a_class_path_in_an_archive_leads_to_the_archives_beside() {
    let manifest = "Manifest-Version: 1.0\r\nClass-Path: ../shared/base.jar\r\n\r\n";
    let module = Zip::of(entries(&[vec![Entry::new("META-INF/MANIFEST.MF", manifest)], app()])).bytes();
    let descriptor = "<application><module><ejb>ejb/app.jar</ejb></module></application>";
    let library = Zip::of(base()).bytes();
    let outer = Zip::of(vec![
        Entry::new("META-INF/application.xml", descriptor),
        Entry::new("ejb/app.jar", module),
        Entry::new("shared/base.jar", library.clone()),
        Entry::new("data/base.jar", library.clone()),
    ]);
    let run = Run::new(&[("app.ear", outer.bytes())], ALL);
    let new = run.output("app.ear");
    let rewritten: Vec<String> = names(&new).into_iter().filter(|name| name.ends_with(".jar")).collect();
    let rewritten: Vec<&String> = rewritten.iter().filter(|name| holds_bridge(&read(&new, name))).collect();
    assert_eq!(rewritten, ["ejb/app.jar", "shared/base.jar"]);
}

#[test]
fn a_jar_that_checks_its_own_bytes_is_skipped_with_a_reason() {
    let digest = Entry::new("META-INF/HMAC.SHA256", "0123456789abcdef");
    let jar = Zip::of(entries(&[vec![digest], app(), base()])).bytes();
    let run = Run::new(&[("fips.jar", jar.clone())], ALL);
    assert!(run.output("fips.jar") == jar);
    let reasons: Vec<&str> =
        run.summary.jars[0].skipped.iter().filter(|class| !class.harmless).map(|class| &*class.reason).collect();
    assert_eq!(reasons, ["the jar checks its own classes (META-INF/HMAC.SHA256) and would refuse to work"; 3]);
}

#[test]
fn a_folder_that_holds_an_earlier_output_below_it_is_rewritten_and_one_that_is_an_output_is_refused() {
    let temporary = tempfile::tempdir().unwrap();
    let classes = temporary.path().join("classes");
    for class in entries(&[app(), base()]) {
        let file = classes.join(String::from_utf8(class.name).unwrap());
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, class.content).unwrap();
    }
    let earlier = temporary.path().join("earlier");
    folder(&classes, &earlier).unwrap();
    fs::rename(&earlier, classes.join("weighed")).unwrap();
    let jar = Run::new(&[("app.jar", executable())], ALL).output("app.jar");
    fs::write(classes.join("weighed/app.jar"), jar).unwrap();
    let summary = folder(&classes, &temporary.path().join("out")).unwrap();
    assert_eq!(summary.total.classes_rewritten, 3);
    let error = folder(&classes.join("weighed/classes"), &temporary.path().join("again")).unwrap_err();
    assert!(error.to_string().contains("was rewritten by weighbridge before"), "{error}");
}

#[test]
fn an_archive_in_a_deflated_archive_is_inflated_once() {
    let classes: usize = base().iter().map(|class| class.content.len()).sum();
    let inner = Zip::of(base()).bytes();
    let libraries: Vec<Entry> =
        (0..8).map(|index| Entry::new(&format!("WEB-INF/lib/{index}.jar"), inner.clone())).collect();
    let middle = Zip::of(libraries).bytes();
    // Each class is read twice: supertypes decide which are selected.
    let inflated = (middle.len() + 8 * (inner.len() + 2 * classes)) as u64;
    let outer = Zip::of(vec![Entry::new("web.war", middle)]).bytes();
    let config = "version = 1\n[instrument]\nextends = [\"java.lang.Object\"]";
    let run = Run::with(&[("app.ear", outer)], config, |options| options.limits.total_bytes = inflated);
    assert_eq!(run.summary.total.classes_rewritten, 8);
}

#[test]
fn a_configuration_that_selects_nothing_is_an_error_where_a_match_is_required() {
    let temporary = tempfile::tempdir().unwrap();
    let config = "version = 1\n[instrument]\ninclude = [\"org.other.**\"]";
    let required = |options: &mut InstrumentOptions| options.allow_empty = false;
    let error = program::run_in(temporary.path(), &[("app.jar", executable())], config, required).unwrap_err();
    assert_eq!(error.kind(), JarErrorKind::Unmatched);
    let said = "the configuration selects none of 5 classes: instrument.include: \"org.other.**\" matches no class";
    assert_eq!(error.to_string(), said);
    assert!(!temporary.path().join("out").exists());
}
