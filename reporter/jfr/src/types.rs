//! The types of a chunk's events and constants, as the chunk itself describes them.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::bytes::{ChunkCursor, Text};
use crate::error::{Flaw, Found};

/// A type: of an event, of a constant, or of a value inside them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    /// Its number in the chunk.
    pub(crate) id: i64,
    /// Its name, such as `jdk.ExecutionSample` or `long`.
    pub name: String,
    /// What people call it, if it says so.
    pub label: Option<String>,
    /// Whether its values are events.
    pub is_event: bool,
    /// Its fields, in their order.
    pub fields: Vec<TypeField>,
    pub(crate) kind: StorageKind,
    /// Its values have no bytes: there are no fields with any.
    pub(crate) takes_nothing: bool,
}

/// How a value of a type is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StorageKind {
    Boolean,
    Byte,
    Short,
    Char,
    Int,
    Long,
    Float,
    Double,
    Text,
    Fields,
}

/// A field of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeField {
    /// Its name.
    pub name: String,
    /// What people call it, if it says so.
    pub label: Option<String>,
    /// What its number means, if it says so.
    pub unit: Option<FieldUnit>,
    /// The index of its type.
    pub(crate) of: usize,
    /// The value is the key of a constant.
    pub(crate) constant: bool,
    pub(crate) list: bool,
}

/// What a number means (the annotations of `jdk.jfr`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldUnit {
    /// `@DataAmount(BYTES)`.
    Bytes,
    /// `@Timespan`, as nanoseconds for so many of its units.
    Span {
        /// Nanoseconds of a unit; 0 for ticks.
        ns: i64,
    },
    /// `@Timestamp`.
    Moment {
        /// Ticks; otherwise milliseconds since the Unix epoch.
        ticks: bool,
    },
}

/// All types of a chunk.
#[derive(Debug, Default)]
pub(crate) struct Types {
    pub(crate) all: Vec<Type>,
    by_id: HashMap<i64, usize>,
    /// The type whose constants are texts.
    pub(crate) texts: Option<usize>,
}

/// An element of the description: its attributes and children.
struct Element<'c> {
    name: Cow<'c, str>,
    attributes: Vec<(usize, usize)>,
    children: Vec<Element<'c>>,
}

/// Levels of elements; the JVM writes six.
const DEEPEST: usize = 16;
/// Bytes of a description; the JVM writes a hundred thousand.
const MOST_BYTES: usize = 16 << 20;

impl Types {
    pub(crate) fn get(&self, id: i64) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// Reads the description, which is an event of type 0.
    pub(crate) fn read(mut cursor: ChunkCursor<'_>) -> Found<Types> {
        let flaw = cursor.flaw("the types of the chunk are not where its header says");
        let end = cursor.at.saturating_add(usize::try_from(cursor.int()?).unwrap_or(usize::MAX));
        if cursor.long()? != 0 {
            return Err(flaw);
        }
        if end.saturating_sub(cursor.at) > MOST_BYTES {
            return Err(cursor.flaw("the description of the types is too large"));
        }
        cursor.end_at(end);
        for _ in 0..3 {
            // When it was written, how long that took, and its number.
            cursor.long()?;
        }
        let count = cursor.count()?;
        let mut texts = Vec::new();
        for _ in 0..count {
            texts.push(match cursor.text()? {
                Text::Of(text) => text,
                Text::Null | Text::Constant(_) => Cow::Borrowed(""),
            });
        }
        let root = element(&mut cursor, &texts, 0)?;
        Types::from_root(&root, &texts)
            .ok_or(Flaw { what: "a field is of a type that the chunk does not describe", ..flaw })
    }

