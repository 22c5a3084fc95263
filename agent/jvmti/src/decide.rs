//! Which classes get probes: decided when they are loaded, and once more when they are prepared.
//!
//! A class that is selected gets probes when it is loaded. One below it gets probes with the same id, for its objects count for
//! the nearest class that is selected. Its superclass is certain only when it is prepared, before its first object: while
//! it is loaded, a class of the superclass's name is a guess, which saves most classes a second transformation. So it is
//! with what `extends` selects. What was guessed wrong, or was loaded before the session, is retransformed.
//!
//! Class objects with probes are tagged with their id plus one, so a heap walk knows the instances.

use std::borrow::Cow;
use std::cell::RefCell;

use jvmti_bindings::prelude::*;

use weighbridge_bytecode::read::{ClassFile, PoolOffsets};
use weighbridge_config::{Choice, Track};
use weighbridge_probes::SkipReason;
use weighbridge_probes::constructor::{self, Clones, ConstructorProbe, Constructors, Objects, Outcome, declares_clone};
use weighbridge_probes::table::{ClassLine, dotted};

use crate::bridge::BRIDGE;
use crate::classes::Decided;
use crate::hooked;
use crate::java::Java;
use crate::names::internal_name;
use crate::select::refusal_reason;
use crate::session::Session;
use crate::tags;

thread_local! {
    static ENGINE: RefCell<(Constructors, PoolOffsets)> = RefCell::default();
}

/// Why a class gets probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// It is selected itself.
    Selected,
    /// A class above it has probes with this id.
    Below(u32),
    /// A class below it has probes with this id, and may be copied by its methods.
    Above(u32),
}

impl Session {
    /// The bytes of a class with probes; `None` if it stays as it is. Runs no Java code.
    pub(crate) fn load(&self, jvmti: &Jvmti, jni: &JniEnv, event: &ClassFileLoadHookEvent<'_>) -> Option<Vec<u8>> {
        if !self.is_on() {
            return None;
        }
        let name = loaded_name(event)?;
        let bytes = self.put_probes(jvmti, jni, event, &name)?;
        if event.class_being_redefined().is_null() {
            hooked::add_class(&name, self.number);
        }
        // The session may have ended meanwhile. If not, its end finds the class: it first switches off, then looks.
        Some(bytes).filter(|_| self.is_on())
    }

    fn put_probes(
        &self,
        jvmti: &Jvmti,
        jni: &JniEnv,
        event: &ClassFileLoadHookEvent<'_>,
        name: &[u8],
    ) -> Option<Vec<u8>> {
        if let Some((name, reason)) = refusal_reason(name) {
            if self.select.choice(name) == Choice::Selected {
                let boot = self.number_loader(jvmti, jni, std::ptr::null_mut());
                self.refuse(boot, name, reason);
            }
            return None;
        }
        // The first: their lines are those of the class's own code.
        let with_events = self.events.load(name, event.class_data());
        let own = with_events.as_deref().unwrap_or(event.class_data());
        let traced = self.load_traces(jvmti, jni, event, name, own);
        let own = traced.as_deref().unwrap_or(own);
        let with_work = self.load_work(jvmti, jni, event, name, own);
        let own = with_work.as_deref().unwrap_or(own);
        self.load_constructors(jvmti, jni, event, name, own).or(with_work).or(traced).or(with_events)
    }

    /// The bytes of a class with probes in its constructors; `own` are those without.
    fn load_constructors(
        &self,
        jvmti: &Jvmti,
        jni: &JniEnv,
        event: &ClassFileLoadHookEvent<'_>,
        name: &[u8],
        own: &[u8],
    ) -> Option<Vec<u8>> {
        let again = event.class_being_redefined();
        let tagged = if again.is_null() { None } else { tags::id(jvmti, again) };
        let choice = self.select.choice(name);
        // No class has probes, so none can be below one.
        if choice != Choice::Selected && !self.select.reads_classes() && self.classes().is_empty() {
            return None;
        }
        ENGINE.with_borrow_mut(|(engine, memory)| {
            let read = ClassFile::read(own, memory);
            let class = match read {
                Ok(class) => class,
                Err(error) => {
                    if choice == Choice::Selected {
                        let loader = self.number_loader(jvmti, jni, event.loader());
                        self.refuse(loader, name, &error.to_string());
                    }
                    return None;
                }
            };
            // Most names are not known, so most loaders need not be compared.
            let is_known = self.classes().is_name(name);
            let known = match is_known {
                true => {
                    let loader = self.number_loader(jvmti, jni, event.loader());
                    self.classes().find_decision(loader, name)
                }
                false => None,
            };
            let why = match (choice, known, tagged) {
                (Choice::Selected, ..) | (_, Some(Decided::Selected(_) | Decided::Wanted), _) => Why::Selected,
                (Choice::Open, ..) if self.select.by_annotation(&class) => Why::Selected,
                (_, Some(Decided::Above(id)), _) => Why::Above(id),
                (_, Some(Decided::Without), _) => return None,
                (Choice::Open, None, None) if self.inherits(&class, (jvmti, jni, event.loader(), name)) => {
                    Why::Selected
                }
                (.., Some(id)) => Why::Below(id),
                _ => Why::Below(self.classes().only(class.super_name().ok()??)?),
            };
            let loader = self.number_loader(jvmti, jni, event.loader());
            if event.loader().is_null() {
                self.change_jdk(jni);
            }
            self.rewrite(engine, &class, (loader, name), why)
        })
    }

