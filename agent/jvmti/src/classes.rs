//! The classes that a session has met: their ids, and what the runtime is told when it asks.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use weighbridge_probes::table::{ClassLine, ProbeTable, dotted};

/// What stands for a jar in tables and recordings.
pub(crate) const JAR: &str = "(agent)";

/// With fewer free ids than this the agent asks for more.
const FEW: usize = 4096;
/// Skipped classes that are listed by name; of others only the number is told.
const LISTED: usize = 1000;

/// What was decided for a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decided {
    /// It is selected, and has probes with this id.
    Selected(u32),
    /// It is below a selected class, and has probes with the id of that.
    Below(u32),
    /// It is selected, and is about to be retransformed.
    Wanted,
    /// It is selected, and stays as it was.
    Refused,
    /// It was taken for one below a selected class, and is not; or that class is blind.
    Without,
    /// It is above a class with this id, and only the copies that it makes have probes.
    Above(u32),
}

impl Decided {
    /// The id of a selected class.
    pub(crate) fn selected(self) -> Option<u32> {
        match self {
            Decided::Selected(id) => Some(id),
            _ => None,
        }
    }

    /// The id that its probes have.
    pub(crate) fn id(self) -> Option<u32> {
        match self {
            Decided::Selected(id) | Decided::Below(id) => Some(id),
            Decided::Wanted | Decided::Refused | Decided::Without | Decided::Above(_) => None,
        }
    }

    /// Whether it has probes of any kind.
    pub(crate) fn has_probes(self) -> bool {
        self.id().is_some() || matches!(self, Decided::Above(_))
    }
}

/// The classes of a session, by loader and internal name.
#[derive(Debug, Default)]
pub(crate) struct SessionClasses {
    /// Free ids.
    free: VecDeque<Range<u32>>,
    /// All ids that were taken are less than this.
    end: u32,
    decided: HashMap<Box<[u8]>, Vec<(usize, Decided)>>,
    /// Ids of classes whose constructors cannot tell their own objects from those of classes below.
    blind: HashSet<u32>,
    /// Names of classes and interfaces that have a supertype which selects them.
    heirs: HashSet<Box<[u8]>>,
    /// Classes that were selected because a supertype's name is that of an heir, with what the runtime is told if it is one.
    guesses: HashMap<(usize, Box<[u8]>), Option<Untold>>,
    /// Classes with probes that override `clone()`.
    cloning: HashSet<(usize, Box<[u8]>)>,
    /// Classes with methods that are work: they have probes of work, or were refused them.
    works: HashSet<(usize, Box<[u8]>)>,
    /// Classes that the runtime was not told.
    untold: VecDeque<Untold>,
    skipped: Vec<(String, String)>,
    skips: usize,
    /// The runtime knows so many of them.
    told_skips: usize,
}

/// A class that was selected for its supertype's name, with what the runtime is told if that was right.
#[derive(Debug)]
pub(crate) struct Guess(Option<Untold>);

/// A class that the runtime was not told: a line of its table.
#[derive(Debug)]
struct Untold {
    id: u32,
    loader: usize,
    line: String,
}

impl SessionClasses {
    /// Whether the free ids run out.
    pub(crate) fn wants_ids(&self) -> bool {
        self.free.iter().map(ExactSizeIterator::len).sum::<usize>() < FEW
    }

    /// Ids that may be given to classes.
    pub(crate) fn give_ids(&mut self, ids: Range<u32>) {
        self.free.push_back(ids);
    }

    /// A free id, which is not free any more; `None` if there is none.
    pub(crate) fn take_id(&mut self) -> Option<u32> {
        loop {
            match self.free.front_mut()?.next() {
                Some(id) => {
                    self.end = self.end.max(id + 1);
                    return Some(id);
                }
                None => self.free.pop_front(),
            };
        }
    }

    /// All ids that were taken are less than this, whether their classes got probes or not.
    pub(crate) fn end_of_ids(&self) -> u32 {
        self.end
    }

    /// An id that was taken for a class which gets no probes.
    pub(crate) fn give_back(&mut self, id: u32) {
        self.free.push_front(id..id + 1);
    }

    /// Whether the class of an id is blind.
    pub(crate) fn is_blind(&self, id: u32) -> bool {
        self.blind.contains(&id)
    }

    /// Whether something was decided for a class of this name.
    pub(crate) fn is_name(&self, name: &[u8]) -> bool {
        self.decided.contains_key(name)
    }

    /// What was decided for a class.
    pub(crate) fn find_decision(&self, loader: usize, name: &[u8]) -> Option<Decided> {
        self.decided.get(name)?.iter().find(|(of, _)| *of == loader).map(|(_, decided)| *decided)
    }

    /// The id of the only class of this name that has probes, whatever its loader.
    pub(crate) fn only(&self, name: &[u8]) -> Option<u32> {
        match self.decided.get(name)?.as_slice() {
            [(_, decided)] => decided.id(),
            _ => None,
        }
    }

