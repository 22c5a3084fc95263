//! The kinds of traces that the agent takes, the limits of their settings, and the numbers in their probes.

use serde::{Deserialize, Serialize};

/// What a trace is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceSubject {
    /// Classes, or single methods.
    Methods,
    /// Classes.
    Classes,
    /// The entries of the request.
    Entries,
    /// The whole program: it has no probes.
    Program,
}

macro_rules! trace_kinds {
    ($($(#[doc = $meaning:literal])* $kind:ident $word:literal $subject:ident $filtered:literal;)*) => {
        /// A kind of trace.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum TraceKind {
            $($(#[doc = $meaning])* #[serde(rename = $word)] $kind,)*
        }

        impl TraceKind {
            /// All kinds, in the order in which traces of a run begin.
            pub const ALL: &[TraceKind] = &[$(TraceKind::$kind),*];

            /// Its word in the configuration, on the command line and in JSON.
            pub fn word(self) -> &'static str {
                match self { $(TraceKind::$kind => $word),* }
            }

            /// What it tells, as a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(TraceKind::$kind => concat!($($meaning),*).trim_ascii()),* }
            }

            /// What it is of.
            pub fn subject(self) -> TraceSubject {
                match self { $(TraceKind::$kind => TraceSubject::$subject),* }
            }

            /// Whether it can be of some scopes and threads only.
            pub fn is_filtered(self) -> bool {
                match self { $(TraceKind::$kind => $filtered),* }
            }
        }
    };
}

trace_kinds! {
    /// How often methods are called, how long that takes, and how often they throw.
    Methods "methods" Methods true;
    /// The slowest calls, with the calls that they make.
    Calls "calls" Methods true;
    /// Which lines and methods are reached.
    Coverage "coverage" Classes false;
    /// Each object of the classes, where it was made, and when it was collected.
    Objects "objects" Classes true;
    /// The same, and which objects nobody uses; objects that were there before, too.
    Uses "uses" Classes true;
    /// Calls of the methods of the entries, by the scopes that they open.
    Scopes "scopes" Entries true;
    /// Global references of JNI that native code creates and frees, by stack.
    References "references" Program false;
    /// A sample of all allocations, by class and stack.
    Samples "samples" Program false;
}

impl TraceKind {
    /// The one with a word.
    pub fn from_word(word: &str) -> Option<TraceKind> {
        TraceKind::ALL.iter().copied().find(|kind| kind.word() == word)
    }

    /// Whether it is of classes or methods that are named.
    pub fn has_patterns(self) -> bool {
        matches!(self.subject(), TraceSubject::Methods | TraceSubject::Classes)
    }
}

/// The range of a number, and what it is unless given.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Unless given.
    pub default: u32,
    /// The smallest.
    pub least: u32,
    /// The greatest.
    pub most: u32,
}

impl Limits {
    /// Whether a number is in the range.
    pub fn contain(self, number: u32) -> bool {
        (self.least..=self.most).contains(&number)
    }
}

/// Frames of the stacks by which objects, references and samples are told apart.
pub const TRACE_FRAMES: Limits = Limits { default: 8, least: 1, most: 64 };
/// The slowest calls that are kept.
pub const TRACE_CALLS: Limits = Limits { default: 100, least: 1, most: 10_000 };
/// Bytes for a sample.
pub const TRACE_EVERY: Limits = Limits { default: 512 << 10, least: 1024, most: i32::MAX as u32 };

/// A probe of a trace has a number of 30 bits: the trace's above these, and which of the trace's it is.
pub const PROBE_BITS: u32 = 23;
/// The low bits of a probe's number that are its index in a page.
pub const PROBE_PAGE_BITS: u32 = 12;
/// Numbers that traces can have.
pub const TRACE_NUMBERS: u32 = 1 << 7;
