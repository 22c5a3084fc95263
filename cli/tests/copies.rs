//! Each copy that `clone()` makes is counted once, whichever class of a hierarchy makes it and whoever asks for it; or the class
//! is not called exact. The hierarchies are made at random.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use weighbridge_tests::{Jdk, Weighbridge, java, jdks, native_agent, run, verify_everything};

const HIERARCHIES: usize = 30;
const SELECTED: &str = "com.acme.kept";
const OTHERS: &str = "com.acme.plug";

/// The superclass of a hierarchy's topmost class, the type of its `clone()`, and what that throws.
const BASES: [[&str; 3]; 6] = [
    ["Object", "Object", "throws CloneNotSupportedException"],
    ["Object", "Object", "throws CloneNotSupportedException"],
    ["java.util.ArrayList<Object>", "Object", ""],
    ["java.util.HashMap<Object, Object>", "Object", ""],
    ["java.util.GregorianCalendar", "Object", ""],
    ["java.util.ArrayDeque<Object>", "java.util.ArrayDeque<Object>", ""],
];

/// Counts what is made: each object counts for the nearest class of the package that is selected.
const TALLY: &str = r#"package com.acme.plug;

import java.util.Map;
import java.util.TreeMap;

public final class Tally {
    private static final Map<String, Integer> MADE = new TreeMap<>();
    private static Object last;

    public static void constructed(Object o) {
        last = o;
        for (Class<?> c = o.getClass(); c != null; c = c.getSuperclass()) {
            if (c.getName().startsWith("com.acme.kept.")) {
                MADE.merge(c.getName(), 1, Integer::sum);
                return;
            }
        }
    }

    public static void before() {
        last = null;
    }

    public static void after(Object original, Object copy) {
        if (copy != original && copy != last) {
            constructed(copy);
        }
    }

    public static void print() {
        MADE.forEach((name, made) -> System.out.println(name + " " + made));
    }
}
"#;

/// A generator (SplitMix64); a failing test names its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ bits >> 31) % bound as u64) as usize
    }

    fn is(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

/// How a class makes copies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Override {
    None,
    Super,
    /// It constructs an object.
    Constructs,
}

/// The sources of a program, and what uses its classes.
#[derive(Default)]
struct Sources {
    files: BTreeMap<String, String>,
    /// Calls, each with a turn of its own.
    uses: Vec<String>,
}

impl Sources {
    fn add(&mut self, class: &str, text: String) {
        self.files.insert(class.to_owned(), text);
    }

    /// `hostile`: classes that are not selected make copies by code of their own.
    fn hierarchy(&mut self, number: usize, random: &mut Random, hostile: bool) {
        let [base, result, throws] = BASES[random.below(BASES.len())];
        let (mut above, mut methods) = (base.to_owned(), Vec::new());
        let mut chain = Vec::new();
        let mut is_public = base != "Object";
        for level in 0..=random.below(4) {
            let is_selected = !random.is(3);
            let package = if is_selected { SELECTED } else { OTHERS };
            let name = format!("H{number}L{level}");
            let may_copy = is_selected || hostile;
            let overrides = match random.below(5) {
                0 | 1 if may_copy => Override::Super,
                2 if may_copy => Override::Constructs,
                _ => Override::None,
            };
            is_public |= overrides != Override::None;
            let mut body = String::new();
            match overrides {
                Override::None => {}
                Override::Super => {
                    writeln!(body, "@Override public {result} clone() {throws} {{ return super.clone(); }}").unwrap();
                }
                Override::Constructs => {
                    writeln!(body, "@Override public {result} clone() {throws} {{ return new {name}(); }}").unwrap();
                }
            }
            if may_copy && random.is(2) {
                let called = if random.is(2) { "this" } else { "super" };
                let method = format!("copy{level}");
                writeln!(body, "public Object {method}() throws Exception {{ return {called}.clone(); }}").unwrap();
                methods.push(method);
            }
            // The topmost constructor runs for all objects.
            let tally = if level == 0 { "com.acme.plug.Tally.constructed(this);" } else { "" };
            let implements = if level == 0 { "implements Cloneable" } else { "" };
            let text = format!(
                "package {package};\npublic class {name} extends {above} {implements} {{\n\
                 public {name}() {{ {tally} }}\n{body}}}\n"
            );
            above = format!("{package}.{name}");
            self.add(&above, text);
            chain.push((above.clone(), is_public, methods.clone()));
        }
        for (at, (class, _, methods)) in chain.iter().enumerate() {
            let object = format!("{class} x = new {class}();");
            let called = |method: &str| format!("{object} Tally.before(); Tally.after(x, x.{method}());");
            self.uses.extend(methods.iter().map(|method| called(method)));
            // Through variables of its own type and of those above it.
            for (variable, is_public, _) in &chain[..=at] {
                if *is_public {
                    self.uses.push(format!("{object} {variable} y = x; Tally.before(); Tally.after(x, y.clone());"));
                }
            }
            if base != "Object" {
                self.uses.push(format!("{object} {base} y = x; Tally.before(); Tally.after(x, y.clone());"));
            }
        }
    }

