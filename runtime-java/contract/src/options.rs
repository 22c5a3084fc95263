//! The options of the runtime: `-javaagent:weighbridge-runtime.jar=key=value`, `-Dweighbridge.key=value`, or a rewritten jar.

/// An option of the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimeOption {
    /// Its name.
    pub key: &'static str,
    /// What it takes.
    pub values: Values,
    /// Whether it may be changed while the program runs.
    pub changes: Changes,
    /// What it is unless set, in Markdown, where `values` does not say so.
    pub unless_set: &'static str,
    /// What its values mean, in Markdown; empty for those that are documented where the configuration is.
    pub meaning: &'static str,
    /// The keys of the configuration that set it, in Markdown.
    pub set_by: &'static str,
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// `true` or `false`; this unless set.
    Flag(bool),
    /// Any text; this unless set, empty for none.
    Text(&'static str),
    /// Texts joined by `;`; none unless set.
    Texts,
    /// One of these words; the first unless set.
    Choice(&'static [&'static str]),
    /// A whole number.
    Number {
        /// Unless set.
        default: u32,
        /// The smallest.
        least: u32,
        /// The greatest.
        most: u32,
    },
    /// A whole number with `ms`, `s`, `m` or `h`.
    Duration {
        /// Unless set; empty for none, which is also written `off`.
        default: &'static str,
        /// In milliseconds: 0 if it may be `0s`.
        least: u32,
    },
    /// Bytes, or a number with `k`, `m` or `g`; the runtime chooses unless set.
    Size,
    /// A percentage from 1 to 99, or `off`; this unless set, 0 for `off`.
    Percent(u32),
}

/// When an option may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// Only at the start: it is in the recording's header, or in figures that are kept.
    Never,
    /// While a session measures.
    Session,
    /// While a session measures, and for each run on its own.
    Run,
}

const fn option(key: &'static str, values: Values, changes: Changes) -> RuntimeOption {
    RuntimeOption { key, values, changes, unless_set: "", meaning: "", set_by: "" }
}

impl RuntimeOption {
    const fn documented(self, meaning: &'static str, set_by: &'static str) -> Self {
        RuntimeOption { meaning, set_by, ..self }
    }

    const fn by_default(self, unless_set: &'static str) -> Self {
        RuntimeOption { unless_set, ..self }
    }
}

/// The most bounds of `ages`.
pub const MOST_AGES: usize = 64;
/// The most digits of a size.
pub const MOST_DIGITS: usize = 12;

/// The option with this name.
///
/// # Panics
/// If there is none: names are written in the code.
pub fn runtime_option(key: &str) -> &'static RuntimeOption {
    let found = RUNTIME_OPTIONS.iter().find(|option| option.key == key);
    found.unwrap_or_else(|| panic!("the runtime has no option {key}"))
}

