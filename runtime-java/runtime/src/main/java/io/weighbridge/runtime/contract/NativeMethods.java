package io.weighbridge.runtime.contract;

/**
 * What the native agent does for the runtime. It registers these methods when it starts the runtime; without it they must
 * not be called. None of them runs Java code, and none waits but those that say so.
 *
 * <p>Made of runtime-java/contract by WEIGHBRIDGE_WRITE_TABLES=1; change that.
 */
public final class NativeMethods {
    /**
     * What the runtime was not told yet of classes that were loaded: a table (docs/probe-contract.md, "Classes at load") and
     * the loader of its classes, null for the boot loader. The table alone if the loader was collected, or if it has no
     * classes. Null if there is nothing.
     */
    public static native Object[] takeClasses();

    /**
     * The loaded classes whose objects count for a class above them: of each its name and the id of that.
     */
    public static native String[] classesBelow();

    /**
     * The names of the loaded classes below interfaces with these names, which are lines.
     */
    public static native String[] classesBelowInterfaces(String names);

    /**
     * What the agent's probes do with copies that the methods of a class make.
     */
    public static native int roleInClones(Class<?> type);

    /**
     * Whether the agent needs ids, to give them to classes while they are loaded.
     */
    public static native boolean wantsIds();

    /**
     * Walks the heap once while the program waits, dead objects that are not collected yet included: a {@code long[]} of how
     * many objects there are by class id, an {@code Object[]} of a random sample of them and, side by side with it, an
     * {@code int[]} of their ids. Null if that takes longer than {@code nanos}.
     *
     * @param samples by class id, how many objects may be sampled. At least half as many are, or all of a class that
     *     has no more
     * @param samplesOfOthers the same of classes that come after these
     * @param samplesInAll of all classes together, about
     */
    public static native Object[] surveyObjects(int[] samples, int samplesOfOthers, int samplesInAll, long nanos);

    /**
     * No batch of classes that the agent changes is meant to stop the program for longer than this from now on.
     */
    public static native void grantPause(long milliseconds);

    /**
     * The next request of a client: its key, its command and the arguments. Waits; null at the end.
     */
    public static native String[] nextRequest();

    /**
     * Answers a request with a JSON object, or with a sentence why not.
     */
    public static native void reply(String key, boolean done, String text);

    /**
     * Answers a request that the heap has no memory for: the agent says itself what it knows. Allocates nothing.
     */
    public static native void replyWithoutMemory(String key);

    /**
     * Makes the client of a request follow the recording, with these lines first.
     */
    public static native void follow(String key, String lines);

    /**
     * Whether a client follows the recording.
     */
    public static native boolean isFollowed();

    /**
     * Gives lines to all who follow.
     */
    public static native void publish(String lines);

    /**
     * Asks as a client of the control channel does, and gives the reply; null if nobody can ask. Waits for the thread that
     * takes requests by {@link #nextRequest}, two minutes at most.
     */
    public static native String ask(String request);

    /**
     * Gives the probes of traces what they call; null, or a sentence why not.
     */
    public static native String linkTraces(Object[] receivers);

    /**
     * Puts the probes of traces into the classes that are loaded, or takes them away. Later classes get them when they
     * are loaded.
     *
     * @param pauseNs how long the program may be stopped at once to give probes; to take them away is done in any case
     * @return {@code {classes, ns, longest ns, classes left out, ns that those need}}, the times of retransforming
     */
    public static native long[] probeTraces(int[] numbers, boolean on, long pauseNs);

    /**
     * The objects that the classes with probes of a trace have now, dead ones that are not collected yet included; of very many
     * a random sample: an {@code Object[]} and, side by side with it, an {@code int[]} of their probe sites. Walks the heap while the
     * program waits. Null if that takes longer than {@code nanos}.
     */
    public static native Object[] tracedObjects(int number, long nanos);

