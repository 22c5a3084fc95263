//! Classes get the probes of the traces that want them, while they are loaded or transformed again.

use std::cell::RefCell;

use jvmti_bindings::prelude::*;

use weighbridge_bytecode::Result;
use weighbridge_bytecode::read::{ClassFile, PoolOffsets};
use weighbridge_config::TraceKind;
use weighbridge_contract::PROBE_BITS;
use weighbridge_probes::SkipReason;
use weighbridge_probes::constructor::{Clones, ConstructorProbe, Constructors, Objects, Track, is_blind};
use weighbridge_probes::coverage::{Coverage, CoverageProbe};
use weighbridge_probes::entry::{Entries, EntryProbe, OpenedEntry};
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
    /// Of a class that has the probes of its constructors already.
    pool_of_made: PoolOffsets,
    methods: Methods,
    coverage: Coverage,
    objects: Constructors,
    usages: Usages,
    entries: Entries,
}

/// What the probes of traces run themselves before they can tell that they are inside one: these stay as they are.
const OF_PROBES: [&[u8]; 4] = [b"java/lang/Object", b"java/lang/Thread", b"java/lang/System", b"java/lang/Runtime"];
const OF_PROBES_BELOW: [&[u8]; 2] = [b"java/lang/invoke/", b"jdk/internal/"];

/// Why a class stays as it is, though a trace wants it.
fn refusal_reason(name: &[u8]) -> Option<&'static str> {
    (OF_PROBES.contains(&name) || OF_PROBES_BELOW.iter().any(|package| name.starts_with(package)))
        .then_some("the probes themselves run it")
}

impl Session {
    /// The bytes of a class with the probes of all traces that want it, `bytes` are those without; `None` if there is none. Runs no Java code.
    pub(crate) fn load_traces(
        &self,
        jvmti: &Jvmti,
        jni: &JniEnv,
        event: &ClassFileLoadHookEvent<'_>,
        name: &[u8],
        bytes: &[u8],
    ) -> Option<Vec<u8>> {
        let traces = self.traces.all();
        let mut wanting = traces.iter().filter(|trace| trace.is_on() && trace.wants(name)).peekable();
        wanting.peek()?;
        let loader = self.number_loader(jvmti, jni, event.loader());
        let mut changed: Option<Vec<u8>> = None;
        for trace in wanting {
            if let Some(reason) = refusal_reason(name) {
                trace.sites().skip_class(loader, name, Some(reason.to_owned()));
                continue;
            }
            let own = changed.as_deref().unwrap_or(bytes);
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
        let Engines { pool, pool_of_made, methods, coverage, objects, usages, entries } = self;
        // Held while it is decided, so that the sites of a class are in one piece. The JVM is asked for nothing meanwhile.
        let mut probe_sites = trace.sites();
        let number = |site: u32| u32::from(trace.number) << PROBE_BITS | site;
        let mut rewrite = || -> Result<std::result::Result<Vec<u8>, String>> {
            let class = ClassFile::read(bytes, pool)?;
            // How many probe sites the class has.
            let count = match trace.what {
                TraceKind::Methods | TraceKind::Calls => u32::from(class.methods()?.all()),
                TraceKind::Coverage => match coverage.decide(&class, &CoverageProbe { bridge: TRACES, first_id: 0 })? {
                    Ok(sites) => sites.sites.len() as u32,
                    Err(reason) => return Ok(Err(unless_harmless(reason))),
                },
                TraceKind::Objects | TraceKind::Uses => 1,
                TraceKind::Scopes | TraceKind::References | TraceKind::Samples => 0,
            };
            let Some(first) = probe_sites.first(loader, name, count) else {
                return Ok(Err("there are no numbers left for its probes".to_owned()));
            };
            // Of coverage: the method and the line of each site.
            let mut lines: Vec<(u16, u16)> = Vec::new();
            let new = match trace.what {
                TraceKind::Methods | TraceKind::Calls => {
                    let wanted = |method: &[u8]| trace.wants_method(name, method);
                    let arguments = trace.what == TraceKind::Calls && trace.tells_arguments;
                    let probe = MethodProbe { bridge: TRACES, first_id: number(first), wanted, arguments };
                    bytes_of(methods.rewrite(&class, &probe)?)
                }
                TraceKind::Coverage => {
                    let outcome =
                        coverage.rewrite(&class, &CoverageProbe { bridge: TRACES, first_id: number(first) })?;
                    if let Outcome::Rewritten(new) = &outcome {
                        lines.extend(new.sites.iter().map(|(site, _)| (site.method, site.call.line)));
                    }
                    bytes_of(outcome)
                }
                TraceKind::Scopes => {
                    // The runtime asks for the entry, not for the method.
                    let id = |entry: usize| number(entry as u32);
                    let entry = |method: &[u8]| {
                        let (index, entry) = trace.entry(name, method)?;
                        Some(OpenedEntry { id: id(index), argument: entry.argument })
                    };
                    let probe = EntryProbe { bridge: TRACES, made: trace.carrier(name).map(id), entry };
                    bytes_of(entries.rewrite(&class, &probe)?)
                }
                TraceKind::Objects | TraceKind::Uses if is_blind(&class) => {
                    return Ok(Err("its class file is too old to name its own class".to_owned()));
                }
                TraceKind::Objects | TraceKind::Uses => {
                    let id = number(first);
                    let probe = ConstructorProbe {
                        bridge: TRACES,
                        id,
                        track: Track::Live,
                        objects: Objects::Own,
                        clones: Clones::OfJdkBySuper,
                    };
                    let made = bytes_of(objects.rewrite(&class, &probe)?);
                    match trace.what {
                        TraceKind::Uses => {
                            let probe = UsageProbe { bridge: TRACES, id, wanted: |owner: &[u8]| trace.wants(owner) };
                            let class = ClassFile::read(made.as_deref().unwrap_or(bytes), pool_of_made)?;
                            // Without uses of its own its objects are made all the same.
                            bytes_of(usages.rewrite(&class, &probe)?).or_else(|reason| made.map_err(|_| reason))
                        }
                        _ => made,
                    }
                }
                // They want no class.
                TraceKind::References | TraceKind::Samples => return Ok(Err(String::new())),
            };
            if new.is_ok() {
                probe_sites.took(loader, &class, first..first + count, trace.what, &lines)?;
            }
            Ok(new.map_err(unless_harmless))
        };
        let reason = match rewrite() {
            Ok(Ok(bytes)) => return Some(bytes),
            Ok(Err(reason)) => reason,
            Err(error) => error.to_string(),
        };
        probe_sites.skip_class(loader, name, Some(reason).filter(|reason| !reason.is_empty()));
        None
    }
}

fn bytes_of<C>(outcome: Outcome<C>) -> std::result::Result<Vec<u8>, SkipReason> {
    match outcome {
        Outcome::Rewritten(new) => Ok(new.bytes),
        Outcome::Skipped(reason) => Err(reason),
    }
}

/// The reason, or nothing if nobody misses such a class in a trace.
fn unless_harmless(reason: SkipReason) -> String {
    match reason {
        SkipReason::NoSite | SkipReason::Interface | SkipReason::Module | SkipReason::OnlySubclasses => String::new(),
        other => other.to_string(),
    }
}
