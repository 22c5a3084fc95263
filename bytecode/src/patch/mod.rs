//! Inserting code into methods and constants into the pool, moving only what an insertion moves.
//!
//! The constant pool is append-only and methods without insertions stay the bytes they were; a patch without
//! insertions gives the original file. In a method with insertions these move: branches (widened when 16 bits no
//! longer reach), both switches with their padding, exception table, `LineNumberTable`, `LocalVariableTable`,
//! `LocalVariableTypeTable`, `StackMapTable`, `StackMap`, and the pcs of type annotations.
//!
//! # What runs inserted code
//! | [`Position`] | runs when | a branch to the pc |
//! |---|---|---|
//! | `Entry` | the method is entered | does not run it (a loop back to pc 0 is no entry) |
//! | `Before` | the instruction is about to run | runs it |
//! | `After` | the instruction has completed and control goes on to the next | to the next pc does not run it |
//!
//! Inserted code is covered by the handlers that cover the instruction it is attached to; code at the entry by none.
//!
//! A [`Catch`] runs last of all handlers. Sequences may jump inside themselves, and local variables may be added that live
//! through the whole method: the stack map frames that these need are written ([`frames`]).
//!
//! # What a debugger sees
//! Inserted code has no line of its own. What is attached to an instruction belongs to that instruction's line, and
//! a breakpoint on a line stops before the code inserted there, once per execution of the line as before. Code at
//! the entry has no line: the first line begins after it, so its breakpoint still stops at each pass of a loop back
//! to pc 0. Parameters are visible from the new pc 0 on; other variables begin and end at the same instructions.

mod changes;
mod constants;
mod depth;
mod edit;
mod frames;
mod layout;
mod room;
mod sequence;
mod tables;
mod type_state;

pub use changes::{Catch, Insertion, MethodEdit, NewPc, OldPc, Position};
pub use constants::PoolEditor;
pub use room::{Need, room};
pub use sequence::{Jump, Sequence};

use std::ops::Range;

use crate::read::{ClassFile, CodeAttribute, Member};
use crate::{Error, ErrorKind, Result};
use changes::MethodContext;
use layout::put;

/// Memory that patches borrow, one per thread: with it, a patch allocates its result and nothing else.
#[derive(Debug, Default)]
pub struct Workspace {
    edit: edit::CodeEdit,
    /// The edited `Code` attributes, each from its length on.
    edited: Vec<u8>,
    /// What to copy before each of them.
    kept: Vec<Kept>,
    added: Vec<u8>,
    added_at: Vec<u32>,
}

/// A run of the original that stays, and where the edited bytes behind it end.
#[derive(Clone, Debug)]
struct Kept {
    original: Range<usize>,
    edited_end: usize,
}

impl Workspace {
    /// A workspace that widens jumps longer than `reach` bytes, where 32,767 would fit: a test of widening on code
    /// of any length.
    pub fn with_reach(reach: i16) -> Self {
        let mut workspace = Workspace::default();
        workspace.edit.layout.reach = reach.max(0);
        workspace
    }
}

/// A class in work: edits go from the first method to the last, then [`ClassPatch::finish`] gives the file.
#[derive(Debug)]
pub struct ClassPatch<'w, 'a> {
    class: ClassFile<'a>,
    /// The constants, to add what sequences need.
    pub pool: PoolEditor<'a>,
    workspace: &'w mut Workspace,
    /// Everything before this offset, and behind the pool, is in `workspace.kept` or edited.
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

    /// Inserts code into one method and tells where each insertion's code starts.
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

    /// Edits one method and tells where the code of each insertion, and then of each handler, starts.
    ///
    /// After an error the patch is of no use.
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
        self.workspace.edit.plan(code, changes, &self.class.pool)?;
        self.write(method, code, changes)?;
        Ok(&self.workspace.edit.starts)
    }

    /// Writes a method as it is planned.
    fn write(&mut self, method: &Member<'a>, code: &CodeAttribute<'a>, changes: &MethodEdit<'_>) -> Result<()> {
        let edit = &mut self.workspace.edit;
        let untouched = before(self.copied, code)?;
        let body = &mut self.workspace.edited;
        let length_at = body.len();
        body.extend([0; 4]);
        put(body, edit.max_stack.into());
        put(body, edit.max_locals.into());
        body.extend_from_slice(&edit.new_length().to_be_bytes());
        edit.write(code, changes, body)?;
        let (class, pool) = (&self.class, &mut self.pool);
        tables::write(edit, MethodContext { class, method, code, changes, pool }, body)?;
        set_length(body, length_at)?;
        self.workspace.kept.push(Kept { original: untouched, edited_end: body.len() });
        self.copied = code.end;
        Ok(())
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
            return Err(Error::new(ErrorKind::Limit, message));
        }
        let untouched = before(self.copied, code)?;
        let body = &mut self.workspace.edited;
        let length_at = body.len();
        body.extend([0; 4]);
        put(body, max_stack.into());
        put(body, max_locals.into());
        body.extend_from_slice(&(instructions.len() as u32).to_be_bytes());
        body.extend_from_slice(instructions);
        // No handlers, no attributes.
        body.extend([0; 4]);
        set_length(body, length_at)?;
        self.workspace.kept.push(Kept { original: untouched, edited_end: body.len() });
        self.copied = code.end;
        Ok(())
    }

    /// The file: header, old and new constants, then everything else as it was or as it was edited.
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

/// Finished or not, the buffers go back for the next class.
impl Drop for ClassPatch<'_, '_> {
    fn drop(&mut self) {
        self.workspace.added = std::mem::take(&mut self.pool.added);
        self.workspace.added_at = std::mem::take(&mut self.pool.added_at);
    }
}

/// What lies between the last edit and the length of a `Code` attribute.
fn before(copied: usize, code: &CodeAttribute<'_>) -> Result<Range<usize>> {
    match copied <= code.offset {
        true => Ok(copied..code.offset + 2),
        false => Err(Error::new(ErrorKind::Internal, "methods are edited out of order")),
    }
}

fn set_length(body: &mut [u8], at: usize) -> Result<()> {
    let Ok(length) = u32::try_from(body.len() - at - 4) else {
        return Err(Error::new(ErrorKind::Limit, "the Code attribute has 4 GiB or more"));
    };
    body[at..at + 4].copy_from_slice(&length.to_be_bytes());
    Ok(())
}
