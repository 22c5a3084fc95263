//! The probe kinds of the run: the product's constructor probes, and three that stand for the traces to come.

use weighbridge_bytecode::patch::{ClassPatch, Insertion, OldPc, Position, Sequence, Workspace};
use weighbridge_bytecode::read::{ClassFile, CodeAttribute, CpIndex, Member, PoolOffsets, op};
use weighbridge_bytecode::{Error, ErrorKind, Result};
use weighbridge_probes::constructor::{Claims, ConstructorProbe, Instrumenter, Objects, Outcome, Track};

/// What is inserted where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Constructors register their objects.
    Live,
    /// Constructors count their objects.
    Count,
    /// A call at the entry of every method, before each return and before each `athrow`.
    Method,
    /// A call with a site number before each `new` and after each array creation.
    Allocation,
    /// A call with two numbers before `getfield` and `putfield` and after `getstatic` and `putstatic`.
    Field,
}

/// All kinds, in the order of the report.
pub const KINDS: [Kind; 5] = [Kind::Live, Kind::Count, Kind::Method, Kind::Allocation, Kind::Field];

/// The class that the inserted calls name; linking does not resolve it, so it does not have to exist.
const BRIDGE: &str = "corpus/Weighbridge$0123456789abcdef";

/// What became of a class.
#[derive(Debug)]
pub enum Change {
    /// Rewritten, with this many insertions.
    Rewritten(Vec<u8>, u64),
    /// Left alone, with the reason.
    Skipped(String),
}

impl Kind {
    /// Its name in the report; `xtask/java/Injected.java` knows the same names.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Live => "constructors live",
            Kind::Count => "constructors count",
            Kind::Method => "method entry, exit, throw",
            Kind::Allocation => "allocation sites",
            Kind::Field => "field accesses",
        }
    }

    /// A folder for what it makes.
    pub fn folder(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// The name and descriptor of the inserted call at an instruction, and its side.
    fn site(self, opcode: u8) -> Option<(Call, Position)> {
        let site = match (self, opcode) {
            (Kind::Method, op::IRETURN..=op::RETURN) => (Call::Exit, Position::Before),
            (Kind::Method, op::ATHROW) => (Call::Raise, Position::Before),
            (Kind::Allocation, op::NEW) => (Call::Allocate, Position::Before),
            (Kind::Allocation, op::NEWARRAY | op::ANEWARRAY | op::MULTIANEWARRAY) => (Call::Allocate, Position::After),
            (Kind::Field, op::GETFIELD | op::PUTFIELD) => (Call::Access, Position::Before),
            (Kind::Field, op::GETSTATIC | op::PUTSTATIC) => (Call::Access, Position::After),
            _ => return None,
        };
        Some(site)
    }
}

#[derive(Clone, Copy, Debug)]
enum Call {
    Enter,
    Exit,
    Raise,
    Allocate,
    Access,
}

impl Call {
    fn name(self) -> &'static [u8] {
        match self {
            Call::Enter => b"enter",
            Call::Exit => b"exit",
            Call::Raise => b"raise",
            Call::Allocate => b"allocate",
            Call::Access => b"access",
        }
    }

    /// How many `int`s it takes.
    fn arguments(self) -> u16 {
        match self {
            Call::Enter | Call::Exit | Call::Raise => 0,
            Call::Allocate => 1,
            Call::Access => 2,
        }
    }

    fn descriptor(self) -> &'static [u8] {
        match self.arguments() {
            0 => b"()V",
            1 => b"(I)V",
            _ => b"(II)V",
        }
    }
}

/// The engine with its reused memory; one per thread.
#[derive(Debug, Default)]
pub struct Engine {
    instrumenter: Instrumenter,
    pool: PoolOffsets,
    workspace: Workspace,
}

impl Engine {
    /// Rewrites one class; `id` becomes the id of its probes.
    pub fn rewrite(&mut self, kind: Kind, bytes: &[u8], id: u32) -> Result<Change> {
        let class = ClassFile::read(bytes, &mut self.pool)?;
        let track = match kind {
            Kind::Live => Track::Live,
            Kind::Count => Track::Count,
            _ => return insert(kind, &class, &mut self.workspace, id),
        };
        let probe = ConstructorProbe { bridge: BRIDGE, id, track, objects: Objects::All, claims: Claims::default() };
        Ok(match self.instrumenter.constructors(&class, &probe)? {
            Outcome::Rewritten(new) => Change::Rewritten(new.bytes, new.sites.len() as u64),
            Outcome::Skipped(reason) => {
                // The variant's name without what it names, so that equal reasons are counted together.
                let reason = format!("{reason:?}");
                Change::Skipped(reason.split([' ', '(', '{']).next().unwrap_or_default().to_owned())
            }
        })
    }
}

fn insert<'a>(kind: Kind, class: &ClassFile<'a>, workspace: &mut Workspace, id: u32) -> Result<Change> {
    let mut patch = ClassPatch::new(class, workspace);
    let mut insertions = 0;
    for method in class.methods()? {
        let method = method?;
        let mut edit = || -> Result<usize> {
            match method.code()? {
                Some(code) => edit_method(kind, &method, &code, &mut patch, id),
                None => Ok(0),
            }
        };
        insertions += edit().map_err(|error| error.in_method(method.title()))?;
    }
    Ok(match insertions {
        0 => Change::Skipped("NoSuchSite".to_owned()),
        _ => Change::Rewritten(patch.finish(), insertions as u64),
    })
}

fn edit_method<'a>(
    kind: Kind,
    method: &Member<'a>,
    code: &CodeAttribute<'a>,
    patch: &mut ClassPatch<'_, 'a>,
    id: u32,
) -> Result<usize> {
    let mut sites = Vec::new();
    if kind == Kind::Method {
        sites.push((OldPc(0), Position::Entry, sequence(Call::Enter, patch, id)?));
    }
    for instruction in code.instructions() {
        let instruction = instruction?;
        if let Some((call, position)) = kind.site(instruction.opcode()) {
            sites.push((OldPc(instruction.pc), position, sequence(call, patch, id)?));
        }
    }
    let insertions: Vec<Insertion<'_>> =
        sites.iter().map(|(at, position, sequence)| Insertion { at: *at, position: *position, sequence }).collect();
    if insertions.is_empty() {
        return Ok(0);
    }
    let starts = patch.insert(method, code, &insertions)?.len();
    match starts == insertions.len() {
        true => Ok(starts),
        false => Err(Error::new(ErrorKind::Internal, format!("{starts} starts for {} insertions", insertions.len()))),
    }
}

fn sequence(call: Call, patch: &mut ClassPatch<'_, '_>, id: u32) -> Result<Sequence> {
    let mut sequence = Sequence::new();
    for _ in 0..call.arguments() {
        sequence.int(id as i32, &mut patch.pool)?;
    }
    let method: CpIndex = patch.pool.method_ref(BRIDGE.as_bytes(), call.name(), call.descriptor())?;
    sequence.invoke(op::INVOKESTATIC, method, call.arguments(), 0);
    Ok(sequence)
}
