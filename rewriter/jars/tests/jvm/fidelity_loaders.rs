//! The loader of a rewritten class finds its bridge, and accepts the jar: named modules, OSGi bundles, signed jars, jars
//! found through an index. docs/fidelity.md lists the rules and their tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::craft::{Entry, Zip};
use crate::program::{Run, app, base, entries, executable, find, names, read};
use weighbridge_tests::classes::{Classes, compiled};
use weighbridge_tests::{Jdk, java, jdks, jdks_from, root, run, verify_everything};

const ALL: &str = "version = 1\n[instrument]\ninclude = [\"**\"]";

/// A folder with programs and a replacement of the runtime that prints the calls of the probes.
fn with_sink(programs: &Classes) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in compiled("sink").iter().chain(programs) {
        let file = folder.path().join(format!("{name}.class"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }
    folder
}

/// Compiles `tests/java/<name>` against jars.
fn compile_against(name: &str, path: &[PathBuf]) -> Classes {
    let folder = tempfile::tempdir().unwrap();
    let path = std::env::join_paths(path).unwrap();
    let sources = root().join("tests/java").join(name);
    let arguments = ["-Xlint:none", "-cp", path.to_str().unwrap()];
    weighbridge_jdk::to_build_with().compile(&[&sources], &folder.path().join("classes"), &arguments);
    let files = fs::read_dir(folder.path().join("classes")).unwrap().map(|file| file.unwrap().path());
    files.map(|file| (file.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read(file).unwrap())).collect()
}

fn users() -> Classes {
    compile_against("users", &["lucene-core", "jackson-core", "bcprov-jdk18on"].map(weighbridge_tests::jar))
}

fn finished(jdk: &Jdk, command: &mut Command) -> String {
    let output = run(command);
    assert!(output.success() && output.stderr.is_empty(), "Java {}: {output}", jdk.version);
    output.stdout
}

/// Runs a main class with the sink, and a jar as a named module.
fn in_module(jdk: &Jdk, sink: &Path, jar: &Path, module: &str, main: &str) -> String {
    let mut command = java(jdk);
    command.args(verify_everything(jdk)).arg("-cp").arg(sink).arg("--module-path").arg(jar);
    finished(jdk, command.args(["--add-modules", module, "Sink", main]))
}

#[test]
fn a_class_of_a_named_module_finds_its_bridge_in_a_package_that_the_module_lists() {
    let folder = tempfile::tempdir().unwrap();
    let jdk = weighbridge_jdk::to_build_with();
    let (classes, jar) = (folder.path().join("classes"), folder.path().join("mod.jar"));
    let sources = root().join("tests/java/module");
    jdk.compile(&[&sources], &classes, &[]);
    // The tool writes ModulePackages and ModuleMainClass into module-info.
    finished(
        &jdk,
        Command::new(jdk.tool("jar")).arg("-cfe").arg(&jar).arg("com.acme.mod.Main").arg("-C").arg(&classes).arg("."),
    );
    let original = fs::read(&jar).unwrap();
    let weighed = Run::new(&[("mod.jar", original.clone())], ALL);
    let new = weighed.output("mod.jar");
    assert!(read(&new, "module-info.class") == read(&original, "module-info.class"));
    assert!(!weighed.summary.jars[0].carries_runtime, "a module's packages are those that it lists");
    let bridge = names(&new).into_iter().find(|name| name.contains("Weighbridge$")).unwrap();
    assert!(bridge.starts_with("com/acme/mod/Weighbridge$"), "{bridge}");
    let sink = with_sink(&Classes::new());
    let jar = weighed.folder().join("out/mod.jar");
    for jdk in jdks() {
        let said = in_module(jdk, sink.path(), &jar, "com.acme.mod", "com.acme.mod.Main");
        assert!(said.starts_with("part of com.acme.mod\n"), "{said}");
        assert!(said.contains("live com.acme.mod.Part 1001 x1\n"), "{said}");
        // As users start it: without a runtime, with only the module on the module path.
        let mut alone = java(jdk);
        alone.args(verify_everything(jdk)).arg("--module-path").arg(&jar).args(["-m", "com.acme.mod"]);
        assert_eq!(finished(jdk, &mut alone), "part of com.acme.mod\n");
    }
}

#[test]
fn real_modules_run_as_named_modules_and_reach_the_runtime() {
    let sink = with_sink(&users());
    for (artifact, module, main, class) in [
        ("lucene-core", "org.apache.lucene.core", "UsesLucene", "org.apache.lucene.document.Document"),
        // Its module-info and the classes of its number parser are in META-INF/versions.
        ("jackson-core", "com.fasterxml.jackson.core", "UsesJackson", "com.fasterxml.jackson.core.JsonFactory"),
    ] {
        let original = weighbridge_tests::jar(artifact);
        let weighed = Run::new(&[("module.jar", fs::read(&original).unwrap())], ALL);
        let jar = weighed.folder().join("out/module.jar");
        for jdk in jdks() {
            let before = in_module(jdk, sink.path(), &original, module, main);
            let after = in_module(jdk, sink.path(), &jar, module, main);
            assert!(before.ends_with(&format!("of module {module}\n")), "{before}");
            assert!(after.starts_with(&before), "Java {}: {after}", jdk.version);
            assert!(after.contains(&format!("live {class} ")), "Java {}: {after}", jdk.version);
        }
    }
}

/// Starts bundles in a framework and makes an object of a class of the last one; returns the output.
fn in_framework(jdk: &Jdk, sink: &Path, bundles: &[PathBuf], class: &str) -> String {
    let temporary = tempfile::tempdir().unwrap();
    let path = [sink.to_owned(), weighbridge_tests::jar("org.apache.felix.framework")];
    let mut command = java(jdk);
    command.args(verify_everything(jdk)).arg("-cp").arg(std::env::join_paths(path).unwrap());
    command.arg(format!("-Djava.io.tmpdir={}", temporary.path().display()));
    command
        .arg(format!("-Dbundles={}", std::env::join_paths(bundles).unwrap().display()))
        .arg(format!("-Dtype={class}"))
        .args(["Sink", "Bundles"]);
    let output = run(&mut command);
    // Because of Felix, newer Javas warn on standard error.
    assert!(output.success(), "Java {}: {output}", jdk.version);
    output.stdout
}

#[test]
fn a_bundle_that_imports_nothing_reaches_the_runtime_through_its_bridge() {
    let manifest = "Manifest-Version: 1.0\r\nBundle-ManifestVersion: 2\r\nBundle-SymbolicName: com.acme\r\n\
                    Bundle-Version: 1.0.0\r\nExport-Package: com.acme.app\r\n\r\n";
    let crafted = Zip::of(entries(&[vec![Entry::new("META-INF/MANIFEST.MF", manifest)], app(), base()])).bytes();
    let real = fs::read(weighbridge_tests::jar("jackson-core")).unwrap();
    let sink = with_sink(&compile_against("osgi", &[weighbridge_tests::jar("org.apache.felix.framework")]));
    for (bundle, symbolic_name, class) in [
        (crafted, "com.acme", "com.acme.app.Leaf"),
        (real, "com.fasterxml.jackson.core.jackson-core", "com.fasterxml.jackson.core.JsonFactory"),
    ] {
        let weighed = Run::new(&[("bundle.jar", bundle.clone())], ALL);
        let new = weighed.output("bundle.jar");
        assert!(read(&new, "META-INF/MANIFEST.MF") == read(&bundle, "META-INF/MANIFEST.MF"), "no import is added");
        for jdk in jdks_from(11) {
            let said = in_framework(jdk, sink.path(), &[weighed.folder().join("out/bundle.jar")], class);
            assert!(said.contains(&format!("made {class} of {symbolic_name}\n")), "Java {}: {said}", jdk.version);
            assert!(said.contains(&format!("live {class} ")), "Java {}: {said}", jdk.version);
        }
    }
}

/// A manifest of a bundle that exports one package, with more headers.
fn bundle_manifest(name: &str, exported: &str, more: &str) -> Entry {
    let manifest = format!(
        "Manifest-Version: 1.0\r\nBundle-ManifestVersion: 2\r\nBundle-SymbolicName: {name}\r\n\
         Export-Package: {exported}\r\n{more}\r\n"
    );
    Entry::new("META-INF/MANIFEST.MF", manifest)
}

#[test]
fn a_bundle_that_imports_packages_it_has_finds_its_bridge_in_one_that_it_does_not_import() {
    let sink = with_sink(&compile_against("osgi", &[weighbridge_tests::jar("org.apache.felix.framework")]));
    let api = Zip::of(entries(&[vec![bundle_manifest("api", "com.acme.base", "")], base()])).bytes();
    for (imports, package) in [
        ("com.acme.base;version=\"[0,2)\"", "com/acme/app/Weighbridge$"),
        ("com.acme.base;resolution:=optional,com.acme.app", "weighbridge_"),
    ] {
        let manifest = bundle_manifest("app", "com.acme.app", &format!("Import-Package: {imports}\r\n"));
        // Otherwise the bridge would be in the package of the first class.
        let bundle = Zip::of(entries(&[vec![manifest], base(), app()])).bytes();
        let weighed = Run::new(&[("api.jar", api.clone()), ("bundle.jar", bundle)], ALL);
        let bridge =
            names(&weighed.output("bundle.jar")).into_iter().find(|name| name.contains("Weighbridge$")).unwrap();
        assert!(bridge.starts_with(package), "{bridge}");
        let bundles = ["out/api.jar", "out/bundle.jar"].map(|jar| weighed.folder().join(jar));
        for jdk in jdks_from(11) {
            let said = in_framework(jdk, sink.path(), &bundles, "com.acme.app.Leaf");
            assert!(said.contains("made com.acme.app.Leaf of app\n"), "Java {}: {said}", jdk.version);
            assert!(said.contains("live com.acme.app.Leaf "), "Java {}: {said}", jdk.version);
        }
    }
}

#[test]
fn a_bundle_that_imports_all_it_has_and_is_a_module_that_lists_its_packages_is_left_alone() {
    let module = Entry::new("module-info.class", "an attribute ModulePackages");
    let manifest = bundle_manifest("api", "com.acme.base", "Import-Package: com.acme.base\r\n");
    let bundle = Zip::of(entries(&[vec![manifest, module], base()])).bytes();
    let weighed = Run::new(&[("api.jar", bundle.clone())], ALL);
    assert!(weighed.output("api.jar") == bundle);
    let skipped = &weighed.summary.jars[0].skipped;
    let node = skipped.iter().find(|class| class.class == "com.acme.base.Node").unwrap();
    assert!(node.reason.starts_with("its jar is a bundle that imports each"), "{skipped:?}");
}

#[test]
fn a_jar_signed_here_keeps_its_bytes_without_a_match_and_runs_unsigned_with_one() {
    let jdk = weighbridge_jdk::to_build_with();
    let folder = tempfile::tempdir().unwrap();
    let (store, jar) = (folder.path().join("store"), folder.path().join("app.jar"));
    fs::write(&jar, executable()).unwrap();
    let key = ["-storepass", "changeit", "-alias", "acme"];
    let mut keytool = Command::new(jdk.tool("keytool"));
    keytool.args(["-genkeypair", "-keyalg", "EC", "-dname", "CN=acme", "-keystore"]).arg(&store).args(key);
    assert!(run(&mut keytool).success());
    let signer = || Command::new(jdk.tool("jarsigner"));
    let signed = run(signer().arg("-keystore").arg(&store).args(["-storepass", "changeit"]).arg(&jar).arg("acme"));
    assert!(signed.success(), "{signed}");
    let original = fs::read(&jar).unwrap();
    assert!(names(&original).contains(&"META-INF/ACME.SF".to_owned()), "{:?}", names(&original));

    let untouched =
        Run::new(&[("app.jar", original.clone())], "version = 1\n[instrument]\ninclude = [\"org.other.*\"]");
    assert!(untouched.output("app.jar") == original);
    let weighed = Run::new(&[("app.jar", original)], "version = 1\n[instrument]\ninclude = [\"com.acme.**\"]");
    assert_eq!(
        weighed.summary.jars[0].warnings,
        ["it was signed: its 2 signature files and digests are removed, because classes changed"]
    );
    let jar = weighed.folder().join("out/app.jar");
    let verdict = run(signer().arg("-verify").arg(&jar));
    assert!(verdict.stdout.contains("jar is unsigned."), "{verdict}");
    let mut command = java(&jdk);
    command.args(verify_everything(&jdk)).arg("-Dweighbridge.output=none").arg("-jar").arg(&jar).arg("x");
    assert_eq!(finished(&jdk, &mut command), "leaf 7 of 7, leaf 1 of 1, main\n");
}

/// Signs a jar with a new key.
fn sign(jar: &Path, store: &Path) {
    let jdk = weighbridge_jdk::to_build_with();
    if !store.exists() {
        let mut keytool = Command::new(jdk.tool("keytool"));
        keytool.args(["-genkeypair", "-keyalg", "EC", "-dname", "CN=acme", "-storepass", "changeit", "-alias", "acme"]);
        assert!(run(keytool.arg("-keystore").arg(store)).success());
    }
    let mut signer = Command::new(jdk.tool("jarsigner"));
    let signed = run(signer.arg("-keystore").arg(store).args(["-storepass", "changeit"]).arg(jar).arg("acme"));
    assert!(signed.success(), "{signed}");
}

#[test]
fn signed_jars_that_share_a_package_lose_their_signatures_together() {
    let folder = tempfile::tempdir().unwrap();
    let (leaf, rest): (Vec<Entry>, Vec<Entry>) =
        app().into_iter().partition(|class| class.name.ends_with(b"/Leaf.class"));
    let mut inputs = Vec::new();
    for (name, classes) in [("leaf.jar", leaf), ("main.jar", rest), ("base.jar", base())] {
        let jar = folder.path().join(name);
        fs::write(&jar, Zip::of(classes).bytes()).unwrap();
        sign(&jar, &folder.path().join("store"));
        inputs.push((name, fs::read(&jar).unwrap()));
    }
    let weighed = Run::new(&inputs, "version = 1\n[instrument]\ninclude = [\"com.acme.app.Leaf\"]");
    let said: Vec<&[String]> = weighed.summary.jars.iter().map(|jar| &jar.warnings[..]).collect();
    let removed = "it was signed: its 2 signature files and digests are removed";
    assert_eq!(said[0], [format!("{removed}, because classes changed")]);
    let with = "because leaf.jar lost its own and has classes of the same packages";
    assert_eq!(said[1], [format!("{removed}, {with}")]);
    assert!(said[2].is_empty() && weighed.output("base.jar") == inputs[2].1);
    assert_eq!(weighed.summary.jars.iter().map(|jar| jar.changed).collect::<Vec<_>>(), [true, true, false]);
    let danger = weighed.summary.hints.iter().find(|hint| hint.contains("signer information")).unwrap();
    assert!(danger.starts_with("leaf.jar, main.jar lost the signature: "), "{danger}");
    for jdk in jdks() {
        let run_with = |folders: [&str; 3]| {
            let path = std::env::join_paths(folders.map(|file| weighed.folder().join(file))).unwrap();
            let mut command = java(jdk);
            run(command.args(verify_everything(jdk)).arg("-cp").arg(path).args(["com.acme.app.Main", "x"]))
        };
        let together = run_with(["out/leaf.jar", "out/main.jar", "out/base.jar"]);
        assert_eq!(together.stdout, "leaf 7 of 7, leaf 1 of 1, main\n", "Java {}: {together}", jdk.version);
        // The case of the warning.
        let apart = run_with(["out/leaf.jar", "main.jar", "base.jar"]);
        assert!(apart.stderr.contains("SecurityException"), "Java {}: {apart}", jdk.version);
    }
}

#[test]
fn a_jar_that_its_authors_signed_loads_unsigned_once_a_class_changed() {
    let sink = with_sink(&users());
    let config = "version = 1\n[instrument]\ninclude = [\"org.bouncycastle.util.Arrays$Iterator\"]";
    let original = weighbridge_tests::jar("bcprov-jdk18on");
    let weighed = Run::new(&[("bc.jar", fs::read(&original).unwrap())], config);
    for jdk in jdks() {
        let said = |jar: &Path| {
            let mut command = java(jdk);
            let path = std::env::join_paths([sink.path(), jar]).unwrap();
            command.args(verify_everything(jdk)).arg("-cp").arg(path).args(["Sink", "UsesBouncyCastle"]);
            finished(jdk, &mut command)
        };
        assert_eq!(said(&original), "onetwo\nsigned\n");
        let after = said(&weighed.folder().join("out/bc.jar"));
        assert!(after.starts_with("onetwo\nunsigned\n"), "{after}");
        assert!(after.contains("live org.bouncycastle.util.Arrays$Iterator 1000 x1\n"), "{after}");
    }
}

#[test]
fn an_index_and_a_class_path_lead_to_the_rewritten_jars() {
    let jdk = weighbridge_jdk::to_build_with();
    let folder = tempfile::tempdir().unwrap();
    let manifest = "Manifest-Version: 1.0\r\nMain-Class: com.acme.app.Main\r\nClass-Path: base.jar\r\n\r\n";
    let launcher = Zip::of(entries(&[vec![Entry::new("META-INF/MANIFEST.MF", manifest)], app()])).bytes();
    fs::write(folder.path().join("base.jar"), Zip::of(base()).bytes()).unwrap();
    fs::write(folder.path().join("launcher.jar"), launcher).unwrap();
    let indexed = run(Command::new(jdk.tool("jar")).args(["-i", "launcher.jar"]).current_dir(folder.path()));
    assert!(indexed.success(), "{indexed}");
    let original = fs::read(folder.path().join("launcher.jar")).unwrap();
    let inputs = [("launcher.jar", original.clone()), ("base.jar", Zip::of(base()).bytes())];
    let weighed = Run::new(&inputs, "version = 1\n[instrument]\ninclude = [\"com.acme.**\"]");
    let index = read(&weighed.output("launcher.jar"), "META-INF/INDEX.LIST");
    assert!(index == read(&original, "META-INF/INDEX.LIST"));
    assert!(find(&index, b"com/acme/base").is_some(), "{}", String::from_utf8_lossy(&index));
    // Java 11 and 17 look up by the index, later ones no longer.
    for jdk in jdks() {
        let mut command = java(jdk);
        command.args(verify_everything(jdk)).arg("-Dweighbridge.output=none").arg("-jar");
        command.arg(weighed.folder().join("out/launcher.jar")).arg("x");
        assert_eq!(finished(jdk, &mut command), "leaf 7 of 7, leaf 1 of 1, main\n");
    }
}
