//! What a file of ELF needs of the machine: its processor, its loader, its libraries, and how new a glibc.

use std::collections::BTreeSet;
use std::fmt;

use anyhow::{Context, Result, bail};
use object::Endianness;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader as _, ProgramHeader as _};

/// A version of glibc.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Glibc(pub u32, pub u32);

impl fmt::Display for Glibc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// What one file needs.
#[derive(Debug, PartialEq, Eq)]
pub struct Needs {
    /// As Rust and `uname -m` name it: `x86_64` or `aarch64`.
    pub processor: &'static str,
    /// The program that loads it (`PT_INTERP`). `None` for a static program and for a library.
    pub loader: Option<String>,
    /// The shared libraries (`DT_NEEDED`), in the order of names.
    pub libraries: BTreeSet<String>,
    /// The newest version among the symbols of glibc (`SHT_GNU_verneed`); `None` if it uses none of them.
    pub glibc: Option<Glibc>,
}

/// Reads the headers of a 64-bit file of ELF (System V ABI, gABI 4.2; versions: LSB 5.0, "Symbol Versioning").
///
/// # Errors
/// It is none, it is damaged, or its processor is none that a release is made for.
pub fn read_needs(file: &[u8]) -> Result<Needs> {
    let header = FileHeader64::<Endianness>::parse(file).context("not a 64-bit file of ELF")?;
    let endian = header.endian()?;
    let processor = match header.e_machine(endian) {
        elf::EM_X86_64 => "x86_64",
        elf::EM_AARCH64 => "aarch64",
        other => bail!("packages are made for x86_64 and aarch64; this is machine {} of ELF", other.0),
    };
    let mut loader = None;
    for segment in header.program_headers(endian, file)? {
        if let Some(path) = segment.interpreter(endian, file)? {
            loader = Some(String::from_utf8_lossy(path).into_owned());
        }
    }
    let sections = header.sections(endian, file)?;
    let mut libraries = BTreeSet::new();
    let dynamic = sections.dynamic_table(endian, file)?;
    for entry in dynamic.iter() {
        if entry.tag == elf::DT_NEEDED {
            libraries.insert(String::from_utf8_lossy(dynamic.string(entry)?).into_owned());
        }
    }
    let mut glibc = None;
    if let Some((mut files, strings)) = sections.gnu_verneed(endian, file)? {
        let strings = sections.strings(endian, file, strings)?;
        while let Some((_, mut versions)) = files.next()? {
            while let Some(version) = versions.next()? {
                glibc = glibc.max(glibc_version(version.name(endian, strings)?));
            }
        }
    }
    Ok(Needs { processor, loader, libraries, glibc })
}

/// The version in a name such as `GLIBC_2.17`; those of `GLIBC_PRIVATE` and of other libraries have none.
fn glibc_version(name: &[u8]) -> Option<Glibc> {
    let mut parts = std::str::from_utf8(name).ok()?.strip_prefix("GLIBC_")?.split('.');
    Some(Glibc(parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_glibc_are_ordered_as_numbers() {
        let version = |name: &str| glibc_version(name.as_bytes());
        assert_eq!(version("GLIBC_2.2.5"), Some(Glibc(2, 2)));
        assert!(version("GLIBC_2.17") > version("GLIBC_2.4"));
        assert_eq!((version("GLIBC_PRIVATE"), version("GCC_3.0")), (None, None));
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn a_program_of_this_machine_needs_its_loader_and_a_glibc() {
        let program = std::fs::read(std::env::current_exe().expect("this program")).expect("its bytes");
        let needs = read_needs(&program).expect("a file of ELF");
        assert_eq!(needs.processor, std::env::consts::ARCH);
        assert!(needs.loader.as_ref().is_some_and(|loader| loader.contains("/ld-linux-")), "{needs:?}");
        assert!(needs.libraries.contains("libc.so.6") && needs.glibc >= Some(Glibc(2, 17)), "{needs:?}");
    }

    #[test]
    fn what_is_no_elf_file_is_refused() {
        assert_eq!(read_needs(b"#!/bin/sh").unwrap_err().to_string(), "not a 64-bit file of ELF");
        assert!(read_needs(b"\x7fELF\x02\x01\x01").is_err());
    }
}
