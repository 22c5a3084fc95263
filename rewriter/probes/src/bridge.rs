//! The bridge class of a jar: the compiled template with another name and the jar's table.

use std::ops::Range;

use weighbridge_bytecode::patch::{ClassPatch, PoolEditor, Sequence, Workspace};
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, PoolOffsets, access, mutf8, op, tag};
use weighbridge_bytecode::{BytecodeErrorKind, Error, Result};

/// Bytes that one Utf8 constant holds at most (JVMS §4.4.7: a `u2`).
pub const MAX_UTF8: usize = 65_535;

/// How often a bridge can be linked to a runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// When it is initialised. Its fields are final, so the JIT compiler treats their values as constants: a probe
    /// without a runtime costs nothing.
    Once,
    /// Whenever its host sets the fields: null switches the probes off, another receiver links them again. Each call
    /// then loads a field and checks the receiver's class.
    Again,
}

/// Renames the compiled bridge template and makes its `table()` return a text.
///
/// `template` is `weighbridge_runtime::BRIDGE_TEMPLATE`, `internal_name` the new name (`com/acme/Weighbridge$...`).
/// A text longer than one constant is split into several. Same input, same bytes.
///
/// # Errors
/// `Internal` when the template has no `static String table()`; `Limit` for a table of hundreds of megabytes.
pub fn bridge_class(template: &[u8], internal_name: &str, table: &str, links: Links) -> Result<Vec<u8>> {
    let pieces = mutf8::encode_in_pieces(table, MAX_UTF8);
    let frame = bridge_frame(template, internal_name, pieces.len(), links)?;
    let mut class = Vec::with_capacity(frame.bytes.len() + table.len());
    let mut copied = 0;
    for (range, piece) in frame.pieces.iter().zip(&pieces) {
        class.extend_from_slice(&frame.bytes[copied..range.start]);
        class.extend_from_slice(&(piece.len() as u16).to_be_bytes());
        class.extend_from_slice(piece);
        copied = range.end;
    }
    class.extend_from_slice(&frame.bytes[copied..]);
    Ok(class)
}

/// A bridge class without its table, for a table that need not fit into memory.
#[derive(Debug)]
pub struct BridgeFrame {
    /// The class file, with short texts instead of the pieces of the table.
    pub bytes: Vec<u8>,
    /// Where these texts are, in their order: two bytes of length and the text (JVMS §4.4.7), to be replaced by a piece in the
    /// same form.
    pub pieces: Vec<Range<usize>>,
}

/// The bridge for a table of so many pieces, each of at most [`MAX_UTF8`] bytes of modified UTF-8.
///
/// # Errors
/// As [`bridge_class`].
pub fn bridge_frame(template: &[u8], internal_name: &str, pieces: usize, links: Links) -> Result<BridgeFrame> {
    let mut memory = PoolOffsets::default();
    let mut renamed = rename(&ClassFile::read(template, &mut memory)?, internal_name)?;
    if links == Links::Again {
        make_fields_settable(&mut renamed)?;
    }
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(&renamed, &mut memory)?;
    let mut workspace = Workspace::default();
    let mut patch = ClassPatch::new(&class, &mut workspace);
    let Some(code) = table_code(&class)? else {
        return Err(Error::new(BytecodeErrorKind::Internal, "the bridge template has no method `String table()`"));
    };
    let texts: Vec<Vec<u8>> = (0..pieces).map(placeholder).collect();
    let mut body = text(&texts, &mut patch.pool)?;
    body.raw(&[op::ARETURN], 1, 0);
    patch.replace(&code, body.stack(), 0, body.bytes())?;
    let bytes = patch.finish();
    let mut memory = PoolOffsets::default();
    let pool = ClassFile::read(&bytes, &mut memory)?.pool;
    let mut found = Vec::with_capacity(pieces);
    for index in pool.indices() {
        let raw = pool.raw(index)?;
        if raw[0] == tag::UTF8 && found.len() < pieces && raw[3..] == texts[found.len()] {
            let start = raw.as_ptr() as usize - bytes.as_ptr() as usize + 1;
            found.push(start..start + raw.len() - 1);
        }
    }
    match found.len() == pieces {
        true => Ok(BridgeFrame { bytes, pieces: found }),
        false => Err(Error::new(BytecodeErrorKind::Internal, "the bridge has no constants for its table")),
    }
}

/// A text that no template has, one for each piece: equal constants would be one.
fn placeholder(piece: usize) -> Vec<u8> {
    format!("\u{1}{piece}").into_bytes()
}

/// Gives the compiled class of the probes of traces another name, and fields that its host can set at any time.
///
/// # Errors
/// None for `weighbridge_runtime::TRACES_TEMPLATE`.
pub fn traces_class(template: &[u8], internal_name: &str) -> Result<Vec<u8>> {
    let mut memory = PoolOffsets::default();
    let mut renamed = rename(&ClassFile::read(template, &mut memory)?, internal_name)?;
    make_fields_settable(&mut renamed)?;
    Ok(renamed)
}

