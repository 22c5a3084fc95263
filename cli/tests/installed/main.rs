//! Each package of a release is installed and used on a machine without Rust. The packages carry the binary of the tests.
#![cfg(target_os = "linux")]

mod machine;

use std::fs;
use std::process::Command;

use machine::{Machine, package, packages};
use serde_json::Value;
use weighbridge_tests::{cache, python, run};
use xtask::dist;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a user does first: asks for the version, and measures a program.
const USE: &str = "
    weighbridge --version
    weighbridge run --config $PKG/weighbridge.toml -- java -Xmx64m -jar $PKG/shop.jar 1 2>&1";

/// The report of the run is that of the program.
#[track_caller]
fn is_right(said: &str) {
    assert!(said.starts_with(&format!("weighbridge {VERSION}\n")), "{said}");
    assert!(said.contains("2000 products, 500 cached pages"), "{said}");
    let products =
        said.lines().find(|line| line.trim_start().starts_with("com.acme.shop.catalog.Product ")).expect(said);
    assert!(products.split_whitespace().skip(1).take(3).eq(["catalogue", "2,000", "2,000"]), "{said}");
}

#[test]
fn the_package_for_debian_brings_the_binary_completions_and_pages_and_goes_without_a_trace() {
    let machine = Machine::new();
    if !machine.is_debian() {
        return;
    }
    let deb = package(".deb");
    machine.must(&format!("dpkg -i $PKG/{deb}"));
    is_right(&machine.must(USE));
    let demo = machine.must("weighbridge demo --dest demo; ls demo");
    assert!(demo.contains("com.acme.shop.web.SessionStore") && demo.contains("report.html"), "{demo}");
    let said = machine.must(
        "bash -c '. /usr/share/bash-completion/completions/weighbridge; COMP_WORDS=(weighbridge he) COMP_CWORD=1
            _weighbridge weighbridge he weighbridge; echo ${COMPREPLY[@]}'
         zsh -c 'autoload -U compinit; compinit -u; echo ${_comps[weighbridge]}'
         fish -c 'complete -C \"weighbridge hea\"' | cut -f1
         for page in /usr/share/man/man1/weighbridge*.1.gz; do man --warnings -l $page 2>&1 >/dev/null; done
         man weighbridge-heap-path | head -1 | cut -d' ' -f1",
    );
    let said: Vec<&str> = said.lines().collect();
    // A warning about a page would be a line more.
    assert_eq!(said, ["heap help", "_weighbridge", "heap", "weighbridge-heap-path(1)"]);
    machine.must("dpkg -r weighbridge; ! find /usr /etc -name '*weighbridge*' | grep .");
}

#[test]
fn the_archive_unpacked_is_installed() {
    let machine = Machine::new();
    let archive = package(".tar.gz");
    machine.must(&format!("tar -xzf $PKG/{archive} --strip-components=1 -C $HOME"));
    let said = machine.must(&format!("PATH=$HOME/bin:$PATH\n{USE}"));
    is_right(&said);
    let list = machine.must("ls share/man/man1 share/doc/weighbridge share/*/*/*weighbridge* share/zsh/site-functions");
    for file in ["weighbridge-heap.1", "LICENSE-MIT", "THIRD-PARTY.txt", "_weighbridge", "weighbridge.fish"] {
        assert!(list.contains(file), "{file} is not in {list}");
    }
}

#[test]
fn the_wheel_is_installed_by_pip_and_leaves_with_it() {
    let machine = Machine::new();
    let wheel = package(".whl");
    // --root-user-action: pip warns of root otherwise.
    let pip = "python3 -m pip --no-cache-dir --disable-pip-version-check";
    machine.must(&format!("PYTHONUSERBASE=$HOME {pip} install --user --no-index --break-system-packages $PKG/{wheel}"));
    is_right(&machine.must(&format!("PATH=$HOME/bin:$PATH\n{USE}")));
    machine.must(&format!(
        "PYTHONUSERBASE=$HOME {pip} uninstall --yes --break-system-packages weighbridge; ! [ -e bin/weighbridge ]"
    ));
}