    /// A class that uses the others.
    fn user(&mut self, package: &str, name: &str) {
        let mut text = format!("package {package};\nimport com.acme.plug.Tally;\npublic class {name} {{\n");
        for (number, one) in self.uses.iter().enumerate() {
            writeln!(text, "static void use{number}() throws Exception {{ {one} }}").unwrap();
        }
        writeln!(text, "public static void run() throws Exception {{").unwrap();
        for number in 0..self.uses.len() {
            writeln!(text, "use{number}();").unwrap();
        }
        writeln!(text, "}}\n}}").unwrap();
        self.add(&format!("{package}.{name}"), text);
    }

    /// Compiles all into a folder.
    fn compile(&self, folder: &Path) -> PathBuf {
        let sources = folder.join("sources");
        for (class, text) in &self.files {
            let file = sources.join(format!("{}.java", class.replace('.', "/")));
            fs::create_dir_all(file.parent().expect("a package")).expect("the folder");
            fs::write(file, text).expect("the source");
        }
        let classes = folder.join("classes");
        weighbridge_jdk::to_build_with().compile(&[&sources], &classes, &["-Xlint:none"]);
        classes
    }
}

/// The program of a seed.
fn program(seed: u64, hostile: bool, folder: &Path) -> PathBuf {
    let mut random = Random(seed);
    let mut sources = Sources::default();
    (0..HIERARCHIES).for_each(|number| sources.hierarchy(number, &mut random, hostile));
    sources.add("com.acme.plug.Tally", TALLY.to_owned());
    sources.user(SELECTED, "Inside");
    sources.user(OTHERS, "Outside");
    let outside = if hostile { "Outside.run();" } else { "" };
    let main = format!(
        "package com.acme.plug;\npublic class Main {{ public static void main(String[] args) throws Exception {{\n\
         for (int i = 0; i < 3; i++) {{ com.acme.kept.Inside.run(); {outside} }}\nTally.print();\n}} }}\n"
    );
    sources.add("com.acme.plug.Main", main);
    sources.compile(folder)
}

/// How it is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Host {
    /// Its selected classes were rewritten.
    Rewritten,
    /// The native agent, with a runtime of its own.
    Native,
    /// The native agent beside the runtime of the rewritten classes.
    Beside,
}

struct Setting {
    folder: tempfile::TempDir,
    weighbridge: Weighbridge,
    classes: PathBuf,
}

impl Setting {
    fn new(seed: u64, hostile: bool) -> Setting {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let classes = program(seed, hostile, folder.path());
        let config = folder.path().join("weighbridge.toml");
        let text = format!("version = 1\n[instrument]\ninclude = [\"{SELECTED}.**\"]\n");
        fs::write(&config, text).expect("the configuration");
        let weighbridge = Weighbridge::new(env!("CARGO_BIN_EXE_weighbridge"));
        weighbridge.instrument(&[&classes], &config, &folder.path().join("weighed"));
        Setting { folder, weighbridge, classes }
    }

