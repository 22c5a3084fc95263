//! What a value of the file looks like, for the JSON Schema. Only the test that writes the schema compiles it: the
//! program carries the schema as a file, and the agent nothing of it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};
use weighbridge_contract::TraceKind;

/// Declares types that stand for a value's schema.
macro_rules! shapes {
    ($($(#[doc = $doc:literal])* $name:ident = $schema:tt;)*) => { $(
        $(#[doc = $doc])*
        pub(crate) struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )* };
}

shapes! {
    /// The only version, as `lib.rs` checks it.
    Version = { "const": 1 };
    /// A class-name pattern; as `pattern.rs` checks it.
    Class = {
        "type": "string",
        "pattern": r#"^[^./\s\\;,:|()\[\]{}<>^"'!]+(\.[^./\s\\;,:|()\[\]{}<>^"'!]+)*$"#,
        "not": { "pattern": r"\*\*\*" }
    };
    /// A class pattern, a dot, and the pattern of a method's name; as `method.rs` checks it.
    Method = {
        "type": "string",
        "pattern": r#"^[^./\s\\;,:|()\[\]{}<>^"'!]+(\.[^./\s\\;,:|()\[\]{}<>^"'!]+)*\.([^./\s\\;,:|()\[\]{}<>^"'!*]|\*)+$"#,
        "not": { "pattern": r"\*\*\*|\*\*$" }
    };
    /// The name of a field; as `reader.rs` checks it.
    Field = { "type": "string", "pattern": r"^[^.;\[/,\s]+$" };
    /// Fields separated by dots; as `components/mod.rs` checks it.
    Fields = { "type": "string", "pattern": r"^[^.\s/;,*?\[\]]+(\[\])*(\.[^.\s/;,*?\[\]]+(\[\])*)*$" };
    /// A class and fields, or a dot and fields; as `components/mod.rs` checks it.
    Path = { "type": "string", "pattern": r"^[^.\s/;,*?\[\]]*(\.[^.\s/;,*?\[\]]+(\[\])*)+$" };
    /// A path of fields, or several; the first that has a text is the name.
    NameField = {
        "anyOf": [
            { "type": "string", "pattern": r"^[^.\s/;,*?\[\]]+(\[\])*(\.[^.\s/;,*?\[\]]+(\[\])*)*$" },
            { "type": "array", "items": { "type": "string" } }
        ]
    };
    /// As `components/mod.rs` reads it.
    Suspend = { "enum": ["incoming", "outgoing", "both", "none"] };
    /// A duration; as `schedule.rs` reads it.
    Duration = { "type": "string", "pattern": "^0*[1-9][0-9]*(ms|s|m|h)$", "examples": ["500ms", "10s", "5m", "1h"] };
    /// A duration that may be 0.
    Wait = { "type": "string", "pattern": "^(0s|0*[1-9][0-9]*(ms|s|m|h))$", "examples": ["1s"] };
    /// Bytes; as `settings.rs` reads them.
    Size = { "type": "string", "pattern": "^[0-9]{1,12}[kKmMgG]?$", "examples": ["1024", "512k", "64m", "2g"] };
    /// The moments of `measure.at`, each once; as `schedule.rs` reads them.
    Moments = {
        "type": "array",
        "uniqueItems": true,
        "items": {
            "type": "string",
            "pattern": r"^(exit|request|every\s+0*[1-9][0-9]*(ms|s|m|h))$",
            "examples": ["exit", "request", "every 10s"]
        }
    };
    /// A file's name.
    FileName = { "type": "string", "minLength": 1 };
    /// A pattern of thread names; as `settings.rs` checks it.
    Thread = { "type": "string", "pattern": "^[^;,\u{0}-\u{1f}]+$" };
    /// A scope, `key=value`.
    Scope = { "type": "string", "pattern": "^[^=;,\u{0}-\u{1f}]+=[^;,\u{0}-\u{1f}]*$" };
    /// A scope of a trace, or a tag of a budget.
    Tag = { "type": "string", "pattern": "=" };
    /// A part, or `off`.
    PercentOrOff = { "type": "string", "pattern": "^(off|0*[1-9][0-9]?%)$", "examples": ["90%", "off"] };
    /// Bytes, or `off`.
    SizeOrOff = { "type": "string", "pattern": "^(off|[0-9]{1,12}[kKmMgG]?)$", "examples": ["500m", "off"] };
    /// A part of the heap, or bytes.
    PercentOrSize = { "type": "string", "pattern": "^(0*[1-9][0-9]?%|[0-9]{1,12}[kKmMgG]?)$", "examples": ["2%", "20m"] };
    /// The path of a program.
    Program = { "type": "string", "pattern": "^(/|[A-Za-z]:)" };
    /// The name of a round trip.
    RoundTripName = { "type": "string", "pattern": "^[^\u{0}-\u{20}]([^\u{0}-\u{1f}]*[^\u{0}-\u{20}])?$" };
    /// The name of a trace.
    TraceName = { "type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$" };
    /// Lower bounds of ages.
    Ages = { "type": "array", "items": { "type": "integer", "minimum": 0 }, "prefixItems": [{ "const": 0 }], "minItems": 1, "maxItems": 64, "uniqueItems": true };
    /// An amount of a budget: a number, or bytes with a unit; as `budget.rs` reads it.
    Amount = {
        "anyOf": [
            { "type": "integer", "minimum": 0 },
            { "type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*(B|KiB|MiB|GiB)?\s*$", "examples": ["64 MiB"] }
        ]
    };
    /// A part of the baseline, or an amount.
    Increase = {
        "anyOf": [
            { "type": "integer", "minimum": 0 },
            { "type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*(%|B|KiB|MiB|GiB)?\s*$", "examples": ["10 %", "1 MiB"] }
        ]
    };
}

/// `serde(alias)` is unknown to schemars.
pub(crate) fn with_dry_run(schema: &mut Schema) {
    let Some(properties) = schema.get_mut("properties").and_then(|known| known.as_object_mut()) else { return };
    let mut alias = properties["dry_run"].clone();
    alias["description"] = "The same as `dry_run`.".into();
    properties.insert("dry-run".to_owned(), alias);
    schema.insert("not".to_owned(), json!({ "required": ["dry_run", "dry-run"] }));
}

/// What a budget needs, and which figures its subject has: as `budget.rs` checks it.
pub(crate) fn budget_rules(schema: &mut Schema) {
    let counted = ["live", "peak_live", "live_per_minute", "max_age"];
    let number = json!({ "type": "integer" });
    let rules = json!([
        { "oneOf": [
            { "required": ["class"], "properties": { "figure": { "not": { "const": "peak_deep_bytes" } } } },
            { "required": ["component"] },
            { "required": ["tag"], "properties": { "figure": { "enum": ["live", "shallow_bytes", "own_bytes"] } } }
        ] },
        { "anyOf": [{ "required": ["max"] }, { "required": ["max_increase"] }] },
        {
            "if": { "required": ["figure"], "properties": { "figure": { "enum": counted } } },
            "then": { "properties": { "max": number } }
        }
    ]);
    schema.insert("allOf".to_owned(), rules);
}

/// A rule may have parts beside its keys, and some of its keys need others: as `components/mod.rs` checks it.
pub(crate) fn component_rules(schema: &mut Schema) {
    schema.insert("additionalProperties".to_owned(), json!({ "$ref": "#/$defs/Component" }));
    schema.insert("propertyNames".to_owned(), component_name());
    let one_of =
        |keys: &[&str]| json!({ "anyOf": keys.iter().map(|key| json!({ "required": [key] })).collect::<Vec<_>>() });
    let rules = json!({
        "within": { "required": ["instances"] },
        "only": { "required": ["entries"] },
        "instances_of": { "required": ["entries"] },
        "name_field": one_of(&["instances", "entries"]),
        "secret": one_of(&["name_field", "entries"]),
        "suspend": one_of(&["classes", "loaders", "modules", "paths", "instances", "entries"]),
    });
    schema.insert("dependentSchemas".to_owned(), rules);
    schema.insert("not".to_owned(), json!({ "required": ["instances", "entries"] }));
}

/// A name, of one part or several.
pub(crate) fn component_name() -> Value {
    json!({ "pattern": r"^[^.\s]([^.]*[^.\s])?(\.[^.]+)*$", "not": { "const": "(none)" } })
}

/// Exact figures need the analyser: as `shortage/mod.rs` checks it.
pub(crate) fn candidate_rules(schema: &mut Schema) {
    let when = |key: &str, values: Value, then: Value| json!({ "if": { "required": [key], "properties": { key: { "enum": values } } }, "then": then });
    let exact = json!({ "required": ["measure"], "properties": { "measure": { "const": "exact" } } });
    let rules = json!([
        when("by", json!(["proprietary", "releasable"]), exact),
        when("measure", json!(["exact"]), json!({ "required": ["analyser"] })),
    ]);
    schema.insert("allOf".to_owned(), rules);
}

/// TOML has no null: what is optional is left out.
pub(crate) fn without_null(schema: &mut Schema) {
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    if let Some(types) = schema.get_mut("type").and_then(Value::as_array_mut) {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    let Some(any) = schema.get_mut("anyOf").and_then(Value::as_array_mut) else { return };
    let all = any.len();
    any.retain(|kind| *kind != json!({ "type": "null" }));
    if let ([only], true) = (any.as_slice(), any.len() < all) {
        let only = only.as_object().cloned().unwrap_or_default();
        schema.remove("anyOf");
        only.into_iter().for_each(|(key, value)| drop(schema.insert(key, value)));
    }
}

/// What a round trip compares: as `round_trip.rs` checks it.
pub(crate) fn round_trip_rules(schema: &mut Schema) {
    schema.insert("not".to_owned(), json!({ "required": ["class", "component"] }));
    let rules = json!([
        { "properties": { "figure": { "enum": ["live", "own_bytes"] } } },
        {
            "if": { "not": { "required": ["figure"], "properties": { "figure": { "const": "own_bytes" } } } },
            "then": { "properties": { "max": { "type": "integer" } } }
        }
    ]);
    schema.insert("allOf".to_owned(), rules);
}

/// The kinds of traces, with what they tell.
pub(crate) struct TraceKindName;

impl JsonSchema for TraceKindName {
    fn schema_name() -> Cow<'static, str> {
        "TraceKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let kind =
            |kind: &TraceKind| json!({"description": kind.form().meaning, "type": "string", "const": kind.word()});
        let kinds: Vec<Value> = TraceKind::ALL.iter().map(kind).collect();
        json_schema!({"description": "What is traced by probes.", "oneOf": kinds})
    }
}
