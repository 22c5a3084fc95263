//! The native methods of the runtime, which the agent registers when it starts the runtime (JNI, `RegisterNatives`).

/// A native method of `NativeMethods`, the class that is made of this.
#[derive(Clone, Copy, Debug)]
pub struct NativeMethod {
    /// Its declaration in Java: type, name, parameters.
    pub declaration: &'static str,
    /// Its documentation, a line each.
    pub lines: &'static [&'static str],
}

/// Calls a macro with all native methods of the runtime: for each its documentation, the name of the agent's function, and the
/// declaration in Java. So a function that is missing does not compile.
#[macro_export]
macro_rules! with_native_methods {
    ($use:ident) => {
        $use! {
            /// What the runtime was not told yet of classes that were loaded: a table (docs/probe-contract.md, "Classes at load") and
            /// the loader of its classes, null for the boot loader. The table alone if the loader was collected, or if it has no
            /// classes. Null if there is nothing.
            take_classes: "Object[] takeClasses()",
            /// The loaded classes whose objects count for a class above them: of each its name and the id of that.
            classes_below: "String[] classesBelow()",
            /// The names of the loaded classes below interfaces with these names, which are lines.
            below_interfaces: "String[] classesBelowInterfaces(String names)",
            /// What the agent's probes do with copies that the methods of a class make.
            role_in_clones: "int roleInClones(Class<?> type)",
            /// Whether the agent needs ids, to give them to classes while they are loaded.
            wants_ids: "boolean wantsIds()",
            /// Walks the heap once while the program waits, dead objects that are not collected yet included: a {@code long[]} of how
            /// many objects there are by class id, an {@code Object[]} of a random sample of them and, side by side with it, an
            /// {@code int[]} of their ids. Null if that takes longer than {@code nanos}.
            ///
            /// @param samples by class id, how many objects may be sampled. At least half as many are, or all of a class that
            ///     has no more
            /// @param samplesOfOthers the same of classes that come after these
            /// @param samplesInAll of all classes together, about
            survey_objects: "Object[] surveyObjects(int[] samples, int samplesOfOthers, int samplesInAll, long nanos)",
            /// No batch of classes that the agent changes is meant to stop the program for longer than this from now on.
            grant_pause: "void grantPause(long milliseconds)",
            /// The next request of a client: its key, its command and the arguments. Waits; null at the end.
            next_request: "String[] nextRequest()",
            /// Answers a request with a JSON object, or with a sentence why not.
            reply: "void reply(String key, boolean done, String text)",
            /// Answers a request that the heap has no memory for: the agent says itself what it knows. Allocates nothing.
            reply_without_memory: "void replyWithoutMemory(String key)",
            /// Makes the client of a request follow the recording, with these lines first.
            follow: "void follow(String key, String lines)",
            /// Whether a client follows the recording.
            is_followed: "boolean isFollowed()",
            /// Gives lines to all who follow.
            publish: "void publish(String lines)",
            /// Asks as a client of the control channel does, and gives the reply; null if nobody can ask. Waits for the thread that
            /// takes requests by {@link #nextRequest}, two minutes at most.
            request_reply: "String ask(String request)",
            /// Gives the probes of traces what they call; null, or a sentence why not.
            link_traces: "String linkTraces(Object[] receivers)",
            /// Puts the probes of traces into the classes that are loaded, or takes them away. Later classes get them when they
            /// are loaded.
            ///
            /// @param pauseNs how long the program may be stopped at once to give probes; to take them away is done in any case
            /// @return {@code {classes, ns, longest ns, classes left out, ns that those need}}, the times of retransforming
            probe_traces: "long[] probeTraces(int[] numbers, boolean on, long pauseNs)",
            /// The objects that the classes with probes of a trace have now, dead ones that are not collected yet included; of very many
            /// a random sample: an {@code Object[]} and, side by side with it, an {@code int[]} of their probe sites. Walks the heap while the
            /// program waits. Null if that takes longer than {@code nanos}.
            traced_objects: "Object[] tracedObjects(int number, long nanos)",
            /// A trace sees JNI's global references from now on, by so many frames; not any more for 0.
            watch_references: "void watchReferences(int number, int frames)",
            /// A trace samples allocations from now on, one in so many bytes, by so many frames; not any more for 0 frames.
            sample_allocations: "void sampleAllocations(int number, int frames, int every)",
            /// The name of the class that is a probe site of a trace; null if there is none.
            traced_class: "String tracedClass(int number, int site)",
            /// Gives names to the probe sites in what a run of traces has found, a JSON object; null if it is none.
            name_traces: "String nameTraces(String run)",
            /// Nobody asks for the probe sites of these traces any more.
            forget_traces: "void forgetTraces(int[] numbers)",
            /// The fields that a class declares: of each its name, its signature (JVMS 4.3.2), and {@code static} or nothing. Null if the
            /// JVM has not prepared the class. Loads no class.
            fields_of: "String[] fieldsOf(Class<?> type)",
            /// Bytes of an object, by the JVM.
            size_of: "long sizeOf(Object o)",
            /// Names for the trace of every event that were not taken yet, in lines; null if there are none.
            take_event_names: "String takeEventNames()",
            /// What the clock of the trace of every event shows.
            event_clock: "long eventClock()",
            /// Where in memory it lies: 8 bytes, in an address that stays.
            event_clock_address: "long eventClockAddress()",
            /// What the probes of named methods call at their checkpoints; null for nothing.
            checkpoints: "void checkpoints(Runnable receiver)",
            /// Whether the agent is to notice that the heap is exhausted.
            watch_exhaustion: "void watchExhaustion(boolean watch)",
            /// Whether an {@code OutOfMemoryError} of the heap was about to be thrown since this was last asked.
            is_exhausted: "boolean isExhausted()",
            /// {@code {bytes, limit}}: what the container uses, without file pages that it can drop at once; null without a limit.
            container_memory: "long[] containerMemory()",
            /// Nanoseconds: of the start, and of all threads for classes that were loaded since.
            spent: "long[] spent()",
            /// Runs {@code weighbridge heap threads DUMP -o json}: for each thread its id and the bytes that it holds alone, in a
            /// {@code long[]}; else a sentence why not. Waits in native code.
            analyse: "Object analyse(String program, String dump, long patienceMs)",
            /// Runs {@code weighbridge heap measured DUMP --specification FILE}: a {@code long[]} of figures and a {@code String[]} of
            /// pairs, a row's number and what holds its objects; else a sentence why not. Waits in native code.
            read_dump: "Object readDump(String program, String dump, String specification, long patienceMs)",
            /// Makes a thread throw an error as soon as it is where it may: a number for {@link #stopOutcome}. Waits in
            /// native code.
            ///
            /// @param work null, or what must still be open, by its field {@code open}
            stop: "int stop(Thread thread, Object work, Throwable error, long patienceMs)",
            /// Gives it the ids from {@code first} on.
            give_ids: "void giveIds(int first, int count)",
        }
    };
}