    /// What the program has made, by class, and the rows of the report.
    fn run(&self, jdk: &Jdk, host: Host) -> (BTreeMap<String, u64>, BTreeMap<String, Value>) {
        let path = |name: &str| self.folder.path().join(name);
        let recording = path(&format!("{host:?}-{}.wbr", jdk.major));
        let (config, runtime) = (path("weighbridge.toml"), path("weighed/weighbridge-runtime.jar"));
        let native = format!(
            "-agentpath:{}=config={},destfile={}",
            native_agent().display(),
            config.display(),
            recording.display()
        );
        let mut command = java(jdk);
        command.args(verify_everything(jdk)).arg("-cp");
        match host {
            Host::Rewritten => command.arg(path("weighed/classes")).arg(format!(
                "-javaagent:{}=destfile={}",
                runtime.display(),
                recording.display()
            )),
            Host::Native => command.arg(&self.classes).arg(native),
            Host::Beside => {
                command.arg(std::env::join_paths([path("weighed/classes"), runtime]).expect("a class path")).arg(native)
            }
        };
        let output = run(command.arg("com.acme.plug.Main"));
        assert!(output.success() && output.stderr.is_empty(), "Java {} {host:?}: {output}", jdk.version);
        let made = output.stdout.lines().map(|line| {
            let (name, number) = line.split_once(' ').expect("a class and a number");
            (name.to_owned(), number.parse().expect("a number"))
        });
        let report = self.weighbridge.report(&recording);
        let rows = report["classes"].as_array().expect("classes").iter();
        let rows = rows.map(|row| (row["class"].as_str().expect("a name").to_owned(), row.clone()));
        (made.collect(), rows.collect())
    }
}

/// Each class is right, or it is not exact and there is a reason; gives how many are right and exact.
fn compare(setting: &Setting, jdk: &Jdk, host: Host, all: bool, context: &str) -> usize {
    let (made, mut rows) = setting.run(jdk, host);
    let mut exact = 0;
    for (class, made) in &made {
        let row = rows.remove(class).unwrap_or_else(|| panic!("{context}: no row of {class}"));
        let is_right = row["allocated"] == *made;
        assert!(is_right || !all, "{context}: {class} has {made}: {row:#}");
        assert!(is_right || row["exact"] == false, "{context}: {class} has {made}, and is called exact: {row:#}");
        if row["exact"] == true {
            exact += 1;
        } else {
            assert_eq!(row["sampled_for"], serde_json::json!(["copies"]), "{context}: {class}: {row:#}");
        }
    }
    assert!(rows.values().all(|row| row["class"].as_str().is_some_and(|name| name.ends_with(".Inside"))), "{rows:#?}");
    exact
}

const SEEDS: [u64; 3] = [1, 2, 3];

#[test]
fn every_copy_is_counted_once_if_the_code_that_asks_for_it_is_selected() {
    for seed in SEEDS {
        let setting = Setting::new(seed, false);
        for jdk in jdks() {
            for host in [Host::Rewritten, Host::Native, Host::Beside] {
                let context = format!("seed {seed}, Java {} {host:?}", jdk.version);
                let exact = compare(&setting, jdk, host, true, &context);
                assert!(exact > 5, "{context}: only {exact} are exact");
            }
        }
    }
}

#[test]
fn the_agent_counts_each_copy_whoever_makes_it_and_a_rewritten_class_is_not_exact_if_some_may_be_missed() {
    for seed in SEEDS {
        let setting = Setting::new(seed, true);
        for jdk in jdks() {
            for host in [Host::Rewritten, Host::Native, Host::Beside] {
                let context = format!("seed {seed}, hostile, Java {} {host:?}", jdk.version);
                let exact = compare(&setting, jdk, host, host == Host::Native, &context);
                assert!(exact > 3, "{context}: only {exact} are exact");
            }
        }
    }
}
