//! Checks one class file by our reader and by an independent one, and finds the bridges that it calls.

use crate::instrument::paths::is_named;
use ristretto_classfile::attributes::{Attribute, Instruction};
use ristretto_classfile::verifiers::VerifyError;
use ristretto_classfile::{ClassAccessFlags, Error, Method, MethodAccessFlags};
use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, PoolOffsets, mutf8, print, tag};
use weighbridge_probes::is_bridge_name;

/// Checks the structure (JVMS §4.8, §4.9.1); returns the bridges that the class names.
///
/// `path_name` is the internal name in its path; empty if it shall not be compared.
pub(super) fn check(
    content: &[u8],
    path_name: &[u8],
    problems: &mut Vec<String>,
    notes: &mut Vec<String>,
) -> Vec<Vec<u8>> {
    let mut memory = PoolOffsets::default();
    // Printing reads everything that has a form: members, code, frames, debug tables.
    let ours = ClassFile::read(content, &mut memory).and_then(|class| print::class(&class).map(|_| class));
    let class = match ours {
        Ok(class) => class,
        Err(error) => {
            problems.push(format!("cannot be read: {error}"));
            return Vec::new();
        }
    };
    // The other reader gets only what ours accepts.
    match ristretto_classfile::ClassFile::from_slice(content) {
        Ok(other) => match verify_as_a_jvm(other) {
            Ok(()) => {}
            // It takes the distance of a jump from a byte to an instruction's number, which does not fit in some methods of
            // more than 32,767 bytes.
            Err(Error::VerificationError(VerifyError::TryFromIntError(_))) => {
                notes.push("is not judged by ristretto_classfile, which fails at a long jump".to_owned());
            }
            Err(error) => problems.push(format!("breaks JVMS §4: {error}")),
        },
        Err(error) => notes.push(format!("is read by weighbridge, but not by ristretto_classfile: {error}")),
    }
    let name = class.name().unwrap_or_default();
    if !path_name.is_empty() && !is_named(name, path_name) {
        notes.push(format!("its path says another name than its class file, {}", mutf8::decode(name)));
    }
    bridges(&class).unwrap_or_default()
}

/// Verifies with HotSpot's exceptions for old classes.
fn verify_as_a_jvm(mut class: ristretto_classfile::ClassFile<'_>) -> ristretto_classfile::Result<()> {
    // `ClassFileParser::parse_stream`: before version 50 every interface is abstract;
    // `verify_legal_class_modifiers`: before version 49 newer flags are ignored.
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
    // `ClassFileParser::parse_method`: before version 51 the flags of a class initializer are ignored. The other reader holds
    // those of an interface's against the rule for its other methods.
    if major < 51 {
        for method in &mut class.methods {
            let name = class.constant_pool.try_get_utf8(method.name_index);
            if name.is_ok_and(|name| name.as_bytes() == b"<clinit>") {
                method.access_flags = MethodAccessFlags::STATIC;
            }
        }
    }
    // JVMS §4.10.2.5, "Exceptions and finally": after `ret` each call of a subroutine goes on with the types of its own
    // call. The other reader does not tell the calls apart, and so finds wrong types where there are none. `jsr` is refused
    // from version 51 on (§4.9.1).
    if major < 51 {
        class.methods.retain(|method| !has_subroutine(method));
    }
    match class.verify() {
        // JVMS §4.10: a version 50 class that fails type checking is verified by type inference.
        Err(_) if major == 50 => {
            class.version = ristretto_classfile::JAVA_5;
            class.verify()
        }
        verified => verified,
    }
}

/// Whether the code of a method calls subroutines.
fn has_subroutine(method: &Method) -> bool {
    let is_subroutine = |instruction: &Instruction| matches!(instruction, Instruction::Jsr(_) | Instruction::Jsr_w(_));
    method.attributes.iter().any(|attribute| match attribute {
        Attribute::Code { code, .. } => code.iter().any(is_subroutine),
        _ => false,
    })
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
    use ristretto_classfile::{ClassFile, JAVA_1_2, JAVA_6, JAVA_7};

    fn template() -> ClassFile<'static> {
        ClassFile::from_slice(weighbridge_runtime::BRIDGE_TEMPLATE).unwrap()
    }

    #[test]
    fn flags_of_interfaces_before_java_5_are_no_problem() {
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

    /// A class with one method, `static`, of the given code.
    fn with_method(name: &str, descriptor: &str, code: Vec<Instruction>) -> ClassFile<'static> {
        let mut class = template();
        class.fields.clear();
        class.attributes.clear();
        let mut method = class.methods.swap_remove(0);
        method.name_index = class.constant_pool.add_utf8(name).unwrap();
        method.descriptor_index = class.constant_pool.add_utf8(descriptor).unwrap();
        method.access_flags = MethodAccessFlags::STATIC;
        let name_index = class.constant_pool.add_utf8("Code").unwrap();
        let (exception_table, attributes) = (Vec::new(), Vec::new());
        method.attributes =
            vec![Attribute::Code { name_index, max_stack: 1, max_locals: 2, code, exception_table, attributes }];
        class.methods = vec![method];
        class
    }

    #[test]
    fn flags_of_class_initializers_before_java_7_are_no_problem() {
        let mut interface = with_method("<clinit>", "()V", vec![Instruction::Return]);
        interface.access_flags = ClassAccessFlags::PUBLIC | ClassAccessFlags::INTERFACE | ClassAccessFlags::ABSTRACT;
        interface.methods[0].access_flags = MethodAccessFlags::STATIC | MethodAccessFlags::FINAL;
        for (version, is_sound) in [(JAVA_1_2, true), (JAVA_7, false)] {
            interface.version = version;
            assert!(interface.verify().is_err());
            assert_eq!(verify_as_a_jvm(interface.clone()).is_ok(), is_sound, "{}", interface.version);
        }
    }

    #[test]
    fn code_with_subroutines_is_left_to_the_jvm() {
        // The other reader lets `ret` go on behind every `jsr` with any types; here it finds a wrong return.
        let jsr = vec![Instruction::Jsr(1), Instruction::Astore_0, Instruction::Return];
        let without = vec![Instruction::Return];
        for (code, is_sound) in [(jsr, true), (without, false)] {
            let mut class = with_method("text", "()Ljava/lang/String;", code);
            class.version = JAVA_1_2;
            assert!(class.verify().is_err());
            assert_eq!(verify_as_a_jvm(class).is_ok(), is_sound);
        }
    }
}