    /**
     * A trace sees JNI's global references from now on, by so many frames; not any more for 0.
     */
    public static native void watchReferences(int number, int frames);

    /**
     * A trace samples allocations from now on, one in so many bytes, by so many frames; not any more for 0 frames.
     */
    public static native void sampleAllocations(int number, int frames, int every);

    /**
     * The name of the class that is a probe site of a trace; null if there is none.
     */
    public static native String tracedClass(int number, int site);

    /**
     * Gives names to the probe sites in what a run of traces has found, a JSON object; null if it is none.
     */
    public static native String nameTraces(String run);

    /**
     * Nobody asks for the probe sites of these traces any more.
     */
    public static native void forgetTraces(int[] numbers);

    /**
     * The fields that a class declares: of each its name, its signature (JVMS 4.3.2), and {@code static} or nothing. Null if the
     * JVM has not prepared the class. Loads no class.
     */
    public static native String[] fieldsOf(Class<?> type);

    /**
     * Bytes of an object, by the JVM.
     */
    public static native long sizeOf(Object o);

    /**
     * Names for the trace of every event that were not taken yet, in lines; null if there are none.
     */
    public static native String takeEventNames();

    /**
     * What the clock of the trace of every event shows.
     */
    public static native long eventClock();

    /**
     * Where in memory it lies: 8 bytes, in an address that stays.
     */
    public static native long eventClockAddress();

    /**
     * What the probes of named methods call at their checkpoints; null for nothing.
     */
    public static native void checkpoints(Runnable receiver);

    /**
     * Whether the agent is to notice that the heap is exhausted.
     */
    public static native void watchExhaustion(boolean watch);

    /**
     * Whether an {@code OutOfMemoryError} of the heap was about to be thrown since this was last asked.
     */
    public static native boolean isExhausted();

    /**
     * {@code {bytes, limit}}: what the container uses, without file pages that it can drop at once; null without a limit.
     */
    public static native long[] containerMemory();

    /**
     * Nanoseconds: of the start, and of all threads for classes that were loaded since.
     */
    public static native long[] spent();

    /**
     * Runs {@code weighbridge heap threads DUMP -o json}: for each thread its id and the bytes that it holds alone, in a
     * {@code long[]}; else a sentence why not. Waits in native code.
     */
    public static native Object analyse(String program, String dump, long patienceMs);

    /**
     * Runs {@code weighbridge heap measured DUMP --specification FILE}: a {@code long[]} of figures and a {@code String[]} of
     * pairs, a row's number and what holds its objects; else a sentence why not. Waits in native code.
     */
    public static native Object readDump(String program, String dump, String specification, long patienceMs);

    /**
     * Makes a thread throw an error as soon as it is where it may: a number for {@link #stopOutcome}. Waits in
     * native code.
     *
     * @param work null, or what must still be open, by its field {@code open}
     */
    public static native int stop(Thread thread, Object work, Throwable error, long patienceMs);

    /**
     * Gives it the ids from {@code first} on.
     */
    public static native void giveIds(int first, int count);

    /** In {@link #roleInClones}: calls of {@code clone()} have probes, or none matters. */
    public static final int ROLE_PROBES = 1;
    /** In {@link #roleInClones}: it overrides {@code clone()}, whose own calls have probes. */
    public static final int ROLE_CLONES = 2;
    /** From {@link #stop}: the thread throws the error. */
    public static final int STOPPED = 0;
    /** What became of the thread, by what {@link #stop} gives. */
    public static String stopOutcome(int number) {
        switch (number) {
            case 0:
                return "it was stopped";
            case 1:
                return "it had ended";
            case 2:
                return "it runs a class initializer";
            case 3:
                return "it runs system code";
            case 4:
                return "it runs code that system code calls, which may hold a lock";
            case 5:
                return "it was never where it allocates or repeats a loop, outside a finally block";
            case 6:
                return "the JVM refuses to stop it";
            default:
                return "";
        }
    }

    private NativeMethods() {
    }
}
