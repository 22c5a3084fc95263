//! Numbers for what the probes tell.

use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, Member};

/// What the numbers in the probes stand for. The same thing gets the same number each time.
pub trait Numbers {
    /// A method.
    ///
    /// # Errors
    /// `ClassFormat` for a damaged class.
    fn method(&self, class: &ClassFile<'_>, method: &Member<'_>, line: u16) -> Result<u32>;
    /// A field, by the class that the code names.
    fn field(&self, class: &[u8], name: &[u8]) -> u32;
    /// Code of a method that makes objects of a class: an internal name, or the descriptor of an array.
    fn site(&self, method: u32, line: u16, made: &[u8]) -> u32;
    /// A method that gets no probes, and why.
    fn skip_method(&self, class: &ClassFile<'_>, method: &Member<'_>, reason: String);
}