    /// Whether a supertype selects a class that is loaded: one that the configuration names, or, as a guess, one that has such
    /// a supertype itself.
    fn inherits(
        &self,
        class: &ClassFile<'_>,
        (jvmti, jni, loader, name): (&Jvmti, &JniEnv, jni::jobject, &[u8]),
    ) -> bool {
        if !self.select.by_supertype() {
            return false;
        }
        let supertypes = || class.super_name().ok().flatten().into_iter().chain(class.interfaces().flatten());
        let is_certain = supertypes().any(|name| self.select.is_wanted_supertype(name));
        if !is_certain {
            let classes = self.classes();
            if !supertypes().any(|name| classes.is_heir(name)) {
                return false;
            }
        }
        self.classes().inherit(name);
        if !is_certain {
            let loader = self.number_loader(jvmti, jni, loader);
            self.classes().guess(loader, name);
        }
        true
    }

    fn rewrite(
        &self,
        engine: &mut Constructors,
        class: &ClassFile<'_>,
        (loader, name): (usize, &[u8]),
        why: Why,
    ) -> Option<Vec<u8>> {
        let known = match why {
            // Its constructors cannot tell its own objects from those of classes below, so the runtime does.
            Why::Below(id) if self.classes().is_blind(id) => {
                self.classes().decide(loader, name, Decided::Without);
                return None;
            }
            Why::Below(id) | Why::Above(id) => Some(id),
            Why::Selected => self.classes().find_decision(loader, name).and_then(Decided::selected),
        };
        let id = match known {
            Some(id) => id,
            None => {
                // Taken at once: meanwhile other threads load classes. The lock is let go before the class is refused.
                let free = self.classes().take_id();
                match free {
                    Some(id) => id,
                    None => {
                        self.refuse(loader, name, "too many classes were loaded at once");
                        return None;
                    }
                }
            }
        };
        let config = self.select.config();
        let target = config.target_classes.first_match(name).map(|target| &config.targets[target]);
        let track = match target.map_or(Track::Live, |target| target.track) {
            Track::Live => constructor::Track::Live,
            Track::Count => constructor::Track::Count,
        };
        let objects = if matches!(why, Why::Above(_)) { Objects::Copies } else { Objects::Own };
        let id_in_code = self.first_id() + id;
        let probe = ConstructorProbe { bridge: BRIDGE, id: id_in_code, track, objects, clones: Clones::All };
        let clones = declares_clone(class).is_ok_and(|declares| declares);
        if clones {
            self.classes().add_override(loader, name);
        }
        let decide = || match why {
            Why::Below(id) => self.classes().decide(loader, name, Decided::Below(id)),
            Why::Above(id) => self.classes().decide(loader, name, Decided::Above(id)),
            Why::Selected => {
                let component = self.select.component(name);
                let fields = target.map_or(&[][..], |target| &target.fields);
                let blind = constructor::is_blind(class);
                let line = ClassLine { name, track, component, fields, registrar: None, blind, clones };
                self.classes().select(loader, name, id, &line);
            }
        };
        match engine.rewrite(class, &probe) {
            Ok(Outcome::Rewritten(new)) => {
                decide();
                return Some(new.bytes);
            }
            // It has no objects of its own; those of classes below it count for it.
            Ok(Outcome::Skipped(SkipReason::OnlySubclasses)) => {
                decide();
                return None;
            }
            // It makes no copies.
            Ok(Outcome::Skipped(SkipReason::NoSite)) if objects == Objects::Copies => {
                decide();
                return None;
            }
            // It is not selected, so it is not listed.
            _ if objects == Objects::Copies => self.classes().decide(loader, name, Decided::Refused),
            // No object is missed.
            Ok(Outcome::Skipped(
                SkipReason::Interface | SkipReason::Module | SkipReason::NoConstructor | SkipReason::AlreadyRewritten,
            )) => self.classes().decide(loader, name, Decided::Refused),
            Ok(Outcome::Skipped(reason)) => self.refuse(loader, name, &reason.to_string()),
            Err(error) => self.refuse(loader, name, &error.to_string()),
        }
        if known.is_none() {
            self.classes().give_back(id);
        }
        None
    }

