//! Recordings of one shape, and budgets for them.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::path::PathBuf;

use serde_json::Value;
use weighbridge_tests::made_recording::{self, Shape};

use crate::support::{Answer, Folder};

/// 20 classes in 4 components; class 0 leaks, every fifth is sampled.
pub const SHAPE: Shape = Shape { snapshots: 50, classes: 20, components: 4, interval_ms: 60_000, seed: 1 };

pub fn made(seed: u64, snapshots: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    made_recording::write(&mut bytes, &Shape { seed, snapshots, ..SHAPE }).expect("a recording");
    bytes
}

pub fn json(answer: &Answer) -> Value {
    serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

/// Budgets that hold, that are broken, that nothing is known of, and that only sampling breaks.
pub fn budgets(folder: &Folder) {
    let report = json(&folder.run(&["report", "run.wbr", "-o", "json"]));
    let row = |class: String| {
        let rows = report["classes"].as_array().expect("rows").iter();
        rows.clone().find(|row| row["class"] == class.as_str()).expect("a row").clone()
    };
    let sampled = row(SHAPE.class(4));
    let live = |row: &Value| row["live"].as_u64().expect("live objects");
    assert!(sampled["live_error"].as_f64().expect("an error") > 1.0, "{sampled:#}");
    let text = format!(
        "version = 1\n\
         [[budget]]\nclass = \"{}\"\nfigure = \"live\"\nmax = {}\n\
         [[budget]]\nclass = \"{}\"\nfigure = \"live\"\nmax = {}\n\
         [[budget]]\nclass = \"{}\"\nfigure = \"live_per_minute\"\nmax = 5\n\
         [[budget]]\ncomponent = \"web.0\"\nfigure = \"deep_bytes\"\nmax = \"1 GiB\"\n\
         [[budget]]\ncomponent = \"gone\"\nfigure = \"live\"\nmax = 1\n\
         [[budget]]\ntag = \"request=GET /orders\"\nfigure = \"live\"\nmax = 1\n\
         [components]\n\"web.0\" = [\"com.acme.web.**\"]\ngone = [\"com.acme.gone.**\"]\n",
        SHAPE.class(1),
        live(&row(SHAPE.class(1))) - 1,
        SHAPE.class(4),
        live(&sampled) - 1,
        SHAPE.class(0),
    );
    folder.write("weighbridge.toml", text);
}

/// What `check -o junit` writes of a recording and its budgets.
pub fn junit(folder: &Folder) -> PathBuf {
    folder.write("run.wbr", made(1, 50));
    budgets(folder);
    let answer = folder.run(&["check", "run.wbr", "--config", "weighbridge.toml", "-o", "junit", "-f", "junit.xml"]);
    assert_eq!(answer.code, Some(1), "{answer}");
    folder.path("junit.xml")
}
