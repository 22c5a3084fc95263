//! Reads a line of a names block into [`Names`].

use std::collections::BTreeMap;

use serde_json::Value;

use crate::names::{MOST_NAMES, Mark, Names, ReplayClass, ReplayField, ReplayMethod, Site, Size, UnprobedClass, Vm};

/// The values of a line, by position.
struct LineValues<'a>(&'a [Value]);

impl LineValues<'_> {
    fn get(&self, at: usize) -> Result<&Value, String> {
        self.0.get(at).ok_or_else(|| format!("value {at} is missing"))
    }

    fn number(&self, at: usize) -> Result<u64, String> {
        self.get(at)?.as_u64().ok_or_else(|| format!("value {at} is not a number from 0 on"))
    }

    fn small(&self, at: usize) -> Result<u32, String> {
        small(self.number(at)?)
    }

    /// The number of a name, from 1 on.
    fn key(&self, at: usize) -> Result<u32, String> {
        key(self.number(at)?)
    }

    fn text(&self, at: usize) -> Result<String, String> {
        Ok(self.get(at)?.as_str().ok_or_else(|| format!("value {at} is not a text"))?.to_owned())
    }

    fn source_line(&self, at: usize) -> Result<Option<u32>, String> {
        Ok(Some(self.small(at)?).filter(|line| *line > 0))
    }

    fn offsets(&self, at: usize) -> Result<BTreeMap<u32, String>, String> {
        let fields = self.get(at)?.as_object().ok_or_else(|| format!("value {at} is not an object"))?;
        fields
            .iter()
            .map(|(offset, name)| {
                let offset = offset.parse().map_err(|_| format!("\"{offset}\" is not an offset"))?;
                Ok((offset, name.as_str().ok_or("the name of a field is not a text")?.to_owned()))
            })
            .collect()
    }

    fn keys(&self, at: usize) -> Result<impl Iterator<Item = Result<u32, String>>, String> {
        let list = self.get(at)?.as_array().ok_or_else(|| format!("value {at} is not a list"))?;
        Ok(list.iter().map(|number| key(number.as_u64().ok_or("a field is not a number from 0 on")?)))
    }
}

fn small(number: u64) -> Result<u32, String> {
    u32::try_from(number).map_err(|_| format!("{number} is too large"))
}

fn key(number: u64) -> Result<u32, String> {
    let number = small(number)?;
    if (1..=MOST_NAMES).contains(&number) {
        Ok(number)
    } else {
        Err(format!("{number} is not between 1 and {MOST_NAMES}"))
    }
}

/// Takes a line. Lines of kinds that this version does not know are skipped.
pub(crate) fn take(names: &mut Names, line: &[u8]) -> Result<(), String> {
    let values: Vec<Value> = serde_json::from_slice(line).map_err(|error| format!("not a list in JSON: {error}"))?;
    let line = LineValues(&values);
    let kind = line.text(0)?;
    match kind.as_str() {
        "vm" => names.vm = vm(line.get(1)?),
        "class" => {
            let class = ReplayClass {
                name: line.text(2)?,
                superclass: line.small(3)?,
                size: Size::Instance(line.small(4)?.into()),
                fields: line.offsets(5)?,
                statics: line.offsets(6)?,
            };
            names.classes.insert(line.key(1)?, class);
        }
        "array" => {
            let shift = u8::try_from(line.number(5)?).ok().filter(|shift| *shift <= 4).ok_or("the shift is above 4")?;
            let class = ReplayClass {
                name: line.text(2)?,
                superclass: line.small(3)?,
                size: Size::Array { base: line.small(4)?, shift },
                fields: BTreeMap::new(),
                statics: BTreeMap::new(),
            };
            names.classes.insert(line.key(1)?, class);
        }
        "class object" => {
            names.class_objects.insert(line.key(1)?, line.small(2)?.into());
        }
        "method" => {
            let method = ReplayMethod {
                class: line.text(2)?,
                name: line.text(3)?,
                descriptor: line.text(4)?,
                line: line.source_line(5)?,
                is_static: truth(line.get(6)?)?,
            };
            names.methods.insert(line.key(1)?, method);
        }
        "field" => {
            names.fields.insert(line.key(1)?, ReplayField { class: line.text(2)?, name: line.text(3)? });
        }
        "site" => {
            let site = Site { method: line.small(2)?, line: line.source_line(3)?, what: line.text(4)? };
            names.sites.insert(line.key(1)?, site);
        }
        "skipped" => names.skipped.push(UnprobedClass { class: line.text(1)?, reason: line.text(2)? }),
        "read" => {
            for field in line.keys(1)? {
                names.read.insert(field?);
            }
        }
        "written" => {
            for field in line.keys(1)? {
                names.written.insert(field?);
            }
        }
        "mark" => names.marks.push(Mark { clock: line.number(1)?, text: line.text(2)? }),
        _ => {}
    }
    Ok(())
}

fn vm(value: &Value) -> Vm {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let alignment = value.get("alignment").and_then(Value::as_u64).and_then(|bytes| u32::try_from(bytes).ok());
    Vm {
        version: text("version"),
        name: text("name"),
        alignment: alignment.filter(|bytes| bytes.is_power_of_two()).unwrap_or(Vm::default().alignment),
        header: text("header"),
        unique_numbers: value.get("unique_numbers").and_then(Value::as_bool).unwrap_or(false),
    }
}

/// A truth value: `true` and `false`, or 1 and 0.
fn truth(value: &Value) -> Result<bool, String> {
    value.as_bool().or_else(|| Some(value.as_u64()? != 0)).ok_or_else(|| format!("{value} is neither true nor false"))
}
