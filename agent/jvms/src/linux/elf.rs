//! The first bytes of an ELF file (elf(5)): which processor it is for.

/// The processor of an ELF file, with its word size and byte order; `None` if the bytes are no ELF header.
pub(super) fn machine(header: &[u8]) -> Option<String> {
    let &[class, order, ..] = header.strip_prefix(b"\x7fELF")? else { return None };
    let machine = *header.get(18..)?.first_chunk::<2>()?;
    let (machine, order) = match order {
        1 => (u16::from_le_bytes(machine), "little"),
        _ => (u16::from_be_bytes(machine), "big"),
    };
    let name = match machine {
        3 => "x86",
        21 => "ppc64",
        22 => "s390x",
        40 => "arm",
        62 => "x86_64",
        183 => "aarch64",
        243 => "riscv",
        258 => "loongarch",
        _ => return Some(format!("machine {machine} of ELF ({} bits, {order}-endian)", bits(class))),
    };
    Some(format!("{name} ({} bits, {order}-endian)", bits(class)))
}

fn bits(class: u8) -> u32 {
    if class == 1 { 32 } else { 64 }
}

#[cfg(test)]
mod tests {
    use super::machine;

    fn header(class: u8, order: u8, machine: [u8; 2]) -> Vec<u8> {
        [b"\x7fELF".as_slice(), &[class, order], &[0; 12], &machine].concat()
    }

    #[test]
    fn processors_are_told_apart() {
        assert_eq!(machine(&header(2, 1, [62, 0])).unwrap(), "x86_64 (64 bits, little-endian)");
        assert_eq!(machine(&header(2, 1, [183, 0])).unwrap(), "aarch64 (64 bits, little-endian)");
        assert_eq!(machine(&header(1, 1, [62, 0])).unwrap(), "x86_64 (32 bits, little-endian)");
        assert_eq!(machine(&header(2, 2, [0, 21])).unwrap(), "ppc64 (64 bits, big-endian)");
        assert_eq!(machine(&header(2, 1, [1, 2])).unwrap(), "machine 513 of ELF (64 bits, little-endian)");
    }

    #[test]
    fn other_files_have_no_processor() {
        assert_eq!(machine(b"#!/bin/sh"), None);
        assert_eq!(machine(b"\x7fELF\x02\x01"), None);
    }
}
