//! The words by which the agent asks the runtime, and of which it makes the settings of runs.

/// Words, each a constant with its documentation.
macro_rules! words {
    ($(#[doc = $about:literal] $module:ident, $all:ident { $(#[doc = $doc:literal] $name:ident = $word:literal;)* })*) => { $(
        #[doc = $about]
        pub mod $module {
            $(#[doc = $doc] pub const $name: &str = $word;)*
        }

        #[doc = $about]
        pub const $all: &[Word] = &[$(Word { name: stringify!($name), word: $word, meaning: $doc }),*];
    )* };
}

/// A word that agent and runtime share.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// The name of its constant.
    pub name: &'static str,
    /// The word.
    pub word: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

words! {
    /// What the agent asks the runtime to do: the second text of a request, after its key and before its arguments.
    request, REQUESTS {
        /// Its state.
        STATUS = "status";
        /// A snapshot: how long a stop may be, in milliseconds or empty; a label.
        MEASURE = "measure";
        /// A run: its name, and texts of `run_word`.
        START = "start";
        /// The end of a run: its name.
        STOP = "stop";
        /// New settings: names and values in turn.
        SET = "set";
        /// What was decided about memory shortage.
        SHORTAGE = "shortage";
        /// A line for the recording: when, in milliseconds since the epoch; a JSON object.
        HEAP_COMPONENTS = "heap_components";
        /// A run of traces: its name, and texts of `trace_word`.
        TRACE_START = "trace_start";
        /// The end of a run of traces: its name.
        TRACE_STOP = "trace_stop";
        /// What a run of traces has found: its name.
        TRACE_SHOW = "trace_show";
        /// The runs of traces.
        TRACE_LIST = "trace_list";
        /// Time has passed while traces run.
        TICK = "tick";
        /// The lines of the recording.
        SUBSCRIBE = "subscribe";
    }

    /// A run's settings: before the first `=` of a text.
    run_word, RUN_WORDS {
        /// The path of its recording.
        FILE = "file";
        /// A pattern of classes.
        INCLUDE = "include";
        /// A pattern of classes that are left out.
        EXCLUDE = "exclude";
        /// An option of the runtime, `=`, its value.
        SET = "set";
    }

    /// The settings of a run of traces: before the first `=` of a text.
    trace_word, TRACE_WORDS {
        /// A pattern of classes, for people: the agent selects.
        CLASS = "class";
        /// A pattern of classes that are left out, for people.
        EXCEPT = "except";
        /// A pattern of methods, for people.
        METHOD = "method";
        /// A scope that must be open: its key, `=`, its value.
        SCOPE = "scope";
        /// A pattern of threads' names.
        THREAD = "thread";
        /// Milliseconds after which it ends by itself.
        FOR_MS = "for_ms";
        /// Milliseconds that the program may be stopped at once.
        PAUSE_MS = "pause_ms";
        /// Nanoseconds that a call must take to be kept.
        SLOWER_NS = "slower_ns";
        /// How many calls are kept.
        MOST = "most";
        /// Frames of a stack.
        FRAMES = "frames";
        /// Bytes for a sample.
        EVERY = "every";
        /// Percent of the program's CPU time.
        MAX_CPU = "max_cpu";
        /// `carry`, or the keys and values of scopes, with tabs between.
        ENTRY = "entry";
        /// A trace: its number, `=`, its kind. They come last.
        TRACE = "trace";
    }
}
