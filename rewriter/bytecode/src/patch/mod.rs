//! Inserting code into methods and constants into the pool.
//!
//! The constant pool only grows, and methods without insertions keep their bytes; a patch without insertions gives the
//! original file. In a method with insertions these change: branches (widened when 16 bits do not suffice), both switches
//! with their padding, exception table, `LineNumberTable`, `LocalVariableTable`, `LocalVariableTypeTable`,
//! `StackMapTable`, `StackMap`, and the pcs of type annotations.
//!
//! # What runs inserted code
//! | [`Position`] | runs when | a branch to the pc |
//! |---|---|---|
//! | `Entry` | the method is entered | does not run it (a loop back to pc 0 is no entry) |
//! | `Before` | the instruction is about to run | runs it |
//! | `After` | the instruction has completed and control continues at the next | to the next pc does not run it |
//!
//! The handlers that cover an instruction also cover the code inserted at it. No handler covers code at the entry.
//!
//! A [`Catch`] is the last handler. Sequences may jump inside themselves, and local variables may be added for the whole
//! method; [`frames`] writes the stack map frames that these need.
//!
//! # What a debugger sees
//! Code inserted at an instruction belongs to that instruction's line. A breakpoint on a line stops before that code, once
//! per execution of the line, as without it. Code at the entry has no line: the first line starts after it, so its
//! breakpoint still stops at each pass of a loop back to pc 0. Parameters are visible from the new pc 0; other variables
//! start and end at the same instructions.

mod changes;
mod constants;
mod depth;
mod edit;
mod frames;
mod layout;
mod parameters;
mod room;
mod sequence;
mod tables;
mod type_state;

pub use changes::{Catch, Insertion, MethodEdit, NewPc, OldPc, Position};
pub use constants::PoolEditor;
pub use parameters::keeps_parameters;
pub use room::{Need, room};
pub use sequence::{Jump, Sequence};

use std::ops::Range;

use crate::read::{ClassFile, CodeAttribute, Member};
use crate::{BytecodeErrorKind, Error, Result};
use changes::MethodContext;
use layout::{append_u2, set_length};

/// Reusable memory, one per thread. With it a patch allocates only its result.
#[derive(Debug, Default)]
pub struct Workspace {
    edit: edit::CodeEdit,
    /// The edited `Code` attributes, each from its `attribute_length`.
    edited: Vec<u8>,
    /// The parts of the original before each of them.
    kept: Vec<Kept>,
    added: Vec<u8>,
    added_at: Vec<u32>,
}

/// A part of the original that stays, and the end of the edited bytes after it.
#[derive(Clone, Debug)]
struct Kept {
    original: Range<usize>,
    edited_end: usize,
}

impl Workspace {
    /// A workspace that widens jumps of more than `reach` bytes instead of 32,767: tests widening on code of any length.
    pub fn with_reach(reach: i16) -> Self {
        let mut workspace = Workspace::default();
        workspace.edit.layout.reach = reach.max(0);
        workspace
    }
}

/// The edits of a class, from the first method to the last; then [`ClassPatch::finish`] gives the file.
#[derive(Debug)]
pub struct ClassPatch<'w, 'a> {
    class: ClassFile<'a>,
    /// The constants, to add what sequences need.
    pub pool: PoolEditor<'a>,
    workspace: &'w mut Workspace,
    /// Everything between the pool and this offset is in `workspace.kept` or edited.
    copied: usize,
}

impl<'w, 'a> ClassPatch<'w, 'a> {
    /// Starts with the class as it is.
    pub fn new(class: &ClassFile<'a>, workspace: &'w mut Workspace) -> Self {
        let added = std::mem::take(&mut workspace.added);
        let added_at = std::mem::take(&mut workspace.added_at);
        workspace.edited.clear();
        workspace.kept.clear();
        ClassPatch {
            class: *class,
            pool: PoolEditor::new(class.pool, added, added_at),
            workspace,
            copied: class.pool.end(),
        }
    }

