//! Classes get the probes of the traces that want them, while they are loaded or transformed again.

use std::cell::RefCell;

use jvmti_bindings::prelude::*;

use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, PoolOffsets};
use weighbridge_config::Traced;
use weighbridge_probes::SkipReason;
use weighbridge_probes::constructor::{ConstructorProbe, Constructors, Objects, Track, is_blind};
use weighbridge_probes::coverage::{Coverage, CoverageProbe};
use weighbridge_probes::entry::{Entries, Entry, EntryProbe};
use weighbridge_probes::method::{MethodProbe, Methods};
use weighbridge_probes::usage::{UsageProbe, Usages};
use weighbridge_probes::{Outcome, TRACES};

use super::runs::Tracing;
use crate::session::Session;

thread_local! {
    static ENGINES: RefCell<Engines> = RefCell::default();
}

#[derive(Default)]
struct Engines {
    pool: PoolOffsets,
    methods: Methods,
    coverage: Coverage,
    objects: Constructors,
    usages: Usages,
    entries: Entries,
}

/// The trace is in the high bits of a number, above its places.
const SHIFT: u32 = 23;

/// What the probes of traces run themselves before they can tell that they are inside one: these stay as they are.
const OF_PROBES: [&[u8]; 4] = [b"java/lang/Object", b"java/lang/Thread", b"java/lang/System", b"java/lang/Runtime"];
const OF_PROBES_BELOW: [&[u8]; 2] = [b"java/lang/invoke/", b"jdk/internal/"];

/// Why a class stays as it is, though a trace wants it.
fn refused(name: &[u8]) -> Option<&'static str> {
    (OF_PROBES.contains(&name) || OF_PROBES_BELOW.iter().any(|package| name.starts_with(package)))
        .then_some("the probes themselves run it")
}

impl Session {
    /// The bytes of a class with the probes of all traces that want it; `None` if there is none. Runs no Java code.
    pub(crate) fn load_traces(
        &self,
        jvmti: &Jvmti,
        jni: &JniEnv,
        event: &ClassFileLoadHookEvent<'_>,
        name: &[u8],
    ) -> Option<Vec<u8>> {
        let traces = self.traces.all();
        let mut wanting = traces.iter().filter(|trace| trace.is_on() && trace.wants(name)).peekable();
        wanting.peek()?;
        let loader = self.classes().loader(jvmti, jni, event.loader());
        let mut changed: Option<Vec<u8>> = None;
        for trace in wanting {
            if let Some(reason) = refused(name) {
                trace.places().left(loader, name, Some(reason.to_owned()));
                continue;
            }
            let own = changed.as_deref().unwrap_or(event.class_data());
            if let Some(bytes) = ENGINES.with_borrow_mut(|engines| engines.trace(trace, loader, name, own)) {
                changed = Some(bytes);
            }
        }
        if changed.is_some() && event.loader().is_null() {
            self.change_jdk(jni);
        }
        changed
    }
}