/// All options, in the order of the documentation.
pub const RUNTIME_OPTIONS: &[RuntimeOption] = &[
    option("enabled", Values::Flag(true), Changes::Never).documented(
        "`false`: the probes do nothing and nothing else starts",
        "`runtime.enabled`",
    ),
    option("destfile", Values::Text("weighbridge-%p.wbr"), Changes::Never).documented(
        "path of the recording, from the working directory; `%p` is the process id, `%t` the UTC time `yyyyMMdd-HHmmss`",
        "`runtime.destfile`",
    ),
    option("dumponexit", Values::Flag(true), Changes::Never).documented(
        "measure when the JVM ends, `SIGTERM` included",
        "`runtime.dumponexit`, or `\"exit\"` in `measure.at`",
    ),
    option("interval", Values::Duration { default: "", least: 1 }, Changes::Run).documented(
        "measure at this interval: a whole number above 0 with `ms`, `s`, `m` or `h`",
        "`\"every ...\"` in `measure.at`",
    ),
    option("sessionid", Values::Text(""), Changes::Never).documented(
        "a text that the recording carries, for telling runs apart",
        "`runtime.sessionid`",
    ),
    option("output", Values::Choice(&["file", "none", "stream"]), Changes::Never).documented(
        "`file`; `none`: no recording is written; `stream`: only clients of the [control channel](control.md) get its lines",
        "`runtime.output`",
    ),
    option("jmx", Values::Flag(false), Changes::Never).documented(
        "register the managed bean `io.weighbridge:type=Runtime`, which a client of JMX can ask as the socket of the [control channel](control.md#jmx). Without it, JMX is not started",
        "`runtime.jmx`",
    ),
    option("references", Values::Number { default: 5_000, least: 1, most: 10_000_000 }, Changes::Session).documented(
        "weak references per class, 1 to 10,000,000",
        "`measure.budget.references`",
    ),
    option("cpu_percent", Values::Number { default: 2, least: 1, most: 100 }, Changes::Run).documented(
        "percent of one core, 1 to 100",
        "`measure.budget.cpu_percent`",
    ),
    option("pause", Values::Duration { default: "100ms", least: 0 }, Changes::Session).documented(
        "no single stop of the program is meant to be longer ([A budget of pauses](#a-budget-of-pauses)); a whole number with `ms`, `s`, `m` or `h`; `0s`: nothing stops it that can be left out",
        "`measure.pause`",
    ),
    option("gc", Values::Choice(&["auto", "never"]), Changes::Run).documented(
        "`auto`, `never`",
        "`measure.gc`",
    ),
    option("soft", Values::Flag(false), Changes::Never).documented(
        "`true`, `false`",
        "`measure.soft`",
    ),
    option("exclude", Values::Texts, Changes::Never).documented(
        "patterns joined by `;`",
        "`measure.exclude`",
    ),
    option("hubs", Values::Texts, Changes::Never).documented(
        "patterns joined by `;`, or `none`",
        "`measure.hubs`, `measure.stop`; the rewriter always bakes them",
    ),
    option("holders", Values::Flag(true), Changes::Run).documented(
        "`true`, `false`: for the ten largest classes, tell what holds their objects; costs 4 bytes for each object that a walk reaches",
        "`measure.holders`",
    ),
    option("reader", Values::Text(""), Changes::Never).documented(
        "the path of the program `weighbridge`: with the native agent, measurements read a heap dump in a process of their own instead of walking the heap, if the pause is granted, and at an interval if that process also keeps to `cpu_percent` without a longer interval. The dump collects the heap first. `run` and `attach` name themselves |",
        "nothing: `run` and `attach` set it",
    ),
    option("walk_memory", Values::Size, Changes::Never).documented(
        "what the tables of a walk may take of the heap, some 40 bytes for each object that it meets: bytes, or `512k`, `64m`, `2g`. A walk that needs more begins again with one in four of the registered objects of each class, then with one in sixteen, and says so. Where one in 4,096 still reach too much, the objects hang together and fewer are of no use: unless the option is set, the walk may then take a tenth of what the heap has free. If that is too little too, the snapshot has no own and deep bytes, and says why |",
        "`measure.walk.memory`",
    )
    .by_default("1/100 of the largest heap, 4 MiB at least; see there"),
    option("sites", Values::Number { default: 0, least: 0, most: 1_000 }, Changes::Session).documented(
        "frames kept of the call stack of each object that gets a weak reference, 0 to 1000: tells where the live objects were constructed. Costs a stack walk for each reference made, nothing for the other objects",
        "`measure.sites`",
    ),
    option("peak", Values::Choice(&["off", "peak-with-tolerance", "peak-only", "threshold", "interval"]), Changes::Session).documented(
        "`off`, `peak-with-tolerance`, `peak-only`, `threshold`, `interval`: see \"Peaks\"",
        "`measure.peak.mode`",
    ),
    option("peak_source", Values::Choice(&["walk", "histogram", "usage"]), Changes::Session).documented(
        "`walk`: bytes reached from registered objects, after a full collection. `histogram`: the JVM's class histogram of the whole heap (a full collection and a pause). If native code holds an array at that moment, the JVM skips the collection. It is asked once more; if it skips again, the count includes garbage and `collected` is false. `usage`: heap in use after a full collection. With `gc=never` the walk counts garbage as live, and `usage` waits for a collection that happens anyway",
        "",
    ),
    option("peak_tolerance", Values::Size, Changes::Session).documented(
        "bytes, or `512k`, `64m`, `2g`",
        "",
    )
    .by_default("1/32 of the largest heap"),
    option("peak_floor", Values::Size, Changes::Session).documented(
        "the same; smaller peaks are ignored",
        "",
    )
    .by_default("four tolerances; mode `interval`: 0"),
    option("peak_interval", Values::Duration { default: "10s", least: 1 }, Changes::Session).documented(
        "as `interval`",
        "",
    ),
    option("peak_dump", Values::Text(""), Changes::Session).documented(
        "path of a heap dump (`%p`, `%t` as in `destfile`); it atomically replaces the dump of a smaller peak. No dump is made if the disk has less room than twice the heap in use",
        "",
    ),
    option("peak_dumps", Values::Number { default: 3, least: 1, most: 1_000 }, Changes::Session).documented(
        "dumps made at most",
        "",
    ),
    option("peak_dump_growth", Values::Number { default: 10, least: 0, most: 1_000 }, Changes::Session).documented(
        "a peak is dumped only if it exceeds the dumped one by so many percent",
        "",
    ),
    option("ages", Values::Text("0;1;2;3;4;8;16"), Changes::Never).documented(
        "lower bounds of the buckets of ages, in collections survived, rising from 0",
        "`measure.ages`",
    ),
    option("threads", Values::Texts, Changes::Never).documented(
        "patterns of thread names joined by `;` (`*` stands for any characters): the first that matches names the group under which a thread's objects are reported. Without a match the name with its numbers replaced by `*` is the group",
        "`measure.threads`",
    ),
    option("shortage", Values::Choice(&["off", "observe", "act"]), Changes::Session).documented(
        "`observe` decides what to cancel when memory runs short, and does nothing; `act` cancels it",
        "`[shortage]` with `dry_run`",
    ),
    option("shortage_old_generation", Values::Percent(90), Changes::Session),
    option("shortage_allocation", Values::Size, Changes::Session),
    option("shortage_container", Values::Percent(0), Changes::Session),
    option("shortage_exhausted", Values::Flag(true), Changes::Session),
    option("shortage_by", Values::Choice(&["allocated", "proprietary", "releasable", "oldest", "priority"]), Changes::Session),
    option("shortage_measure", Values::Choice(&["cheap", "exact"]), Changes::Session),
    option("shortage_analyser", Values::Text(""), Changes::Never),
    option("shortage_least", Values::Text("2%"), Changes::Session),
    option("shortage_frame", Values::Choice(&["any", "variable"]), Changes::Session),
    option("shortage_threads", Values::Texts, Changes::Session),
    option("shortage_scopes", Values::Texts, Changes::Session),
    option("shortage_methods", Values::Texts, Changes::Never),
    option("shortage_interrupt", Values::Flag(true), Changes::Session),
    option("shortage_force", Values::Flag(false), Changes::Session),
    option("shortage_fixed", Values::Text("java.**;javax.**;jdk.**;sun.**;com.sun.**"), Changes::Never),
    option("shortage_wait", Values::Duration { default: "2s", least: 0 }, Changes::Session),
    option("shortage_per_minute", Values::Number { default: 6, least: 1, most: 600 }, Changes::Session),
    option("shortage_retry", Values::Texts, Changes::Never),
    option("shortage_admit", Values::Texts, Changes::Never),
    option("shortage_admit_wait", Values::Duration { default: "1s", least: 0 }, Changes::Session),
];