    /// `None` if a field is of an unknown type: nothing behind it could be found.
    fn from_root(root: &Element<'_>, texts: &[Cow<'_, str>]) -> Option<Types> {
        let classes: Vec<&Element<'_>> = root
            .children
            .iter()
            .filter(|child| child.name == "metadata")
            .flat_map(|metadata| metadata.children.iter().filter(|child| child.name == "class"))
            .collect();
        let number = |element: &Element<'_>, key: &str| element.get(texts, key).and_then(|id| id.parse::<i64>().ok());
        let mut types = Types::default();
        let mut described = Vec::new();
        for class in classes {
            let (Some(id), Some(name)) = (number(class, "id"), class.get(texts, "name")) else { continue };
            if types.by_id.insert(id, types.all.len()).is_none() {
                let is_event = class.get(texts, "superType") == Some("jdk.jfr.Event");
                let (name, label, fields) = (name.to_owned(), None, Vec::new());
                types.all.push(Type { kind: kind(&name), id, name, label, is_event, fields, takes_nothing: false });
                described.push(class);
            } else {
                types.by_id.insert(id, types.all.len() - 1);
            }
        }
        // Annotations and fields name types that may come later.
        for (at, class) in described.into_iter().enumerate() {
            types.all[at].label = types.annotation(class, "jdk.jfr.Label", texts).map(str::to_owned);
            let fields = class.children.iter().filter(|child| child.name == "field");
            let field = |field: &Element<'_>| {
                Some(TypeField {
                    name: field.get(texts, "name")?.to_owned(),
                    label: types.annotation(field, "jdk.jfr.Label", texts).map(str::to_owned),
                    unit: types.unit(field, texts),
                    of: types.get(number(field, "class")?)?,
                    constant: field.get(texts, "constantPool") == Some("true"),
                    list: field.get(texts, "dimension").is_some_and(|dimension| dimension != "0"),
                })
            };
            types.all[at].fields = fields.map(field).collect::<Option<_>>()?;
        }
        types.texts = types.all.iter().position(|one| one.kind == StorageKind::Text);
        types.find_those_that_take_nothing();
        Some(types)
    }

    /// Values are not nested more deeply than this looks.
    fn find_those_that_take_nothing(&mut self) {
        for _ in 0..DEEPEST {
            for at in 0..self.all.len() {
                let nothing = |field: &TypeField| !field.constant && !field.list && self.all[field.of].takes_nothing;
                self.all[at].takes_nothing =
                    self.all[at].kind == StorageKind::Fields && self.all[at].fields.iter().all(nothing);
            }
        }
    }

    /// The value of an annotation of an element.
    fn annotation<'t>(&self, element: &Element<'_>, name: &str, texts: &'t [Cow<'_, str>]) -> Option<&'t str> {
        let is_it = |child: &&Element<'_>| {
            let class = child.get(texts, "class").and_then(|id| id.parse().ok()).and_then(|id| self.get(id));
            child.name == "annotation" && class.is_some_and(|class| self.all[class].name == name)
        };
        element.children.iter().find(is_it)?.get(texts, "value")
    }

    fn unit(&self, field: &Element<'_>, texts: &[Cow<'_, str>]) -> Option<FieldUnit> {
        if let Some(unit) = self.annotation(field, "jdk.jfr.Timespan", texts) {
            let ns = match unit {
                "TICKS" => 0,
                "SECONDS" => 1_000_000_000,
                "MILLISECONDS" => 1_000_000,
                "MICROSECONDS" => 1_000,
                _ => 1,
            };
            return Some(FieldUnit::Span { ns });
        }
        if let Some(unit) = self.annotation(field, "jdk.jfr.Timestamp", texts) {
            return Some(FieldUnit::Moment { ticks: unit == "TICKS" });
        }
        let amount = self.annotation(field, "jdk.jfr.DataAmount", texts);
        amount.filter(|unit| *unit == "BYTES").map(|_| FieldUnit::Bytes)
    }
}

impl<'c> Element<'c> {
    fn get<'t>(&self, texts: &'t [Cow<'_, str>], key: &str) -> Option<&'t str> {
        let (_, value) = self.attributes.iter().find(|(name, _)| texts[*name] == key)?;
        Some(&texts[*value])
    }
}

fn element<'c>(cursor: &mut ChunkCursor<'c>, texts: &[Cow<'c, str>], depth: usize) -> Found<Element<'c>> {
    if depth > DEEPEST {
        return Err(cursor.flaw("the description of the types is nested too deeply"));
    }
    let text = |cursor: &mut ChunkCursor<'c>| {
        let flaw = cursor.flaw("the description of the types names a text that it does not have");
        let index = cursor.int()?;
        usize::try_from(index).ok().filter(|index| *index < texts.len()).ok_or(flaw)
    };
    let name = texts[text(cursor)?].clone();
    let count = cursor.count()?;
    let attributes = (0..count).map(|_| Ok((text(cursor)?, text(cursor)?))).collect::<Found<_>>()?;
    let count = cursor.count()?;
    let children = (0..count).map(|_| element(cursor, texts, depth + 1)).collect::<Found<_>>()?;
    Ok(Element { name, attributes, children })
}

fn kind(name: &str) -> StorageKind {
    match name {
        "boolean" => StorageKind::Boolean,
        "byte" => StorageKind::Byte,
        "short" => StorageKind::Short,
        "char" => StorageKind::Char,
        "int" => StorageKind::Int,
        "long" => StorageKind::Long,
        "float" => StorageKind::Float,
        "double" => StorageKind::Double,
        "java.lang.String" => StorageKind::Text,
        _ => StorageKind::Fields,
    }
}