#[test]
fn the_packages_of_npm_start_the_binary_and_give_its_exit_code() {
    let machine = Machine::new();
    let platform = fs::read_dir(packages()).expect("packages").flatten().map(|entry| entry.file_name());
    let platform =
        platform.filter_map(|name| name.into_string().ok()).find(|name| name.starts_with("weighbridge-linux-"));
    let platform = platform.expect("the package of the platform");
    machine.must(&format!(
        "node $NPM/bin/npm-cli.js install --global --offline --no-audit --no-fund --prefix $HOME \
         $PKG/weighbridge-{VERSION}.tgz $PKG/{platform}"
    ));
    is_right(&machine.must(&format!("PATH=$HOME/bin:$PATH\n{USE}")));
    let wrong = machine.sh("bin/weighbridge report nothing.wbr");
    assert_eq!(wrong.code, Some(3), "{wrong}");
    // 128 and the number of the signal, as without Node.js between.
    let ended = machine.sh(
        "bin/weighbridge run --config $PKG/weighbridge.toml -- java -XshowSettings:vm -jar $PKG/shop.jar 60 >said 2>&1 &
         until grep -q 'VM settings' said; do sleep 0.1; done; kill $!; wait $!",
    );
    assert_eq!(ended.code, Some(143), "{ended}");
    // Without the platform's package it says so.
    let alone = machine.sh("rm -r lib/node_modules/@weighbridge; bin/weighbridge --version");
    assert!(
        alone.code == Some(3) && alone.stderr.starts_with("weighbridge: error: the package @weighbridge/"),
        "{alone}"
    );
}

/// A user without any right, as in docs/kubernetes.md.
const PLAIN: &str =
    "setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all";

#[test]
fn a_sidecar_of_the_same_user_without_capabilities_attaches_to_a_jvm_that_has_another_tmp() {
    let machine = Machine::new();
    if !machine.is_debian() {
        return;
    }
    machine.must(&format!("dpkg -i $PKG/{}; install -d -o 10001 /recordings", package(".deb")));
    let said = machine.must(&format!(
        "unshare --mount --propagation unchanged sh -ec 'mount -t tmpfs none /tmp; exec {PLAIN} java -Xmx64m -jar /mnt/shop.jar 600' &
         jvm=$!; trap 'kill $jvm' EXIT
         until {PLAIN} weighbridge jvms | grep -q \"^ *$jvm .* yes .*shop.jar\"; do kill -0 $jvm; sleep 0.2; done
         {PLAIN} weighbridge attach $jvm --include 'com.acme.**' -o /recordings/shop.wbr &
         until [ -s /recordings/shop.wbr ]; do kill -0 $!; sleep 0.2; done
         {PLAIN} weighbridge detach $jvm >/dev/null; wait $!; weighbridge report /recordings/shop.wbr"
    ));
    assert!(said.contains("com.acme.shop.web.SessionStore"), "{said}");
    let init = machine.must(&format!(
        "install -d -o 10001 /weighbridge; {PLAIN} weighbridge agent --dest /weighbridge --force; cp $PKG/weighbridge.toml /etc
         export JAVA_TOOL_OPTIONS=-agentpath:/weighbridge/libweighbridge.so=config=/etc/weighbridge.toml,destfile=/recordings/%t.wbr
         {PLAIN} java -Xmx64m -jar $PKG/shop.jar 1; rm /recordings/shop.wbr
         {PLAIN} weighbridge export --openmetrics /recordings"
    ));
    assert!(init.contains("class=\"com.acme.shop.catalog.Product\""), "{init}");
}

#[test]
fn the_examples_for_kubernetes_are_valid_and_call_verbs_that_exist() {
    let folder = weighbridge_tests::root().join("tools/dist/kubernetes");
    let mut validate = python("kubernetes-validate", "1.37.0");
    validate.arg("-c").arg(
        "import sys, yaml, kubernetes_validate\n\
         kinds = []\n\
         for file in sys.argv[1:]:\n\
         \x20   for document in yaml.safe_load_all(open(file)):\n\
         \x20       kubernetes_validate.validate(document, '1.33', strict=True)\n\
         \x20       kinds.append(document['kind'])\n\
         print(*kinds)",
    );
    let files = ["agent-by-init-container.yaml", "attach-by-sidecar.yaml"].map(|name| folder.join(name));
    let output = run(validate.args(&files));
    assert_eq!((output.code, output.stdout.as_str()), (Some(0), "ConfigMap Deployment Deployment\n"), "{output}");
    for file in files {
        let text = fs::read_to_string(file).expect("the file");
        for arguments in text.lines().filter_map(|line| line.trim().strip_prefix("args: ")) {
            let arguments: Vec<String> = serde_json::from_str(arguments).expect("a list");
            let help = run(Command::new(env!("CARGO_BIN_EXE_weighbridge")).args([&arguments[0], "--help"]));
            for flag in arguments.iter().filter(|argument| argument.starts_with("--")) {
                assert!(help.stdout.contains(flag.as_str()), "{flag}: {help}");
            }
        }
    }
}

