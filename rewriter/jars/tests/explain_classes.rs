//! `explain` agrees with what a run does, and names the rule.

mod craft;
mod program;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use craft::{Entry, Zip};
use program::{Run, app, base, entries, executable};
use weighbridge_config::Config;
use weighbridge_rewriter::Result;
use weighbridge_rewriter::explain::{Effect, Explanation, explain};
use weighbridge_rewriter::instrument::ArchiveLimits;

const CLASSES: [&str; 5] = [
    "com.acme.app.Leaf",
    "com.acme.app.Main",
    "com.acme.app.Main$Shape",
    "com.acme.base.Node",
    "com.acme.base.Weighed",
];

fn jar(folder: &Path, bytes: &[u8]) -> PathBuf {
    let path = folder.join("app.jar");
    fs::write(&path, bytes).unwrap();
    path
}

fn explained(class: &str, bytes: &[u8], config: &str) -> Result<Explanation> {
    let folder = tempfile::tempdir().unwrap();
    explain(class, &jar(folder.path(), bytes), &Config::parse(config).unwrap(), ArchiveLimits::default())
}

fn only(class: &str, config: &str) -> weighbridge_rewriter::explain::ExplainedCopy {
    let mut explanation = explained(class, &executable(), config).unwrap();
    assert_eq!(explanation.copies.len(), 1);
    explanation.copies.remove(0)
}

#[test]
fn what_is_explained_is_what_a_run_does() {
    let configurations = [
        "version = 1\n[instrument]\ninclude = [\"com.acme.**\"]\n",
        "version = 1\n[instrument]\ninclude = [\"com.acme.**\"]\nexclude = [\"**.Main*\"]\n",
        "version = 1\n[instrument]\nannotated = [\"com.acme.base.Weighed\"]\n",
        "version = 1\n[instrument]\nextends = [\"com.acme.base.Node\"]\n",
        "version = 1\n[instrument]\nextends = [\"java.lang.Object\"]\nexclude = [\"com.acme.base.Node\"]\n",
        "version = 1\n[[target]]\nclass = \"com.acme.base.*\"\ntrack = \"count\"\n",
        "version = 1\n",
    ];
    for config in configurations {
        let run = Run::new(&[("app.jar", executable())], config);
        let mut told = BTreeSet::new();
        let mut skipped = BTreeSet::new();
        for class in CLASSES {
            let copy = only(class, config);
            match copy.effect {
                Effect::Untouched => assert!(!copy.selection.selected),
                Effect::Skipped { reason, .. } => {
                    skipped.insert((class.to_owned(), reason));
                }
                Effect::Rewritten(rewriting) => {
                    told.insert((rewriting.id, class, rewriting.bridge.clone(), rewriting.track));
                }
            }
            assert_eq!(
                copy.selection.selected,
                told.iter().any(|(_, told, ..)| *told == class) || skipped.iter().any(|(name, _)| name == class)
            );
            assert!(!copy.selection.selected || copy.selection.decided_by.is_some(), "{class}: {config}");
        }
        assert_eq!(told.len() as u64, run.summary.total.classes_rewritten, "{config}");
        let of_run: BTreeSet<(String, String)> = run.summary.jars[0]
            .skipped
            .iter()
            .map(|skipped| (skipped.class.clone(), skipped.reason.to_string()))
            .collect();
        assert_eq!(skipped, of_run, "{config}");
        for (id, class, bridge, track) in told {
            let output = run.output("app.jar");
            assert!(program::names(&output).contains(&format!("{bridge}.class")), "{bridge}");
            let package = bridge.split_inclusive('/').filter(|part| part.ends_with('/')).collect::<String>();
            let table = run.table("app.jar", &package);
            let line = table.lines().filter(|line| line.starts_with("class\t")).nth(id as usize).unwrap();
            assert!(format!("{line}\t").starts_with(&format!("class\t{class}\t{track}\t")), "{line}");
        }
    }
}

#[test]
fn the_deciding_rule_is_named_with_its_line_and_the_others_too() {
    let config = "version = 1\n[instrument]\ninclude = [\n  \"org.**\",\n  \"com.acme.app.*\",\n]\nextends = [\"com.acme.base.Node\"]\n[[target]]\nclass = \"**.Leaf\"\nfields = [\"payload\"]\ntrack = \"count\"\n[components]\nfirst = [\"com.acme.base.**\"]\nsecond = [\"com.acme.**\"]\n";
    let copy = only("com.acme.app.Leaf", config);
    let mut rules: Vec<String> = Vec::new();
    let Effect::Rewritten(rewriting) = &copy.effect else { panic!("{copy:?}") };
    let component = rewriting.component.as_ref().map(|component| &component.rule);
    let matched = copy.selection.decided_by.iter().chain(&copy.selection.also);
    for rule in matched.chain(&rewriting.target).chain(component) {
        rules.push(format!("{} {} line {:?} through {:?}", rule.key, rule.pattern, rule.line, rule.through));
    }
    insta::assert_snapshot!("rules", rules.join("\n"));
    let excluded = only("com.acme.app.Leaf", &config.replace("include", "exclude"));
    assert!(!excluded.selection.selected);
    assert_eq!(excluded.selection.decided_by.unwrap().line, Some(5));
}

#[test]
fn the_new_pcs_are_those_of_the_calls_of_the_bridge() {
    let copy = only("com.acme.base.Node", "version = 1\n[instrument]\ninclude = [\"**\"]\n");
    let Effect::Rewritten(rewriting) = copy.effect else { panic!("{copy:?}") };
    for method in &rewriting.methods {
        assert!(!method.before.contains(&rewriting.bridge));
        let after = method.after.as_deref().unwrap();
        let calls = after.lines().filter(|line| line.contains(&rewriting.bridge));
        assert_eq!(calls.count(), method.probes.len());
        for probe in &method.probes {
            let line = |pc: u32| format!("{pc:>5}: ");
            assert!(method.before.contains(&format!("{}return", line(probe.old_pc))), "{}", method.before);
            assert!(after.contains(&format!("{}aload_0", line(probe.new_pc))), "{after}");
        }
    }
}

#[test]
fn every_copy_of_a_class_is_explained() {
    let inner = Zip::of(base()).bytes();
    let versions: Vec<Entry> = base()
        .into_iter()
        .map(|entry| {
            Entry::new(&format!("META-INF/versions/11/{}", String::from_utf8(entry.name).unwrap()), entry.content)
        })
        .collect();
    let outer = Zip::of(entries(&[base(), versions, vec![Entry::new("lib/inner.jar", inner)]])).bytes();
    let config = "version = 1\n[instrument]\nnested = \"all\"\ninclude = [\"**\"]\n";
    let explanation = explained("com.acme.base.Node", &outer, config).unwrap();
    let locations: Vec<&str> = explanation.copies.iter().map(|copy| copy.location.as_str()).collect();
    insta::assert_snapshot!("copies", locations.join("\n"));
}

#[test]
fn an_unknown_class_comes_with_near_names() {
    let error = |class| explained(class, &Zip::of(entries(&[app(), base()])).bytes(), "version = 1\n").unwrap_err();
    let message = |class: &'static str| error(class).message().to_owned();
    let messages = [
        message("com.acme.app.Node"),
        message("com.acme.base.Nod"),
        message("Leaf"),
        message("com.acme.app.*"),
        message("zzz"),
    ];
    insta::assert_snapshot!("near_names", messages.join("\n"));
}
