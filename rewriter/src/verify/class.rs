//! One class file: its structure, judged by a reader that is not ours, and the bridges that it calls.

use ristretto_classfile::ClassAccessFlags;
use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, PoolOffsets, mutf8, print, tag};
use weighbridge_probes::is_bridge_name;

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
            if let Err(error) = verify_as_a_jvm(other) {
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

/// Verifies with the allowances that HotSpot makes for old classes, which compilers of their time relied on.
fn verify_as_a_jvm(mut class: ristretto_classfile::ClassFile<'_>) -> ristretto_classfile::Result<()> {
    // `ClassFileParser::parse_stream`: below version 50 every interface is abstract;
    // `verify_legal_class_modifiers`: below version 49 the flags that came later mean nothing.
    let major = class.version.major();
    let is_interface = class.access_flags.contains(ClassAccessFlags::INTERFACE);
    if is_interface && major < 50 {
        class.access_flags.insert(ClassAccessFlags::ABSTRACT);
    }
    if major < 49 {
        let later = match is_interface {
            true => ClassAccessFlags::SUPER | ClassAccessFlags::ENUM | ClassAccessFlags::MODULE,
            false => ClassAccessFlags::ANNOTATION,
        };
        class.access_flags.remove(later);
    }
    match class.verify() {
        // JVMS §4.10: where checking by types fails, a version 50 class is verified by inferring them.
        Err(_) if major == 50 => {
            class.version = ristretto_classfile::JAVA_5;
            class.verify()
        }
        verified => verified,
    }
}

/// Reads everything that has a form: members, code, frames, debug tables.
fn read_whole(class: &ClassFile<'_>) -> Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use ristretto_classfile::attributes::Attribute;
    use ristretto_classfile::{ClassFile, JAVA_1_2, JAVA_6, JAVA_7};

    fn template() -> ClassFile<'static> {
        ClassFile::from_slice(weighbridge_runtime::BRIDGE_TEMPLATE).unwrap()
    }

    #[test]
    fn flags_that_compilers_gave_interfaces_before_java_5_are_no_problem() {
        let mut interface = template();
        interface.methods.clear();
        interface.fields.clear();
        interface.attributes.clear();
        interface.access_flags = ClassAccessFlags::PUBLIC | ClassAccessFlags::INTERFACE | ClassAccessFlags::SUPER;
        for (version, is_sound) in [(JAVA_1_2, true), (JAVA_7, false)] {
            interface.version = version;
            assert!(interface.verify().is_err());
            assert_eq!(verify_as_a_jvm(interface.clone()).is_ok(), is_sound, "{}", interface.version);
        }
    }

    #[test]
    fn a_class_of_version_50_may_lack_its_stack_maps() {
        let mut class = template();
        for method in &mut class.methods {
            for attribute in &mut method.attributes {
                if let Attribute::Code { attributes, .. } = attribute {
                    attributes.retain(|inner| !matches!(inner, Attribute::StackMapTable { .. }));
                }
            }
        }
        for (version, is_sound) in [(JAVA_6, true), (JAVA_7, false)] {
            class.version = version;
            assert!(class.verify().is_err());
            assert_eq!(verify_as_a_jvm(class.clone()).is_ok(), is_sound, "{}", class.version);
        }
    }
}
