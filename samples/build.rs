//! Compiles the samples with the machine's `javac` and packs one jar each.

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    say_what_this_build_is(&out);
    let jdk = weighbridge_jdk::to_build_with();
    weighbridge_jdk::rerun_if_environment_changes();
    for (sample, main) in
        [("shop", "com.acme.shop.Shop"), ("leak", "com.acme.leak.Broker"), ("truth", "com.acme.truth.Truth")]
    {
        println!("cargo::rerun-if-changed={sample}");
        let classes = out.join(sample);
        jdk.compile(&[Path::new(sample)], &classes, &[]);
        weighbridge_jdk::pack_jar(&classes, &[("Main-Class", main)], &out.join(format!("{sample}.jar")));
    }
}

/// Building for the demo is long enough that one wants to know what for. A message of a build script has this form only.
fn say_what_this_build_is(out: &Path) {
    let is_in = |profile: &str| out.iter().any(|folder| folder == profile);
    if is_in("release") {
        println!(
            "cargo::warning=A first release build compiles about 250 crates and optimises them as one: about 9 minutes on \
             two cores. `cargo run --profile demo -- demo` shows the same after less than half of that."
        );
    } else if is_in("demo") {
        println!(
            "cargo::warning=A first build for the demo compiles about 250 crates, little optimised: 2 to 4 minutes on two \
             cores."
        );
    }
}
