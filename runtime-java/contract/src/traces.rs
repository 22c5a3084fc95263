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
    ($(#[doc = $meaning:literal] $kind:ident: $word:literal, $subject:ident, filtered: $filtered:literal,
        tells: $tells:literal, exact: $exact:literal, costs: $costs:literal;)*) => {
        /// A kind of trace.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum TraceKind {
            $(#[doc = $meaning] #[serde(rename = $word)] $kind,)*
        }

        impl TraceKind {
            /// All kinds, in the order in which traces of a run begin.
            pub const ALL: &[TraceKind] = &[$(TraceKind::$kind),*];

            /// What there is to know of it.
            pub fn form(self) -> TraceForm {
                match self {
                    $(TraceKind::$kind => TraceForm {
                        word: $word,
                        meaning: $meaning.trim_ascii(),
                        subject: TraceSubject::$subject,
                        is_filtered: $filtered,
                        tells: $tells,
                        exact: $exact,
                        costs: $costs,
                    }),*
                }
            }
        }
    };
}

/// A kind of trace, as the documents, the command line and the checks of a request have it.
#[derive(Clone, Copy, Debug)]
pub struct TraceForm {
    /// Its word in the configuration, on the command line and in JSON.
    pub word: &'static str,
    /// What it tells, in a sentence for help texts.
    pub meaning: &'static str,
    /// What it is of.
    pub subject: TraceSubject,
    /// Whether it can be of some scopes and threads only.
    pub is_filtered: bool,
    /// What it tells, in Markdown.
    pub tells: &'static str,
    /// What of it is exact, in Markdown.
    pub exact: &'static str,
    /// What it costs, in Markdown.
    pub costs: &'static str,
}

trace_kinds! {
    /// How often methods are called, how long that takes, and how often they throw.
    Methods: "methods", Methods, filtered: true,
        tells: "of each method: calls, exceptions that left it, total, average and longest time; the time that half and 99 % of the calls were not above",
        exact: "counts and sums exact, of calls that ended meanwhile; the two quantiles are up to twice too large",
        costs: "some 100 ns a call, most of it two readings of the clock";
    /// The slowest calls, with the calls that they make.
    Calls: "calls", Methods, filtered: true,
        tells: "the slowest calls, each with the traced calls that it made; with `--arguments` also the classes of the first four arguments of each that are objects",
        exact: "exact; the slowest 100 (`--most`), of each the first 2,000 calls",
        costs: "some 100 ns a call";
    /// Which lines and methods are reached.
    Coverage: "coverage", Classes, filtered: false,
        tells: "which lines and methods were reached",
        exact: "exact; branches are not judged",
        costs: "some ns a line, not measured while it runs";
    /// Each object of the classes, where it was made, and when it was collected.
    Objects: "objects", Classes, filtered: true,
        tells: "each object of the classes: where it was made, by its stack, and when it was collected",
        exact: "the numbers and allocation sites are exact; an age ends when a collection has found the object dead, and somebody has looked (once a second)",
        costs: "some microseconds an object: its stack is walked";
    /// The same, and which objects nobody uses; objects that were there before, too.
    Uses: "uses", Classes, filtered: true,
        tells: "as `objects`, and when each live object was last used; also of the objects that were there before. So one sees who is kept and needed by nobody",
        exact: "uses are calls of an object's methods, and reads and writes of its fields by classes that are traced, too; to the second. Not seen: fields by reflection, writes of `long` and `double` fields from other classes",
        costs: "some 20 ns a use, beside what `objects` costs; walks the heap once at the beginning";
    /// Calls of the methods of the entries, by the scopes that they open.
    Scopes: "scopes", Entries, filtered: true,
        tells: "of calls of [entries](#entries): how many, how long, how many bytes their threads allocated, by the scopes that they open",
        exact: "exact, of calls that ended meanwhile",
        costs: "some microseconds a call";
    /// Global references of JNI that native code creates and frees, by stack.
    References: "references", Program, filtered: false,
        tells: "global references of JNI that native code creates and frees, weak ones beside, by the stack of the native method",
        exact: "exact; those that the JVM makes for itself are not seen. At most 400,000 live ones are followed at once, those beyond are only counted",
        costs: "a stack a reference; not measured";
    /// A sample of all allocations, by class and stack.
    Samples: "samples", Program, filtered: false,
        tells: "all allocations, arrays and those of the JDK included, by class and stack: on average one each `--every` bytes (512k unless given, 1k at least)",
        exact: "estimated, with the error that 95 of 100 are within; what the JIT compiler removed is not allocated, and not in it. A thread's first sample is left out if the interval was another before",
        costs: "a stack a sample; not measured";
}

impl TraceKind {
    /// Its word.
    pub fn word(self) -> &'static str {
        self.form().word
    }

    /// The one with a word.
    pub fn from_word(word: &str) -> Option<TraceKind> {
        TraceKind::ALL.iter().copied().find(|kind| kind.word() == word)
    }

    /// Whether it is of classes or methods that are named.
    pub fn has_patterns(self) -> bool {
        matches!(self.form().subject, TraceSubject::Methods | TraceSubject::Classes)
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
