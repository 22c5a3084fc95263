//! The JSON Schema of the file, for editors.

/// The JSON Schema (draft 2020-12) of a configuration: `config/weighbridge.schema.json`, which a test writes from the types
/// of this crate. It refuses what is wrong by its shape; [`Config::parse`](crate::Config::parse) refuses more.
pub const SCHEMA: &str = include_str!("../weighbridge.schema.json");

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use schemars::generate::SchemaSettings;
    use schemars::transform::RecursiveTransform;

    use super::SCHEMA;
    use crate::document::ConfigDocument;
    use crate::shape;

    /// `INSTA_UPDATE=always` writes it, as it does the snapshots.
    #[test]
    fn the_shipped_schema_is_that_of_the_types() {
        let settings = SchemaSettings::draft2020_12().with_transform(RecursiveTransform(shape::without_null));
        let mut schema = settings.into_generator().into_root_schema_for::<ConfigDocument>();
        schema.insert("title".to_owned(), "Weighbridge configuration".into());
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("weighbridge.schema.json");
            return fs::write(file, text).unwrap();
        }
        assert!(SCHEMA == text, "run INSTA_UPDATE=always cargo test -p weighbridge-config schema");
    }
}