/// The code of `String table()`.
fn table_code<'a>(class: &ClassFile<'a>) -> Result<Option<CodeAttribute<'a>>> {
    for method in class.methods()? {
        let method = method?;
        if method.name()? == b"table"
            && method.descriptor()? == b"()Ljava/lang/String;"
            && let Some(code) = method.code()?
        {
            return Ok(Some(code));
        }
    }
    Ok(None)
}

/// The table of a bridge (docs/probe-contract.md, "The table"); only the first 65,535 bytes of a longer one.
///
/// # Errors
/// `ClassFormat` if the class has no table or cannot be read.
pub fn table_head(bridge: &[u8]) -> Result<String> {
    let mut memory = PoolOffsets::default();
    let class = ClassFile::read(bridge, &mut memory)?;
    for instruction in table_code(&class)?.iter().flat_map(CodeAttribute::instructions) {
        let instruction = instruction?;
        if matches!(instruction.opcode(), op::LDC | op::LDC_W) {
            return Ok(mutf8::decode(class.pool.utf8_operand(instruction.index(), tag::STRING)?).into_owned());
        }
    }
    Err(Error::new(BytecodeErrorKind::ClassFormat, "the bridge's table is missing"))
}

/// The class under another name and synthetic: its name is replaced in every Utf8 that is the name or a descriptor.
///
/// The template is ours and has no other text that contains its name.
fn rename(class: &ClassFile<'_>, internal_name: &str) -> Result<Vec<u8>> {
    let old = class.name()?;
    let new = mutf8::encode(internal_name);
    let as_type = |name: &[u8]| [b"L", name, b";"].concat();
    let (old_type, new_type) = (as_type(old), as_type(&new));
    let mut out = class.bytes()[..10].to_vec();
    for index in class.pool.indices() {
        let raw = class.pool.raw(index)?;
        if raw[0] != tag::UTF8 {
            out.extend_from_slice(raw);
            continue;
        }
        let text = class.pool.utf8(index)?;
        let text = match text == old {
            true => new.to_vec(),
            false => replace(text, &old_type, &new_type),
        };
        let Ok(length) = u16::try_from(text.len()) else {
            return Err(Error::new(BytecodeErrorKind::Limit, "the name of the bridge class is too long"));
        };
        out.push(tag::UTF8);
        out.extend_from_slice(&length.to_be_bytes());
        out.extend_from_slice(&text);
    }
    out.extend_from_slice(&(class.access_flags | access::SYNTHETIC).to_be_bytes());
    out.extend_from_slice(&class.bytes()[class.pool.end() + 2..]);
    Ok(out)
}

/// Removes `ACC_FINAL` from all fields (JVMS §4.5).
fn make_fields_settable(bridge: &mut [u8]) -> Result<()> {
    let mut memory = PoolOffsets::default();
    let fields = ClassFile::read(bridge, &mut memory)?.fields()?;
    let flags: Vec<_> =
        fields.map(|field| field.map(|field| (field.offset, field.access_flags))).collect::<Result<_>>()?;
    for (offset, access_flags) in flags {
        bridge[offset..offset + 2].copy_from_slice(&(access_flags & !access::FINAL).to_be_bytes());
    }
    Ok(())
}

fn replace(text: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(&first) = rest.first() {
        match rest.strip_prefix(old) {
            Some(after) => {
                out.extend_from_slice(new);
                rest = after;
            }
            None => {
                out.push(first);
                rest = &rest[1..];
            }
        }
    }
    out
}

/// Code that pushes a text: one constant, or a `StringBuilder` with the pieces. It has no branches.
fn text(pieces: &[Vec<u8>], pool: &mut PoolEditor<'_>) -> Result<Sequence> {
    let mut code = Sequence::new();
    if let [piece] = pieces {
        code.constant(pool.string(piece)?);
        return Ok(code);
    }
    const BUILDER: &[u8] = b"java/lang/StringBuilder";
    let [high, low] = pool.class(BUILDER)?.0.to_be_bytes();
    code.raw(&[op::NEW, high, low, op::DUP], 0, 2);
    code.invoke(op::INVOKESPECIAL, pool.method_ref(BUILDER, b"<init>", b"()V")?, 1, 0);
    let append = pool.method_ref(BUILDER, b"append", b"(Ljava/lang/String;)Ljava/lang/StringBuilder;")?;
    for piece in pieces {
        code.constant(pool.string(piece)?);
        code.invoke(op::INVOKEVIRTUAL, append, 2, 1);
    }
    let to_string = pool.method_ref(BUILDER, b"toString", b"()Ljava/lang/String;")?;
    code.invoke(op::INVOKEVIRTUAL, to_string, 1, 1);
    Ok(code)
}
