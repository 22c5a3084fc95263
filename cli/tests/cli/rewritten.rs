//! The demo's jar and its rewritten form, to be verified.

use crate::support::{CONFIG, Folder, without_numbers};

pub const SESSION: &str = "com/acme/shop/web/Session.class";

/// The demo's jar and its rewritten form.
pub fn rewritten() -> Folder {
    let folder = Folder::new();
    folder.write("app.jar", weighbridge_samples::DEMO_JAR);
    folder.write("wb.toml", CONFIG);
    let answer = folder.run(&["instrument", "app.jar", "--config", "wb.toml", "-o", "out.jar"]);
    assert_eq!(answer.code, Some(0), "{answer}");
    folder
}

/// Versions depend on the JVM.
pub fn without_versions(text: &str) -> String {
    without_numbers(text).replace("N.N.N", "VERSION").replace("Java N ", "Java VERSION ")
}
