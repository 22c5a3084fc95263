//! The Java and the tables that are made of the contract are those that are committed.

use weighbridge_contract::{java, options_table, peak_options_table};
use weighbridge_generated::{assert_file, assert_table};

#[test]
fn the_java_of_the_contract_is_what_the_data_says() {
    let folder = format!("runtime-java/runtime/src/main/java/{}", java::PACKAGE.replace('.', "/"));
    assert_file(&format!("{folder}/RuntimeOptions.java"), &java::runtime_options());
}

#[test]
fn the_document_of_the_configuration_has_all_options() {
    assert_table("docs/configuration.md", "options", &options_table());
    assert_table("docs/configuration.md", "options of peaks", &peak_options_table());
}
