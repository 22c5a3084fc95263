//! Reads one class file: does it match, and can it be rewritten?

use std::cell::RefCell;

use super::paths::is_named;
use super::shared_text::{SharedBytes, SharedText, SharedTexts};
use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, PoolOffsets, access, mutf8, tag};
use weighbridge_config::{Config, Selector};
use weighbridge_probes::SkipReason;
use weighbridge_probes::constructor::{
    Clones, ConstructorProbe, Constructors, MAX_ID, Objects, Outcome, Track, declares_clone, is_blind,
};

/// Finds all sites that a class may have. Its id and bridge are not known yet; the sites do not depend on them. No id needs
/// more code than the largest.
fn any_probe(track: Track) -> ConstructorProbe<'static> {
    ConstructorProbe { bridge: "", id: MAX_ID, track, objects: Objects::All, clones: Clones::All }
}

/// A class file that is selected.
#[derive(Debug)]
pub(super) struct Examined {
    pub(super) supertypes: Supertypes,
    pub(super) verdict: Verdict,
}

/// Internal names of what a class descends from. Of most classes only the superclass is used.
#[derive(Debug, Default)]
pub(super) struct Supertypes {
    /// `None` if it is no class file.
    pub(super) superclass: Option<SharedBytes>,
    #[allow(clippy::box_collection, reason = "one word instead of three, in each of hundreds of thousands of classes")]
    interfaces: Option<Box<Vec<SharedBytes>>>,
}

impl Supertypes {
    /// The superclass first, then the interfaces.
    pub(super) fn names(&self) -> impl Iterator<Item = &SharedBytes> {
        self.superclass.iter().chain(self.interfaces.iter().flat_map(|interfaces| interfaces.iter()))
    }
}

/// What was decided.
#[derive(Debug)]
#[allow(clippy::box_collection, reason = "one word instead of three, in each of hundreds of thousands of classes")]
pub(super) enum Verdict {
    /// It can be rewritten; it lacks these configured fields.
    Rewritable { missing_fields: Option<Box<Vec<String>>>, traits: Traits },
    /// It stays as it is.
    Skipped {
        reason: SharedText,
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
    /// It overrides `clone()` ([`declares_clone`]).
    pub(super) clones: bool,
}

impl Verdict {
    fn from_error(error: &weighbridge_bytecode::Error, texts: &SharedTexts) -> Verdict {
        Verdict::Skipped { reason: texts.reason(&error.to_string()), harmless: false }
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

/// Decides about a selected class. `name` is the name in its path; `track` and `fields` are the configured ones. Its interfaces are kept
/// only if they are `wanted`.
pub(super) fn examine(
    content: &[u8],
    name: &[u8],
    (track, fields): (Track, &[String]),
    wanted: bool,
    texts: &SharedTexts,
) -> Examined {
    POOL.with_borrow_mut(|pool| {
        let read = ClassFile::read(content, pool).and_then(|class| Ok((class, class.name()?, class.super_name()?)));
        let (class, own_name) = match read {
            Ok((class, own_name, _)) => (class, own_name),
            Err(error) => {
                return Examined { supertypes: Supertypes::default(), verdict: Verdict::from_error(&error, texts) };
            }
        };
        let verdict = if !is_named(own_name, name) {
            let reason = format!("its path says another name than its class file, {}", mutf8::decode(own_name));
            Verdict::Skipped { reason: texts.reason(&reason), harmless: false }
        } else {
            ENGINE.with_borrow_mut(|engine| match engine.decide(&class, &any_probe(track)) {
                Ok(Ok(sites)) => {
                    let copies = sites.sites.iter().any(|site| site.call.placement.is_of_clone());
                    let only_subclasses = class.access_flags & access::ABSTRACT != 0 && !copies;
                    // The engine has read the methods.
                    let clones = declares_clone(&class).is_ok_and(|declares| declares);
                    let traits = Traits { blind: is_blind(&class), only_subclasses, clones };
                    let missing = missing(&class, fields);
                    let missing_fields = (!missing.is_empty()).then(|| Box::new(missing));
                    Verdict::Rewritable { missing_fields, traits }
                }
                Ok(Err(reason)) => {
                    let harmless =
                        matches!(reason, SkipReason::Interface | SkipReason::Module | SkipReason::NoConstructor);
                    Verdict::Skipped { reason: texts.reason(&reason.to_string()), harmless }
                }
                Err(error) => Verdict::from_error(&error, texts),
            })
        };
        Examined { supertypes: supertypes(&class, wanted, texts).unwrap_or_default(), verdict }
    })
}

/// The header of a class: its supertypes, and whether an annotation selects it.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) supertypes: Supertypes,
    pub(super) annotated: bool,
}

/// Whether a `module-info` describes the archive with this main class (a dotted name). A jar that merges others may have
/// their `module-info`, which lists only their packages. One that lists no packages counts as the archive's own.
pub(super) fn describes(module: &[u8], main_class: &str) -> bool {
    let package = main_class.rsplit_once('.').map_or("", |(package, _)| package).replace('.', "/");
    POOL.with_borrow_mut(|pool| {
        let Ok(class) = ClassFile::read(module, pool) else { return true };
        let pool = class.pool;
        let mut packages = pool.indices().filter_map(|index| pool.utf8_operand(index, tag::PACKAGE).ok()).peekable();
        packages.peek().is_none() || packages.any(|name| name == package.as_bytes())
    })
}

/// Reads a header; `None` if it is no class file of that name.
pub(super) fn header(content: &[u8], name: &[u8], selector: &Selector<&Config>, texts: &SharedTexts) -> Option<Header> {
    POOL.with_borrow_mut(|pool| {
        let class = ClassFile::read(content, pool).ok()?;
        class.name().ok().filter(|own_name| is_named(own_name, name))?;
        let annotated = is_annotated(&class, selector).unwrap_or(false);
        Some(Header { supertypes: supertypes(&class, selector.by_supertype(), texts).ok()?, annotated })
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

fn supertypes(class: &ClassFile<'_>, with_interfaces: bool, texts: &SharedTexts) -> Result<Supertypes> {
    let superclass = class.super_name()?.map(|name| texts.name(name));
    let mut interfaces = None;
    if with_interfaces {
        let names = class.interfaces().map(|name| name.map(|name| texts.name(name)));
        interfaces = Some(Box::new(names.collect::<Result<Vec<_>>>()?));
    }
    Ok(Supertypes { superclass, interfaces })
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

/// What the probes of a class record, by the configuration.
pub(super) fn probe_track(track: weighbridge_config::Track) -> Track {
    match track {
        weighbridge_config::Track::Live => Track::Live,
        weighbridge_config::Track::Count => Track::Count,
    }
}
