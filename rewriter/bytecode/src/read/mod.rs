//! Reading class files (JVMS §4) as borrowed views over their bytes.
//!
//! Nothing is copied. Every length is checked before it is used, and every constant when it is looked up. An error names
//! the absolute offset in the file. Names stay modified UTF-8 bytes, so lone surrogates survive. The module knows class
//! files up to JDK 26 (major 70).
//!
//! ```
//! # use weighbridge_bytecode::read::{ClassFile, PoolOffsets};
//! # fn names(bytes: &[u8]) -> weighbridge_bytecode::Result<()> {
//! let mut memory = PoolOffsets::default(); // reused from class to class
//! let class = ClassFile::read(bytes, &mut memory)?;
//! for method in class.methods()? {
//!     println!("{}", method?.title());
//! }
//! # Ok(()) }
//! ```

mod annotation;
mod attribute;
mod class;
mod code;
mod cursor;
pub mod descriptor;
mod frames;
mod instruction;
pub mod mutf8;
mod opcode;
mod pool;
pub mod print;

pub use annotation::{AnnotationTypes, CodeTarget, TypeAnnotationTargets};
pub use attribute::{Attribute, Attributes};
pub use class::{ClassFile, Member, Members, access};
pub use code::{CodeAttribute, Handler, MAX_CODE_LENGTH};
pub use cursor::ClassCursor;
pub use frames::{StackMapFrame, StackMapFrameKind, StackMapFrames, Types, VerificationType};
pub(crate) use instruction::switch_operands;
pub use instruction::{BranchOperand, Instruction, Instructions, shuffled};
pub use opcode::{mnemonic, op};
pub use pool::{CpIndex, MemberRef, Pool, PoolOffsets, tag};