macro_rules! list {
    ($($(#[doc = $line:literal])* $function:ident: $declaration:literal,)*) => {
        /// All native methods of the runtime.
        pub const NATIVE_METHODS: &[NativeMethod] =
            &[$(NativeMethod { declaration: $declaration, lines: &[$($line),*] }),*];
    };
}

with_native_methods!(list);

impl NativeMethod {
    /// The name in Java.
    pub fn name(&self) -> &'static str {
        let (before, _) = self.declaration.split_once('(').expect("a declaration has parameters");
        before.rsplit(' ').next().expect("a declaration has a name")
    }

    /// The descriptor (JVMS 4.3.3), such as `(I)[Ljava/lang/String;`.
    pub fn descriptor(&self) -> String {
        let (before, rest) = self.declaration.split_once('(').expect("a declaration has parameters");
        let (result, _) = before.rsplit_once(' ').expect("a declaration has a result");
        let parameters = rest.trim_end_matches(')').split(", ").filter(|parameter| !parameter.is_empty());
        let parameters = parameters.map(|parameter| type_descriptor(parameter.split(' ').next().unwrap_or_default()));
        format!("({}){}", parameters.collect::<String>(), type_descriptor(result))
    }
}

/// The descriptor of a type; classes are those of `java.lang`.
fn type_descriptor(name: &str) -> String {
    if let Some(element) = name.strip_suffix("[]") {
        return format!("[{}", type_descriptor(element));
    }
    match name {
        "void" => "V".to_owned(),
        "boolean" => "Z".to_owned(),
        "byte" => "B".to_owned(),
        "int" => "I".to_owned(),
        "long" => "J".to_owned(),
        class => format!("Ljava/lang/{};", class.trim_end_matches("<?>")),
    }
}

/// What an answer of `roleInClones` says: the calls of `clone()` in the class have probes, or it has none that matter.
pub const ROLE_PROBES: i32 = 1;
/// The class overrides `clone()`, and its own calls in there have probes or get them before an object is copied.
pub const ROLE_CLONES: i32 = 2;

/// What became of a thread that was to be stopped, by the number that the native method `stop` answers.
pub const STOP_OUTCOMES: [&str; 7] = [
    "it was stopped",
    "it had ended",
    "it runs a class initializer",
    "it runs system code",
    "it runs code that system code calls, which may hold a lock",
    "it was never where it allocates or repeats a loop, outside a finally block",
    "the JVM refuses to stop it",
];