    /// The classes whose objects count for one above them: of each its name and the id of that.
    pub(crate) fn list_classes_below(&self) -> Vec<String> {
        let mut words = Vec::new();
        for (name, of_name) in &self.decided {
            for (_, decided) in of_name {
                if let Decided::Below(id) = decided {
                    words.extend([dotted(name), id.to_string()]);
                }
            }
        }
        words
    }

    /// Whether nothing was decided for any class.
    pub(crate) fn is_empty(&self) -> bool {
        self.decided.is_empty()
    }

    /// Whether a class of this name has a supertype that selects it.
    pub(crate) fn is_heir(&self, name: &[u8]) -> bool {
        self.heirs.contains(name)
    }

    /// A class or interface of this name has a supertype that selects it.
    pub(crate) fn inherit(&mut self, name: &[u8]) {
        if !self.is_heir(name) {
            self.heirs.insert(name.into());
        }
    }

    /// A class is about to be selected for its supertype's name.
    pub(crate) fn guess(&mut self, loader: usize, name: &[u8]) {
        self.guesses.insert((loader, name.into()), None);
    }

    /// Whether that was so; from now on it is not.
    pub(crate) fn take_guess(&mut self, loader: usize, name: &[u8]) -> Option<Guess> {
        if self.guesses.is_empty() {
            return None;
        }
        self.guesses.remove(&(loader, name.into())).map(Guess)
    }

    /// The guess was right: the runtime is told of the class.
    pub(crate) fn confirm(&mut self, Guess(untold): Guess) {
        self.untold.extend(untold);
    }

    /// A class that gets probes overrides `clone()`.
    pub(crate) fn add_override(&mut self, loader: usize, name: &[u8]) {
        self.cloning.insert((loader, name.into()));
    }

    /// Whether a class with probes does.
    pub(crate) fn overrides_clone(&self, loader: usize, name: &[u8]) -> bool {
        self.cloning.contains(&(loader, name.into()))
    }

    /// A class has methods that are work; false if that was known.
    pub(crate) fn meet_work(&mut self, loader: usize, name: &[u8]) -> bool {
        self.works.insert((loader, name.into()))
    }

    /// Whether that is known of a class.
    pub(crate) fn has_met_work(&self, loader: usize, name: &[u8]) -> bool {
        self.works.contains(&(loader, name.into()))
    }

    /// How many classes have probes of their own id, and how many stay as they were though they should have.
    pub(crate) fn numbers(&self) -> (usize, usize) {
        let decided = self.decided.values().flatten();
        (decided.filter(|(_, decided)| matches!(decided, Decided::Selected(_))).count(), self.skips)
    }

    /// Keeps what was decided; of a class that was known only what is new counts.
    pub(crate) fn decide(&mut self, loader: usize, name: &[u8], decided: Decided) {
        let of_name = self.decided.entry(name.into()).or_default();
        match of_name.iter_mut().find(|(of, _)| *of == loader) {
            Some((_, known)) => *known = decided,
            None => of_name.push((loader, decided)),
        }
    }

    /// The class has probes with this id; `line` tells the runtime.
    pub(crate) fn select(&mut self, loader: usize, name: &[u8], id: u32, line: &ClassLine<'_>) {
        if self.find_decision(loader, name) == Some(Decided::Selected(id)) {
            return;
        }
        self.decide(loader, name, Decided::Selected(id));
        if line.blind {
            self.blind.insert(id);
        }
        let untold = Untold { id, loader, line: line.text() };
        match self.guesses.get_mut(&(loader, name.into())) {
            Some(guess) => *guess = Some(untold),
            None => self.untold.push_back(untold),
        }
    }

    /// A class stays as it was, though its objects should be counted.
    pub(crate) fn skip(&mut self, name: String, reason: String) {
        self.skips += 1;
        if self.skips <= LISTED {
            self.skipped.push((name, reason));
        }
    }

    /// Loaders with these numbers were collected, and their classes with them.
    pub(crate) fn forget_loaders(&mut self, gone: &HashSet<usize>) {
        self.decided.retain(|_, of_name| {
            of_name.retain(|(loader, _)| !gone.contains(loader));
            !of_name.is_empty()
        });
        self.guesses.retain(|(loader, _), _| !gone.contains(loader));
        self.works.retain(|(loader, _)| !gone.contains(loader));
        self.cloning.retain(|(loader, _)| !gone.contains(loader));
    }

    /// What the runtime was not told yet: a table, and the number of the loader of its classes if it has any.
    pub(crate) fn take_untold(&mut self) -> Option<(String, Option<usize>)> {
        let mut table = ProbeTable::default();
        table.line("jar", &[JAR]);
        if self.told_skips < self.skips {
            self.told_skips = self.skips;
            for (name, reason) in self.skipped.drain(..) {
                table.line("skipped", &[&name, &reason]);
            }
            table.line("skips", &[&self.skips.to_string()]);
            return Some((table.text(), None));
        }
        let first = self.untold.front()?;
        let (base, loader) = (first.id, first.loader);
        table.line("base", &[&base.to_string()]);
        let mut text = table.text();
        for id in base.. {
            match self.untold.front() {
                Some(next) if next.loader == loader && next.id == id => text.push_str(&next.line),
                _ => break,
            }
            self.untold.pop_front();
        }
        Some((text, Some(loader)))
    }
}