impl Engines {
    fn trace(&mut self, trace: &Tracing, loader: usize, name: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
        let Engines { pool, methods, coverage, objects, usages, entries } = self;
        // Held while it is decided, so that the places of a class are in one piece.
        let mut places = trace.places();
        let number = |place: u32| u32::from(trace.number) << SHIFT | place;
        let full = || Ok(Err("there are no numbers left for its places".to_owned()));
        let mut rewrite = || -> Result<std::result::Result<Vec<u8>, String>> {
            let class = ClassFile::read(bytes, pool)?;
            match trace.what {
                Traced::Methods | Traced::Calls => {
                    let count = u32::from(class.methods()?.all());
                    let Some(first) = places.first(loader, name, count) else { return full() };
                    let wanted = |method: &[u8]| trace.wants_method(name, method);
                    let probe = MethodProbe {
                        bridge: TRACES,
                        first_id: number(first),
                        wanted,
                        arguments: trace.what == Traced::Calls && trace.tells_arguments,
                    };
                    match methods.rewrite(&class, &probe)? {
                        Outcome::Rewritten(new) => {
                            places.took(loader, &class, first..first + count, trace.what, &[])?;
                            Ok(Ok(new.bytes))
                        }
                        Outcome::Skipped(reason) => Ok(Err(unless_harmless(reason))),
                    }
                }
                // It wants no class.
                Traced::References | Traced::Samples => Ok(Err(String::new())),
                Traced::Scopes => {
                    // The runtime asks for the entry, not for the method.
                    let id = |entry: usize| number(entry as u32);
                    let entry = |method: &[u8]| {
                        trace
                            .entry(name, method)
                            .map(|(index, entry)| Entry { id: id(index), argument: entry.argument })
                    };
                    let probe = EntryProbe { bridge: TRACES, made: trace.carrier(name).map(id), entry };
                    let Some(first) = places.first(loader, name, 0) else { return full() };
                    match entries.rewrite(&class, &probe)? {
                        Outcome::Rewritten(new) => {
                            places.took(loader, &class, first..first, trace.what, &[])?;
                            Ok(Ok(new.bytes))
                        }
                        Outcome::Skipped(reason) => Ok(Err(unless_harmless(reason))),
                    }
                }
                Traced::Coverage => {
                    let probe = |first_id| CoverageProbe { bridge: TRACES, first_id };
                    let count = match coverage.decide(&class, &probe(0))? {
                        Ok(sites) => sites.sites.len() as u32,
                        Err(reason) => return Ok(Err(unless_harmless(reason))),
                    };
                    let Some(first) = places.first(loader, name, count) else { return full() };
                    match coverage.rewrite(&class, &probe(number(first)))? {
                        Outcome::Rewritten(new) => {
                            let sites: Vec<(u16, u16)> =
                                new.sites.iter().map(|(site, _)| (site.method, site.call.line)).collect();
                            places.took(loader, &class, first..first + count, trace.what, &sites)?;
                            Ok(Ok(new.bytes))
                        }
                        Outcome::Skipped(reason) => Ok(Err(unless_harmless(reason))),
                    }
                }
                Traced::Objects | Traced::Uses => {
                    if is_blind(&class) {
                        return Ok(Err("its class file is too old to name its own class".to_owned()));
                    }
                    let Some(first) = places.first(loader, name, 1) else { return full() };
                    let id = number(first);
                    let probe = ConstructorProbe { bridge: TRACES, id, track: Track::Live, objects: Objects::Own };
                    let made = objects.rewrite(&class, &probe)?;
                    let outcome = match (trace.what, made) {
                        (Traced::Uses, made) => {
                            let probe = UsageProbe { bridge: TRACES, id, wanted: |owner: &[u8]| trace.wants(owner) };
                            let bytes = match &made {
                                Outcome::Rewritten(new) => &new.bytes,
                                Outcome::Skipped(_) => bytes,
                            };
                            let used = usages.rewrite(&ClassFile::read(bytes, pool)?, &probe)?;
                            // Without uses of its own its objects are made all the same.
                            match used {
                                Outcome::Rewritten(new) => Ok(new.bytes),
                                Outcome::Skipped(reason) => match made {
                                    Outcome::Rewritten(new) => Ok(new.bytes),
                                    Outcome::Skipped(_) => Err(reason),
                                },
                            }
                        }
                        (_, Outcome::Rewritten(new)) => Ok(new.bytes),
                        (_, Outcome::Skipped(reason)) => Err(reason),
                    };
                    Ok(match outcome {
                        Ok(bytes) => {
                            let class = ClassFile::read(&bytes, pool)?;
                            places.took(loader, &class, first..first + 1, trace.what, &[])?;
                            Ok(bytes)
                        }
                        Err(reason) => Err(unless_harmless(reason)),
                    })
                }
            }
        };
        let reason = match rewrite() {
            Ok(Ok(bytes)) => return Some(bytes),
            Ok(Err(reason)) => reason,
            Err(error) => error.to_string(),
        };
        places.left(loader, name, Some(reason).filter(|reason| !reason.is_empty()));
        None
    }
}

/// The reason, or nothing if nobody misses such a class in a trace.
fn unless_harmless(reason: SkipReason) -> String {
    match reason {
        SkipReason::NoSite | SkipReason::Interface | SkipReason::Module | SkipReason::OnlySubclasses => String::new(),
        other => other.to_string(),
    }
}