    /// A class that is selected gets no probes: to change it stops the program for longer than its owner grants.
    pub(crate) fn leave_out(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) {
        if let (Some(name), Some(loader)) = (internal_name(jvmti, class), self.loader_of(jvmti, jni, class)) {
            self.refuse(loader, &name, "to change it stops the program for longer than --pause grants");
        }
    }

    fn refuse(&self, loader: usize, name: &[u8], reason: &str) {
        let mut classes = self.classes();
        if classes.find_decision(loader, name) != Some(Decided::Refused) {
            classes.decide(loader, name, Decided::Refused);
            classes.skip(dotted(name), reason.to_owned());
        }
    }

    /// Lists a hidden class without the number that the JVM adds to its name: all lambdas of a class are one line.
    pub(crate) fn refuse_hidden(&self, loader: usize, name: &[u8]) {
        const LAMBDA: &[u8] = b"$$Lambda";
        let lambda = name.windows(LAMBDA.len()).position(|part| part == LAMBDA).map(|start| start + LAMBDA.len());
        // Before 15: `/` and a number.
        let number = || name.windows(2).position(|two| two[0] == b'.' || two[0] == b'/' && two[1].is_ascii_digit());
        let name = &name[..lambda.or_else(number).unwrap_or(name.len())];
        // No other class has such a name.
        let listed = [name, b"."].concat();
        let mut classes = self.classes();
        if classes.find_decision(loader, &listed).is_none() {
            classes.decide(loader, &listed, Decided::Refused);
            classes.skip(dotted(name), "no JVM lets an agent change a hidden class".to_owned());
        }
    }

    /// A class is prepared: its superclass is known, and no object of it was constructed yet.
    pub(crate) fn prepare(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) {
        let wanted = self.needs_probes(jvmti, jni, class)
            || self.needs_work(jvmti, jni, class)
            || self.needs_traces(jvmti, jni, class);
        // SAFETY: the JVM gave the class for this call.
        if wanted && unsafe { jvmti.retransform_classes(&[class]) }.is_ok() {
            if !self.is_on() {
                // The session has ended since the hook: its end may have come before the probes.
                // SAFETY: as above.
                let _ = unsafe { jvmti.retransform_classes(&[class]) };
                return;
            }
            self.tag(jvmti, jni, class);
        }
        self.see_copies(jvmti, jni, class);
    }

    /// Whether a prepared class must be retransformed, because it has no probes yet, or others than it should. Tags it with the
    /// id that it has or gets from a class above it.
    pub(crate) fn needs_probes(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) -> bool {
        let Some(name) = internal_name(jvmti, class).filter(|_| self.is_on()) else { return false };
        let name = name.as_slice();
        if refusal_reason(name).is_some() {
            return false;
        }
        let mut known = self.decided_of(jvmti, jni, class, name);
        if let Some(Decided::Selected(id)) = known {
            if !self.guessed_wrong(jvmti, jni, class, name) {
                tags::set(jvmti, class, id);
                return false;
            }
            known = Some(Decided::Below(id));
        }
        let selected = known != Some(Decided::Refused)
            && match self.select.choice(name) {
                Choice::Selected => true,
                Choice::Open if self.select.inherits(jvmti, jni, class) => {
                    self.classes().inherit(name);
                    true
                }
                Choice::Open | Choice::Excluded => false,
            };
        let nearest = if selected { None } else { self.nearest_above(jvmti, jni, class) };
        if let Some(id) = nearest {
            tags::set(jvmti, class, id);
            match known {
                Some(Decided::Below(its_own)) if its_own == id => return false,
                Some(Decided::Below(_)) => {}
                _ if self.classes().is_blind(id) => return false,
                _ => {}
            }
        }
        let guessed_wrong = nearest.is_none() && matches!(known, Some(Decided::Below(_)));
        if !selected && nearest.is_none() && !guessed_wrong || is_interface(jvmti, class) {
            return false;
        }
        let Some(loader) = self.loader_of(jvmti, jni, class) else { return false };
        // SAFETY: the JVM gave the class for this call.
        if !unsafe { jvmti.is_modifiable_class(class) }.unwrap_or(false) {
            self.refuse_hidden(loader, name);
            return false;
        }
        if selected {
            // The hook cannot see it, if a supertype is the reason.
            self.classes().decide(loader, name, Decided::Wanted);
        } else if guessed_wrong {
            self.classes().decide(loader, name, Decided::Without);
        }
        true
    }