    /// Inserts code into one method; returns where the code of each insertion starts.
    ///
    /// # Errors
    /// As [`ClassPatch::edit`].
    pub fn insert(
        &mut self,
        method: &Member<'a>,
        code: &CodeAttribute<'a>,
        insertions: &[Insertion<'_>],
    ) -> Result<&[NewPc]> {
        self.edit(method, code, &MethodEdit { insertions, ..MethodEdit::default() })
    }

    /// Edits one method; returns where the code of each insertion, then of each handler, starts.
    ///
    /// After an error the patch is unusable.
    ///
    /// # Errors
    /// `ClassFormat` for damaged code or tables; `Limit` when the code, stack or locals grow too large;
    /// `Internal` for an insertion where there is no instruction, or a method before one that is edited already.
    pub fn edit(
        &mut self,
        method: &Member<'a>,
        code: &CodeAttribute<'a>,
        changes: &MethodEdit<'_>,
    ) -> Result<&[NewPc]> {
        let ClassPatch { class, pool, workspace: Workspace { edit, edited, kept, .. }, copied } = self;
        edit.plan(code, changes, &class.pool)?;
        let (max_stack, max_locals, length) = (edit.max_stack, edit.max_locals, edit.new_length());
        replace_code(kept, edited, copied, code, (max_stack, max_locals, length), |body| {
            edit.write(code, changes, body)?;
            tables::write(edit, MethodContext { class, method, code, changes, pool }, body)
        })?;
        Ok(&edit.starts)
    }

    /// Replaces a method's `Code` by straight-line code without tables.
    ///
    /// # Errors
    /// `Limit` when the code is too long; `Internal` for a method before one that is edited already.
    pub fn replace(
        &mut self,
        code: &CodeAttribute<'a>,
        max_stack: u16,
        max_locals: u16,
        instructions: &[u8],
    ) -> Result<()> {
        if instructions.len() > crate::read::MAX_CODE_LENGTH {
            let message = format!("the code would have {} bytes", instructions.len());
            return Err(Error::new(BytecodeErrorKind::Limit, message));
        }
        let Workspace { edited, kept, .. } = &mut *self.workspace;
        let head = (max_stack, max_locals, instructions.len() as u32);
        replace_code(kept, edited, &mut self.copied, code, head, |body| {
            body.extend_from_slice(instructions);
            // No handlers, no attributes.
            body.extend([0; 4]);
            Ok(())
        })
    }

    /// The file: header, old and new constants, then the rest with the edits.
    pub fn finish(self) -> Vec<u8> {
        let (bytes, pool_end) = (self.class.bytes(), self.class.pool.end());
        let (added, edited, rest) = (&self.pool.added, &self.workspace.edited, &bytes[self.copied..]);
        let kept: usize = self.workspace.kept.iter().map(|kept| kept.original.len()).sum();
        let mut out = Vec::with_capacity(pool_end + added.len() + kept + edited.len() + rest.len());
        out.extend_from_slice(&bytes[..8]);
        out.extend_from_slice(&self.pool.count().to_be_bytes());
        out.extend_from_slice(&bytes[10..pool_end]);
        out.extend_from_slice(added);
        let mut edited_from = 0;
        for Kept { original, edited_end } in &self.workspace.kept {
            out.extend_from_slice(&bytes[original.clone()]);
            out.extend_from_slice(&edited[edited_from..*edited_end]);
            edited_from = *edited_end;
        }
        out.extend_from_slice(rest);
        out
    }
}

/// Returns the buffers to the workspace, whether the patch was finished or not.
impl Drop for ClassPatch<'_, '_> {
    fn drop(&mut self) {
        self.workspace.added = std::mem::take(&mut self.pool.added);
        self.workspace.added_at = std::mem::take(&mut self.pool.added_at);
    }
}

/// Writes a `Code` attribute: its length, `max_stack`, `max_locals` and `code_length`, then what `write` adds.
fn replace_code(
    kept: &mut Vec<Kept>,
    edited: &mut Vec<u8>,
    copied: &mut usize,
    code: &CodeAttribute<'_>,
    (max_stack, max_locals, code_length): (u16, u16, u32),
    write: impl FnOnce(&mut Vec<u8>) -> Result<()>,
) -> Result<()> {
    if *copied > code.offset {
        return Err(Error::new(BytecodeErrorKind::Internal, "methods are edited out of order"));
    }
    let length_at = edited.len();
    edited.extend([0; 4]);
    append_u2(edited, max_stack.into());
    append_u2(edited, max_locals.into());
    edited.extend_from_slice(&code_length.to_be_bytes());
    write(edited)?;
    set_length(edited, length_at)?;
    kept.push(Kept { original: *copied..code.offset + 2, edited_end: edited.len() });
    *copied = code.end;
    Ok(())
}
