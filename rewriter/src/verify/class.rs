//! One class file: its structure, judged by a reader that is not ours, and the bridges that it calls.

use crate::classfile::{ClassFile, PoolOffsets, mutf8, print, tag};
use crate::error::{Error, Result};
use crate::probe::is_bridge_name;

/// Checks the structure (JVMS §4.8, §4.9.1); gives the bridges that the class names.
///
/// `path_name` is the internal name that its path says; empty if that is not to be compared.
pub(super) fn check(
    content: &[u8],
    path_name: &[u8],
    problems: &mut Vec<String>,
    notes: &mut Vec<String>,
) -> Vec<Vec<u8>> {
    let mut memory = PoolOffsets::default();
    let ours = ClassFile::read(content, &mut memory).and_then(|class| read_whole(&class).map(|()| class));
    let class = match ours {
        Ok(class) => class,
        Err(error) => {
            problems.push(format!("cannot be read: {error}"));
            return Vec::new();
        }
    };
    // Only what our reader accepts is given to the other one, so that damaged bytes meet one reader of ours first.
    match ristretto_classfile::ClassFile::from_slice(content) {
        Ok(other) => {
            if let Err(error) = other.verify() {
                problems.push(format!("breaks JVMS §4: {error}"));
            }
        }
        Err(error) => notes.push(format!("is read by weighbridge, but not by ristretto_classfile: {error}")),
    }
    let name = class.name().unwrap_or_default();
    let agrees = name == path_name || std::str::from_utf8(path_name).is_ok_and(|path| *mutf8::encode(path) == *name);
    if !path_name.is_empty() && !agrees {
        notes.push(format!("its path says another name than its class file, {}", mutf8::decode(name)));
    }
    bridges(&class).unwrap_or_default()
}

/// Reads everything that has a form: members, code, frames, debug tables.
fn read_whole(class: &ClassFile<'_>) -> Result<(), Error> {
    print::class(class).map(drop)
}

fn bridges(class: &ClassFile<'_>) -> Result<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    for index in class.pool.indices() {
        if class.pool.tag(index)? == tag::CLASS {
            let name = class.pool.class_name(index)?;
            if is_bridge_name(name) && name != class.name()? {
                found.push(name.to_vec());
            }
        }
    }
    Ok(found)
}
