//! Compiles the samples with the machine's `javac` and packs one jar each.

use std::env;
use std::path::{Path, PathBuf};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
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