    /// Whether a prepared class was taken for one that a supertype selects, and is not. From then on it is none.
    fn guessed_wrong(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass, name: &[u8]) -> bool {
        if !self.select.by_supertype() {
            return false;
        }
        let Some(loader) = self.loader_of(jvmti, jni, class) else { return false };
        let Some(guess) = self.classes().take_guess(loader, name) else { return false };
        if self.select.inherits(jvmti, jni, class) {
            self.classes().confirm(guess);
            return false;
        }
        self.classes().decide(loader, name, Decided::Without);
        true
    }

    /// Tags a class that was retransformed with the id that it has got.
    pub(crate) fn tag(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) {
        if let Some(id) = self.decided(jvmti, jni, class).and_then(Decided::id) {
            tags::set(jvmti, class, id);
        }
    }

    /// Whether only the class file says if an annotation selects a class. The JVM makes it anew, with the annotations that
    /// are visible at run time. Most classes have none, and need not be transformed by all agents to tell.
    pub(crate) fn may_be_annotated(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) -> bool {
        // SAFETY: the class is alive in this call.
        let of_program = unsafe { jvmti.get_class_loader(class) }.is_ok_and(|loader| !loader.is_null());
        // SAFETY: as above.
        let changeable = of_program && unsafe { jvmti.is_modifiable_class(class) }.unwrap_or(false);
        changeable
            && internal_name(jvmti, class).is_some_and(|name| self.select.choice(&name) == Choice::Open)
            // SAFETY: as above. The method is native; should a JDK not have it, every class is asked.
            && !unsafe { Java(jni).call(class, "getRawAnnotations", "()[B", &[]) }.is_ok_and(|bytes| bytes.is_null())
    }

    /// What was decided for a class.
    pub(crate) fn decided(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) -> Option<Decided> {
        let name = internal_name(jvmti, class)?;
        self.decided_of(jvmti, jni, class, &name)
    }

    /// The same of a class with this name. Most names are not known, so most loaders need not be compared.
    fn decided_of(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass, name: &[u8]) -> Option<Decided> {
        if !self.classes().is_name(name) {
            return None;
        }
        let loader = self.loader_of(jvmti, jni, class)?;
        self.classes().find_decision(loader, name)
    }

    /// The id of the nearest class above that has probes.
    fn nearest_above(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) -> Option<u32> {
        // SAFETY: references of this call.
        let mut above = unsafe { jni.get_superclass(class) };
        while let Some(class) = above {
            if let Some(id) = tags::id(jvmti, class) {
                return Some(id);
            }
            // Another thread may just be preparing it: then it has an id and no tag.
            if let Some(id) = self.decided(jvmti, jni, class).and_then(Decided::id) {
                return Some(id);
            }
            // SAFETY: as above.
            above = unsafe { jni.get_superclass(class) };
        }
        None
    }

    pub(crate) fn loader_of(&self, jvmti: &Jvmti, jni: &JniEnv, class: jni::jclass) -> Option<usize> {
        // SAFETY: the class is alive in this call, and its loader with it.
        let loader = unsafe { jvmti.get_class_loader(class) }.ok()?;
        Some(self.number_loader(jvmti, jni, loader))
    }
}

/// The name of a class in the hook. The JVM does not tell that of one which is defined without (`defineClass(null, ...)`): its own
/// bytes do. Hidden classes never come here.
fn loaded_name<'e>(event: &'e ClassFileLoadHookEvent<'_>) -> Option<Cow<'e, [u8]>> {
    match event.name() {
        Some(name) => Some(name.to_bytes().into()),
        None => {
            let mut memory = PoolOffsets::default();
            let class = ClassFile::read(event.class_data(), &mut memory).ok()?;
            class.name().ok().map(|name| name.to_vec().into())
        }
    }
}

fn is_interface(jvmti: &Jvmti, class: jni::jclass) -> bool {
    // SAFETY: the class is alive in this call.
    unsafe { jvmti.is_interface(class) }.unwrap_or(true)
}
