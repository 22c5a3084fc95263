//! What an entry is, by its path.

use std::borrow::Cow;

use weighbridge_bytecode::read::mutf8;
use weighbridge_probes::is_bridge_name;

/// A file at the top of every output that is a folder: without it `--force` does not replace a folder. It is no part of the
/// classes: it is neither copied from an input nor counted.
pub(crate) const FOLDER_MARK: &str = ".made-by-weighbridge";

/// A folder of an archive that is on the class path. Different loaders load the classes of different roots, so each root
/// is rewritten as a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum ClassRoot {
    /// The archive itself.
    Top,
    /// An executable Spring Boot archive.
    SpringBoot,
    /// A web archive (Servlet specification, 10.5).
    Web,
}

impl ClassRoot {
    const INNER: [ClassRoot; 2] = [ClassRoot::SpringBoot, ClassRoot::Web];

    /// The folder, ending with a slash unless it is the archive itself.
    pub(crate) const fn folder(self) -> &'static str {
        match self {
            ClassRoot::Top => "",
            ClassRoot::SpringBoot => "BOOT-INF/classes/",
            ClassRoot::Web => "WEB-INF/classes/",
        }
    }
}

/// Where archives keep the classes of the application.
pub const CLASS_FOLDERS: [&str; 2] = [ClassRoot::SpringBoot.folder(), ClassRoot::Web.folder()];

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning<'a> {
    /// A class file: its root, whether it is a Multi-Release version, and the internal name in its path.
    Class {
        root: ClassRoot,
        versioned: bool,
        name: &'a [u8],
    },
    /// An archive in the archive.
    Nested,
    Manifest,
    /// A part of a signature (JAR File Specification, "Signed JAR File").
    Signature,
    /// A bridge class with this internal name: the archive was rewritten before.
    Bridge(&'a [u8]),
    /// A digest with which the classes of the archive check themselves.
    OwnDigest,
    Other,
}

pub(crate) fn meaning(path: &[u8]) -> Meaning<'_> {
    if let Some(stem) = path.strip_suffix(b".class") {
        let (root, versioned, name) = class_name(stem);
        return if is_bridge_name(name) { Meaning::Bridge(name) } else { Meaning::Class { root, versioned, name } };
    }
    if let Some(extension) = path.rsplit(|&byte| byte == b'.').next()
        && [&b"jar"[..], b"war", b"ear", b"rar"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    {
        return Meaning::Nested;
    }
    const META: &[u8] = b"META-INF/";
    if path.len() > META.len() && path[..META.len()].eq_ignore_ascii_case(META) {
        let name = path[META.len()..].to_ascii_uppercase();
        if name == b"MANIFEST.MF" {
            return Meaning::Manifest;
        }
        // Bouncy Castle FIPS: at its start `FipsStatus` compares it with the classes.
        if !name.contains(&b'/') && name.starts_with(b"HMAC.") {
            return Meaning::OwnDigest;
        }
        let signature = [&b".SF"[..], b".RSA", b".DSA", b".EC"].iter().any(|end| name.ends_with(end));
        if !name.contains(&b'/') && (signature || name.starts_with(b"SIG-")) {
            return Meaning::Signature;
        }
    }
    Meaning::Other
}

/// The root of a class file, by its path.
pub(crate) fn root(path: &[u8]) -> ClassRoot {
    let below = |root: &ClassRoot| path.starts_with(root.folder().as_bytes());
    ClassRoot::INNER.into_iter().find(below).unwrap_or(ClassRoot::Top)
}

/// Splits a path without `.class` into root, Multi-Release version (JEP 238) and internal name.
fn class_name(path: &[u8]) -> (ClassRoot, bool, &[u8]) {
    let inner = ClassRoot::INNER.iter().find_map(|root| Some((*root, path.strip_prefix(root.folder().as_bytes())?)));
    let (root, path) = inner.unwrap_or((ClassRoot::Top, path));
    let versioned = path.strip_prefix(b"META-INF/versions/").and_then(|rest| {
        let slash = rest.iter().position(|&byte| byte == b'/')?;
        rest[..slash].iter().all(u8::is_ascii_digit).then(|| &rest[slash + 1..])
    });
    (root, versioned.is_some(), versioned.unwrap_or(path))
}

/// The name of the class that a path names. Paths are UTF-8, and names in class files modified UTF-8, which differs in
/// supplementary characters.
pub(crate) fn class_file_name(path: &[u8]) -> Cow<'_, [u8]> {
    std::str::from_utf8(path).map_or(Cow::Borrowed(path), mutf8::encode)
}

/// Whether a class has the name in its path.
pub(crate) fn is_named(class: &[u8], path: &[u8]) -> bool {
    class == path || *class_file_name(path) == *class
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(root: ClassRoot, versioned: bool, name: &str) -> Meaning<'_> {
        Meaning::Class { root, versioned, name: name.as_bytes() }
    }

    #[test]
    fn the_name_of_a_class_is_its_path_below_root_and_version() {
        assert_eq!(meaning(b"com/acme/A$B.class"), class(ClassRoot::Top, false, "com/acme/A$B"));
        assert_eq!(meaning(b"META-INF/versions/11/com/acme/A.class"), class(ClassRoot::Top, true, "com/acme/A"));
        assert_eq!(meaning(b"BOOT-INF/classes/com/acme/A.class"), class(ClassRoot::SpringBoot, false, "com/acme/A"));
        assert_eq!(meaning(b"WEB-INF/classes/A.class"), class(ClassRoot::Web, false, "A"));
        assert_eq!(meaning(b"META-INF/versions/x/A.class"), class(ClassRoot::Top, false, "META-INF/versions/x/A"));
    }

    #[test]
    fn signature_files_are_directly_in_meta_inf_in_any_case() {
        assert_eq!(meaning(b"META-INF/BC.RSA"), Meaning::Signature);
        assert_eq!(meaning(b"meta-inf/bc.sf"), Meaning::Signature);
        assert_eq!(meaning(b"META-INF/SIG-X"), Meaning::Signature);
        assert_eq!(meaning(b"META-INF/keys/BC.RSA"), Meaning::Other);
        assert_eq!(meaning(b"META-INF/Manifest.mf"), Meaning::Manifest);
    }

    #[test]
    fn archives_are_recognised_by_their_extension() {
        assert_eq!(meaning(b"BOOT-INF/lib/a.jar"), Meaning::Nested);
        assert_eq!(meaning(b"web.WAR"), Meaning::Nested);
        assert_eq!(meaning(b"a.jar.txt"), Meaning::Other);
        let bridge = b"p/Weighbridge$0123456789abcdef";
        assert_eq!(meaning(&[&bridge[..], b".class"].concat()), Meaning::Bridge(bridge));
    }
}
