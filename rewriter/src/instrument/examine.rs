//! Reads one class file: does it match, and can it be rewritten?

use std::cell::RefCell;

use super::kept::Kept;
use super::paths::is_named;
use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, PoolOffsets, access, mutf8, tag};
use weighbridge_config::{Config, Selector};
use weighbridge_probes::SkipReason;
use weighbridge_probes::constructor::{ConstructorProbe, Constructors, Objects, Outcome, Placement, Track, is_blind};

/// Finds all sites that a class may have. Its id and bridge are not known yet; the sites do not depend on them.
const ANY: ConstructorProbe<'static> =
    ConstructorProbe { bridge: "", id: 0, track: Track::Count, objects: Objects::All };

/// A class file that is selected.
#[derive(Debug)]
pub(super) struct Examined {
    /// Internal names: the superclass first, then the interfaces. Empty if it is no class file.
    pub(super) supertypes: Vec<Box<[u8]>>,
    pub(super) verdict: Verdict,
    /// The class file, if it can be rewritten and there was room to keep it.
    pub(super) kept: Kept,
}

/// What was decided.
#[derive(Debug)]
pub(super) enum Verdict {
    /// It can be rewritten; it lacks these configured fields.
    Rewritable { missing_fields: Vec<String>, traits: Traits },
    /// It stays as it is.
    Skipped {
        reason: String,
        /// True for interfaces, modules and classes that are never constructed: no object is missed.
        harmless: bool,
    },
}

/// Properties that decide how a class registers its objects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traits {
    /// Its constructors cannot tell its own objects from those of subclasses ([`is_blind`]).
    pub(super) blind: bool,
    /// Abstract, and no method makes copies: it needs no probe if a superclass registers the objects of its subclasses.
    pub(super) only_subclasses: bool,
}

impl Verdict {
    fn refused(error: &weighbridge_bytecode::Error) -> Verdict {
        Verdict::Skipped { reason: error.to_string(), harmless: false }
    }
}

thread_local! {
    static ENGINE: RefCell<Constructors> = RefCell::new(Constructors::default());
    // Apart from the engine, because the class view borrows it.
    static POOL: RefCell<PoolOffsets> = RefCell::new(PoolOffsets::default());
}

/// Rewrites one class with this thread's engine.
pub(super) fn rewrite(content: &[u8], probe: &ConstructorProbe<'_>) -> Result<Outcome> {
    POOL.with_borrow_mut(|pool| {
        let class = ClassFile::read(content, pool)?;
        ENGINE.with_borrow_mut(|engine| engine.rewrite(&class, probe))
    })
}

/// Decides about a selected class. `name` is the name in its path; `fields` are the configured ones.
pub(super) fn examine(content: &[u8], name: &[u8], fields: &[String]) -> Examined {
    POOL.with_borrow_mut(|pool| {
        let read = ClassFile::read(content, pool).and_then(|class| Ok((class, class.name()?, class.super_name()?)));
        let (class, own_name) = match read {
            Ok((class, own_name, _)) => (class, own_name),
            Err(error) => {
                return Examined { supertypes: Vec::new(), verdict: Verdict::refused(&error), kept: Kept::default() };
            }
        };
        let verdict = if !is_named(own_name, name) {
            let reason = format!("its path says another name than its class file, {}", mutf8::decode(own_name));
            Verdict::Skipped { reason, harmless: false }
        } else {
            ENGINE.with_borrow_mut(|engine| match engine.decide(&class, &ANY) {
                Ok(Ok(sites)) => {
                    let copies = sites.sites.iter().any(|site| site.call.placement == Placement::AfterClone);
                    let only_subclasses = class.access_flags & access::ABSTRACT != 0 && !copies;
                    let traits = Traits { blind: is_blind(&class), only_subclasses };
                    Verdict::Rewritable { missing_fields: missing(&class, fields), traits }
                }
                Ok(Err(reason)) => {
                    let harmless =
                        matches!(reason, SkipReason::Interface | SkipReason::Module | SkipReason::NoConstructor);
                    Verdict::Skipped { reason: reason.to_string(), harmless }
                }
                Err(error) => Verdict::refused(&error),
            })
        };
        Examined { supertypes: supertypes(&class).unwrap_or_default(), verdict, kept: Kept::default() }
    })
}

/// The header of a class: its supertypes, and whether an annotation selects it.
#[derive(Debug)]
pub(super) struct Header {
    /// Superclass first, then the interfaces.
    pub(super) supertypes: Vec<Box<[u8]>>,
    pub(super) annotated: bool,
}

/// Whether a `module-info` describes the archive with this main class (a dotted name). A jar that merges others may have
/// their `module-info`, which lists only their packages. One that lists no packages counts as the archive's own.
pub(super) fn describes(module: &[u8], main_class: &str) -> bool {
    let package = main_class.rsplit_once('.').map_or("", |(package, _)| package).replace('.', "/");
    POOL.with_borrow_mut(|pool| {
        let Ok(class) = ClassFile::read(module, pool) else { return true };
        let pool = class.pool;
        let mut packages = pool.indices().filter_map(|index| pool.named(index, tag::PACKAGE).ok()).peekable();
        packages.peek().is_none() || packages.any(|name| name == package.as_bytes())
    })
}

/// Reads a header; `None` if it is no class file of that name.
pub(super) fn header(content: &[u8], name: &[u8], selector: &Selector<&Config>) -> Option<Header> {
    POOL.with_borrow_mut(|pool| {
        let class = ClassFile::read(content, pool).ok()?;
        class.name().ok().filter(|own_name| is_named(own_name, name))?;
        let annotated = is_annotated(&class, selector).unwrap_or(false);
        Some(Header { supertypes: supertypes(&class).ok()?, annotated })
    })
}

fn is_annotated(class: &ClassFile<'_>, selector: &Selector<&Config>) -> Result<bool> {
    let mut wanted = false;
    if selector.by_annotation() {
        for descriptor in class.annotations()? {
            wanted |= selector.is_wanted_annotation(descriptor?);
        }
    }
    Ok(wanted)
}

fn supertypes(class: &ClassFile<'_>) -> Result<Vec<Box<[u8]>>> {
    let interfaces = class.interfaces().map(|name| name.map(Into::into));
    class.super_name()?.map(|name| Ok(name.into())).into_iter().chain(interfaces).collect()
}

/// True for a class file with another name than in its path.
pub(super) fn is_elsewhere(content: &[u8], name: &[u8]) -> bool {
    POOL.with_borrow_mut(|pool| {
        let class = ClassFile::read(content, pool);
        class.is_ok_and(|class| class.name().is_ok_and(|own_name| !is_named(own_name, name)))
    })
}

fn missing(class: &ClassFile<'_>, wanted: &[String]) -> Vec<String> {
    let declares = |wanted: &String| {
        let mut fields = class.fields().into_iter().flatten().flatten();
        fields.any(|field| field.name().is_ok_and(|name| mutf8::decode(name) == **wanted))
    };
    wanted.iter().filter(|wanted| !declares(wanted)).cloned().collect()
}
