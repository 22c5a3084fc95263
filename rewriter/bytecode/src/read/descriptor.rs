//! Field and method descriptors (JVMS §4.3), measured in local-variable slots.

use crate::{BytecodeErrorKind, Error, Result};

/// Slots of a field's type: 2 for `J` and `D`, 0 for `V`, 1 for all others.
pub fn slots(descriptor: &[u8]) -> u16 {
    match descriptor.first() {
        Some(b'J' | b'D') => 2,
        Some(b'V') => 0,
        _ => 1,
    }
}

/// Slots of all parameters (the receiver not included) and of the result.
///
/// # Errors
/// `ClassFormat` when it is no method descriptor.
#[inline]
pub fn method_slots(descriptor: &[u8]) -> Result<(u16, u16)> {
    let mut parameters = Parameters::from_descriptor(descriptor)?;
    let mut total = 0u16;
    for parameter in &mut parameters {
        total = total.saturating_add(slots(parameter?));
    }
    Ok((total, slots(parameters.result())))
}

/// The parameter types of a method descriptor, in order; then the result.
#[derive(Clone, Debug)]
pub struct Parameters<'a> {
    descriptor: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Parameters<'a> {
    /// Starts at the first parameter.
    ///
    /// # Errors
    /// `ClassFormat` when the descriptor does not start with `(`.
    pub fn from_descriptor(descriptor: &'a [u8]) -> Result<Self> {
        match descriptor.split_first() {
            Some((b'(', rest)) => Ok(Parameters { descriptor, rest }),
            _ => Err(malformed(descriptor)),
        }
    }

    /// The return descriptor; valid after the last parameter was read.
    pub fn result(&self) -> &'a [u8] {
        self.rest.strip_prefix(b")").unwrap_or(self.rest)
    }
}

impl<'a> Iterator for Parameters<'a> {
    type Item = Result<&'a [u8]>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.first() == Some(&b')') && self.rest.len() > 1 {
            return None;
        }
        match type_length(self.rest) {
            Some(length) => {
                let (parameter, rest) = self.rest.split_at(length);
                self.rest = rest;
                Some(Ok(parameter))
            }
            None => {
                self.rest = b")V";
                Some(Err(malformed(self.descriptor)))
            }
        }
    }
}

/// Bytes of the field type that the text starts with.
#[inline]
fn type_length(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    while *text.get(at)? == b'[' {
        at += 1;
    }
    match text[at] {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => Some(at + 1),
        b'L' => Some(at + 1 + memchr::memchr(b';', &text[at..])?),
        _ => None,
    }
}

#[cold]
fn malformed(descriptor: &[u8]) -> Error {
    let text = super::mutf8::decode(descriptor);
    Error::new(BytecodeErrorKind::ClassFormat, format!("`{text}` is no method descriptor"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_double_take_two_slots_and_arrays_of_them_one() {
        assert_eq!(method_slots(b"(IJ[J[[DLjava/lang/String;D)J").unwrap(), (8, 2));
        assert_eq!(method_slots(b"()V").unwrap(), (0, 0));
        assert_eq!(method_slots(b"([Z)[D").unwrap(), (1, 1));
    }

    #[test]
    fn a_broken_descriptor_is_an_error_that_quotes_it() {
        for broken in [&b""[..], b"I", b"(", b"()", b"(V)V", b"(Lx)V", b"([)V", b"(I"] {
            let text = String::from_utf8_lossy(broken);
            assert_eq!(method_slots(broken).unwrap_err().to_string(), format!("`{text}` is no method descriptor"));
        }
    }
}