#[test]
fn maven_resolves_the_binary_and_the_runtime_by_their_coordinates() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let classifier = if cfg!(target_arch = "x86_64") { "linux-x86_64" } else { "linux-aarch_64" };
    let pom = format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId><version>1</version>\
         <packaging>pom</packaging><repositories><repository><id>release</id><url>file://{}</url></repository></repositories>\
         <dependencies><dependency><groupId>io.weighbridge</groupId><artifactId>weighbridge-cli</artifactId>\
         <version>{VERSION}</version><type>exe</type><classifier>{classifier}</classifier></dependency><dependency>\
         <groupId>io.weighbridge</groupId><artifactId>weighbridge-runtime</artifactId><version>{VERSION}</version>\
         </dependency></dependencies></project>",
        packages().join("maven").display()
    );
    fs::write(folder.path().join("pom.xml"), pom).expect("a POM");
    let mut maven = Command::new("mvn");
    maven.args(["--batch-mode", "--no-transfer-progress", "--strict-checksums", "-Dstyle.color=never", "--file"]);
    maven.arg(folder.path().join("pom.xml"));
    // A repository of its own: the plugin's tests may have put others of this version into the user's.
    maven.arg(format!("-Dmaven.repo.local={}", cache().join("installed/maven").display()));
    maven.args(["org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies", "-DoutputDirectory=out"]);
    _ = fs::remove_dir_all(cache().join("installed/maven/io/weighbridge"));
    let output = run(&mut maven);
    assert!(output.success(), "{output}");
    let got = |name: &str| fs::read(folder.path().join("out").join(name)).expect(name);
    let binary = fs::read(env!("CARGO_BIN_EXE_weighbridge")).expect("the binary");
    assert!(got(&format!("weighbridge-cli-{VERSION}-{classifier}.exe")) == binary);
    assert!(got(&format!("weighbridge-runtime-{VERSION}.jar")) == weighbridge_runtime::RUNTIME_JAR);
}

#[test]
fn all_files_are_in_the_checksums_and_a_second_run_makes_the_same_bytes() {
    let read = || fs::read_to_string(packages().join("SHA256SUMS")).expect("the checksums");
    let first = read();
    let output = run(Command::new("sha256sum").args(["--check", "--quiet", "SHA256SUMS"]).current_dir(packages()));
    assert!(output.success() && output.stdout.is_empty(), "{output}");
    assert!(first.contains(".deb") && first.contains(".cdx.json") && first.lines().count() >= 18, "{first}");
    let again = tempfile::tempdir_in(cache()).expect("a folder");
    let options = dist::DistOptions {
        binary: Some(env!("CARGO_BIN_EXE_weighbridge").into()),
        dest: Some(again.path().to_owned()),
        level: 1,
    };
    dist::run(&options).expect("packages");
    let second = fs::read_to_string(again.path().join("SHA256SUMS")).expect("the checksums");
    assert_eq!(first, second);
}

#[test]
fn the_bill_of_materials_is_valid_cyclonedx_and_names_every_crate_of_the_notices() {
    let file = packages().join(format!("weighbridge-{VERSION}.cdx.json"));
    let bom: Value = serde_json::from_str(&fs::read_to_string(&file).expect("the file")).expect("JSON");
    let names: Vec<&str> =
        bom["components"].as_array().expect("a list").iter().filter_map(|c| c["name"].as_str()).collect();
    assert!(names.contains(&"clap") && names.contains(&"uplot") && !names.contains(&"insta"), "{names:?}");
    let mut validate = python("cyclonedx-python-lib[json-validation]", "11.12.0");
    validate.arg("-c").arg(
        "import sys\n\
         from cyclonedx.schema import SchemaVersion\n\
         from cyclonedx.validation.json import JsonStrictValidator\n\
         error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())\n\
         sys.exit(str(error)[:2000] if error else 0)",
    );
    let output = run(validate.arg(&file));
    assert!(output.success(), "{output}");
}

#[test]
fn a_binary_of_another_version_is_not_packed() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("weighbridge");
    // By another process: while a thread beside this one starts a program, it has this one's open files, and a program that is
    // open for writing cannot be run.
    let write = "printf '#!/bin/sh\\necho weighbridge 0.0.1\\n' > \"$0\"; chmod +x \"$0\"";
    assert!(run(Command::new("sh").args(["-c", write]).arg(&script)).success());
    let dest = folder.path().join("out");
    let options = dist::DistOptions { binary: Some(script), dest: Some(dest.clone()), level: 1 };
    let refused = dist::run(&options).unwrap_err().to_string();
    assert!(
        refused.ends_with(&format!("says that it is `weighbridge 0.0.1`; this checkout is {VERSION}")),
        "{refused}"
    );
    assert!(!dest.exists());
}
