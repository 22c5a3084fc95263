//! The JSON Schema of `[components]`, whose reader is written by hand.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::document::{ComponentSection, Components};
use crate::shape;

/// A value of the table: patterns of classes, or a rule with parts.
struct ComponentSchema;

impl JsonSchema for ComponentSchema {
    fn schema_name() -> Cow<'static, str> {
        "Component".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let patterns = generator.subschema_for::<Vec<shape::Class>>();
        let rule = generator.subschema_for::<ComponentSection>();
        json_schema!({ "description": "Patterns of classes, or a table.", "anyOf": [patterns, rule] })
    }
}

impl JsonSchema for Components {
    fn schema_name() -> Cow<'static, str> {
        "Components".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Who a class belongs to: the first component of the file with a matching pattern.",
            "type": "object",
            "propertyNames": shape::component_name(),
            "additionalProperties": generator.subschema_for::<ComponentSchema>(),
        })
    }
}
