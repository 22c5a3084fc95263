package io.weighbridge.template;

import io.weighbridge.runtime.contract.EventCodes;
import java.lang.ref.WeakReference;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;
import java.util.function.ToIntFunction;
import jdk.internal.misc.Unsafe;

/**
 * What the probes of every event call; an instance is what one thread has written and not handed on yet. The native agent defines
 * it under another name in the boot loader, and sets its fields (docs/event-trace.md has the format).
 *
 * <p>Probes are in the JDK's classes, too, so nothing here may call code that has some, except while {@link #busy} is set: the
 * fast paths call only native methods, arrays and {@code Unsafe}, which has none. An event is written beside what is there
 * already, and counts when {@link #end} has moved on; so one that fails midway, as by a stack overflow, is not there.
 */
public final class Events {
    /** Takes the bytes of a block and how many there are; none if nothing is to be written. */
    static ObjIntConsumer<byte[]> FULL;
    /** As {@link #FULL}, also when the probes are silent: for what is left. */
    static ObjIntConsumer<byte[]> LAST;
    /** The number of a class, with {@link #OURS} if it is; its complement if code without probes sets fields of its objects. */
    static ToIntFunction<Class<?>> CLASSES;
    /** What an object refers to: its values, and where they are, or nothing where an array is its own answer. */
    static Function<Object, Object[]> CONTENTS;
    /** Where the clock lies, outside of the heap; and at which offset the first element of an array of longs. */
    static long[] CLOCK;
    /** Whether fields were read and written, by number and by {@link #PAGE}; this class makes the pages. */
    static boolean[][] READ;
    static boolean[][] WRITTEN;

    /** Instead of the number of an object: there is none. */
    private static final long NONE = -1;

    /** The most bytes that an event with those before it can have. */
    private static final int ROOM = 96;
    private static final int SMALLEST = 512;
    private static final int LARGEST = 1 << 16;
    /** Fields of a page. */
    private static final int PAGE = 1 << 12;
    private static final int SITES = 256;
    private static final int LATELY = 8;
    /** Marks the number of a class of the runtime: what the program's objects refer to of it is not told. */
    private static final int OURS = 1 << 29;

    private static final Unsafe UNSAFE = Unsafe.getUnsafe();
    /**
     * By identity hash code, two bits: {@link #NEW}, {@link #KNOWN}, {@link #CONSTANT} (known, and held by the JVM for good), or
     * {@link #SHARED} by several objects.
     */
    private static final long[][] STATES = new long[1 << 16][];
    private static final int NEW = 0;
    private static final int KNOWN = 1;
    private static final int CONSTANT = 2;
    private static final int SHARED = 3;

    /** By identity hash code of the thread, then the next free one. */
    private static volatile Events[] threads = new Events[1 << 10];
    private static int threadCount;
    private static int nextThread;
    /** Classes, by identity hash code, and beside them their numbers. */
    private static volatile Object[] classes = new Object[1 << 12];
    private static volatile int[] classNumbers = new int[1 << 12];
    private static int classCount;
    /** Objects that share a hash code with an older one, in the order of their numbers. */
    private static WeakReference<?>[] twins = new WeakReference<?>[1 << 8];
    private static int twinCount;
    private static final Events GATE = new Events(null, 0);
    private static final long GATE_AT = UNSAFE.objectFieldOffset(Events.class, "gate");
    private static long clockAt;
    /** False until the objects that existed before are told. */
    private static volatile boolean begun;

    /** 1 while a thread changes one of the tables above; only of {@link #GATE}. */
    private volatile int gate;
    /** Which thread it is. */
    private volatile Thread inside;

    /** None once it has ended. */
    private Thread thread;
    private final int number;
    /** The thread runs our own code. */
    private boolean busy = true;
    private byte[] bytes = new byte[SMALLEST];
    private int end;
    /** The number of the object named last, and the clock if no other thread moves it: after the last event, and after this. */
    private long last;
    private long lastNow;
    private long expected;
    private long expectedNow;
    /** Where the event that is being written ends. */
    private int at;
    /** The number that the next event has taken from the clock already, or -1. */
    private long taken = -1;
    /** The object whose use was the last event, or -1. */
    private long used = -1;
    private int depth;
    /** Sites whose constructors are about to run, and the depth at which. */
    private final int[] sites = new int[SITES];
    private final int[] depths = new int[SITES];
    private int siteCount;
    /** Hash codes of the objects that were met last: what was made without a constructor may run one yet. */
    private final int[] lately = new int[LATELY];
    private int latelyCount;
    /** Objects that were met, and whose references are still to be written. */
    private Object[] waiting = new Object[16];
    private int waitingCount;

    private Events(Thread thread, int number) {
        this.thread = thread;
        this.number = number;
    }

    // ---- Methods

    /** A method is entered; gives the depth of its frame, or 0. */
    public static int enter(int method) {
        try {
            Events e = own();
            if (e == null) {
                return 0;
            }
            e.begin(EventCodes.ENTER);
            e.varint(method);
            e.commit();
            return ++e.depth;
        } catch (Throwable never) {
            // The program must not see a failure of its trace.
            return 0;
        }
    }

    /** The method whose frame has this depth returns. */
    public static void exit(int depth) {
        exitWith(null, depth);
    }

    /** It returns a reference, or ends by an exception. */
    public static void exitWith(Object result, int depth) {
        if (depth == 0) {
            return;
        }
        try {
            Events e = own();
            if (e == null || e.depth < depth) {
                return;
            }
            long number = e.knownOrNone(result);
            int missing = e.depth - depth;
            e.begin(EventCodes.EXIT | (number == NONE ? EventCodes.NULL : 0) | (missing == 0 ? 0 : EventCodes.MORE));
            if (missing > 0) {
                e.varint(missing);
            }
            if (number != NONE) {
                e.object(number);
            }
            e.commit();
            e.depth = depth - 1;
        } catch (Throwable never) {
            // As above.
        }
    }

    /** The method whose frame has this depth goes on after an exception. */
    public static void caught(int depth) {
        if (depth == 0) {
            return;
        }
        try {
            Events e = own();
            if (e == null || e.depth <= depth) {
                return;
            }
            e.begin(EventCodes.CLOCK | EventCodes.MORE);
            e.varint(0);
            e.varint(e.depth - depth);
            e.commit();
            e.depth = depth;
        } catch (Throwable never) {
            // As above.
        }
    }

    /** A local variable has a value. */
    public static void local(Object value, int slot) {
        try {
            Events e = own();
            if (e == null) {
                return;
            }
            e.refer(EventCodes.LOCAL, slot, NONE, e.knownOrNone(value));
        } catch (Throwable never) {
            // As above.
        }
    }

    /** A local variable has no reference any more. */
    public static void clear(int slot) {
        local(null, slot);
    }

    // ---- Objects

    /** The next object whose constructor begins is made by this site. */
    public static void site(int site) {
        try {
            Events e = own();
            if (e != null) {
                e.push(site);
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    /** The next object of a hidden class is made by this site. */
    public static void link(int site) {
        site(~site);
    }

    private void push(int site) {
        int count = siteCount;
        if (count == SITES) {
            // Constructors that threw before they came to that of Object.
            count = 0;
        }
        sites[count] = site;
        depths[count] = depth;
        siteCount = count + 1;
    }

    /** The constructor of Object returns. */
    public static void made(Object o) {
        try {
            Events e = own();
            if (e == null || e.isMetLately(System.identityHashCode(o))) {
                return;
            }
            int count = e.siteCount;
            while (count > 0 && e.depths[count - 1] > e.depth) {
                count--;
            }
            int type = e.classOf(o.getClass());
            int site = 0;
            if (count > 0 && (type < 0) == (e.sites[count - 1] < 0)) {
                site = e.sites[--count];
            }
            e.siteCount = count;
            e.objectMade(o, type, site < 0 ? ~site : site);
        } catch (Throwable never) {
            // As above.
        }
    }

    private void objectMade(Object o, int type, int site) {
        long number = born(o);
        begin(EventCodes.MADE);
        varint(plain(type));
        varint(site);
        object(number);
        commit();
    }

    /** An array is made. */
    public static void array(Object o, int site) {
        try {
            Events e = own();
            if (e != null) {
                e.arrayMade(o, site);
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    /** An array of arrays is made, with those in it. */
    public static void arrays(Object o, int site) {
        try {
            Events e = own();
            if (e != null) {
                e.arraysMade((Object[]) o, site);
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    /** An object is made without a constructor: by {@code clone}, {@code Unsafe}, or reflection if it is an array. */
    public static void cloned(Object o, int site) {
        try {
            Events e = own();
            if (e == null || o == null || state(System.identityHashCode(o)) != NEW) {
                return;
            }
            if (o.getClass().isArray()) {
                e.arrayMade(o, site);
            } else {
                e.objectMade(o, e.classOf(o.getClass()), site);
                e.metLately(System.identityHashCode(o));
            }
            e.contents(o);
        } catch (Throwable never) {
            // As above.
        }
    }

    /** A call site has given an object. If it is of a hidden class, what it has captured was stored without probes. */
    public static void linked(Object o, int site) {
        try {
            Events e = own();
            if (e == null) {
                return;
            }
            if (e.siteCount > 0 && e.sites[e.siteCount - 1] == ~site) {
                e.siteCount--;
            }
            if (o == null) {
                return;
            }
            boolean isNew = state(System.identityHashCode(o)) == NEW;
            e.known(o);
            if (!isNew && e.classOf(o.getClass()) < 0) {
                e.contents(o);
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    /** A constant is used: the JVM holds it. */
    public static void constant(Object o) {
        try {
            Events e = own();
            if (e == null || o == null || state(System.identityHashCode(o)) == CONSTANT) {
                return;
            }
            long number = e.known(o);
            e.held(number);
            if (number <= Integer.MAX_VALUE) {
                mark((int) number, KNOWN, CONSTANT);
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    // ---- References

    /** A field of an object gets a value. */
    public static void put(Object holder, Object value, int field) {
        try {
            Events e = own();
            if (e == null || holder == null) {
                return;
            }
            flag(WRITTEN, field);
            long target = e.knownOrNone(value);
            e.refer(EventCodes.FIELD, field, e.known(holder), target);
        } catch (Throwable never) {
            // As above.
        }
    }

    /** A static field gets a value. */
    public static void putStatic(Object value, int field) {
        try {
            Events e = own();
            if (e == null) {
                return;
            }
            flag(WRITTEN, field);
            e.refer(EventCodes.STATIC, field, NONE, e.knownOrNone(value));
        } catch (Throwable never) {
            // As above.
        }
    }

    /** An element of an array gets a value, if the array has it and may hold it. */
    public static void element(Object holder, int index, Object value) {
        try {
            Events e = own();
            if (e == null || !(holder instanceof Object[])) {
                return;
            }
            if (index < 0 || index >= ((Object[]) holder).length || value != null && !e.mayHold(holder, value)) {
                return;
            }
            long array = e.known(holder);
            e.refer(EventCodes.ELEMENT, index, array, e.knownOrNone(value));
        } catch (Throwable never) {
            // As above.
        }
    }

    /** Elements are copied, if they exist. */
    public static void copy(Object source, int from, Object target, int to, int count) {
        try {
            Events e = own();
            if (e == null || source == null || target == null) {
                return;
            }
            long first = e.known(source);
            long second = e.known(target);
            if (!(source instanceof Object[]) || !(target instanceof Object[])) {
                if (e.used != second) {
                    e.use(first);
                    e.use(second);
                }
                return;
            }
            if (from < 0 || to < 0 || count <= 0 || from > ((Object[]) source).length - count
                    || to > ((Object[]) target).length - count) {
                return;
            }
            e.begin(EventCodes.COPY);
            e.varint(from);
            e.varint(to);
            e.varint(count);
            e.object(first);
            e.object(second);
            e.commit();
        } catch (Throwable never) {
            // As above.
        }
    }

    /** Fields of an object were set by code without probes; of a class its static fields. */
    public static void changed(Object o) {
        try {
            Events e = own();
            if (e != null && o != null) {
                e.known(o);
                e.contents(o);
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    /** {@code Unsafe} sets memory of an object. */
    public static void putAt(Object holder, long offset, Object value) {
        try {
            Events e = own();
            if (e == null || holder == null || offset < 0) {
                return;
            }
            long target = e.knownOrNone(value);
            e.refer(EventCodes.MEMORY, offset, e.known(holder), target);
        } catch (Throwable never) {
            // As above.
        }
    }

    /** {@code Unsafe} has set memory of an object, if it is true. */
    public static void swapped(boolean done, Object holder, long offset, Object value) {
        if (done) {
            putAt(holder, offset, value);
        }
    }

    /** {@code Unsafe} has set memory of an object, if it held what was expected. */
    public static void exchanged(Object before, Object wanted, Object holder, long offset, Object value) {
        if (before == wanted) {
            putAt(holder, offset, value);
        }
    }

    // ---- Uses

    /** A field of an object is read. */
    public static void read(Object o, int field) {
        flag(READ, field);
        used(o);
    }

    /** A field is read; its object is in use anyway. */
    public static void seen(int field) {
        flag(READ, field);
    }

    /** A field of an object gets a primitive value. */
    public static void wrote(Object o, int field) {
        flag(WRITTEN, field);
        used(o);
    }

    /** A field gets a primitive value. */
    public static void written(int field) {
        flag(WRITTEN, field);
    }

    /** An object is used. */
    public static void used(Object o) {
        try {
            Events e = own();
            if (e == null || o == null) {
                return;
            }
            long number = e.known(o);
            // Nothing has happened since.
            if (number != e.used) {
                e.use(number);
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    private static void flag(boolean[][] pages, int field) {
        try {
            if (pages == null || field / PAGE >= pages.length) {
                return;
            }
            boolean[] page = pages[field / PAGE];
            if (page == null) {
                page = new boolean[PAGE];
                pages[field / PAGE] = page;
            }
            if (!page[field % PAGE]) {
                page[field % PAGE] = true;
            }
        } catch (Throwable never) {
            // As above.
        }
    }

    // ---- Begin and end

    /** The thread ends. */
    public static void ended() {
        try {
            Events e = own();
            if (e == null) {
                return;
            }
            long number = e.known(e.thread);
            e.begin(EventCodes.THREAD | EventCodes.MORE);
            e.object(number);
            e.commit();
            e.flush();
            e.busy = true;
            e.thread = null;
        } catch (Throwable never) {
            // As above.
        }
    }

    /** These exist before the trace, and the JVM holds the first ones. */
    public static void existing(Object[] objects, int held) {
        try {
            Events e = own();
            if (e == null) {
                return;
            }
            for (int i = 0; i < objects.length; i++) {
                if (objects[i] != null) {
                    long number = e.known(objects[i]);
                    if (i < held) {
                        e.held(number);
                    }
                }
            }
            begun = true;
        } catch (Throwable never) {
            // As above.
        }
    }

    /** Hands on what the threads have written, and forgets them. No probe writes any more. */
    public static void close() {
        try {
            for (Events e : threads) {
                if (e != null && e.thread != null && e.end > 0) {
                    LAST.accept(e.bytes, e.end);
                }
            }
            threads = new Events[1 << 10];
            threadCount = 0;
            classes = new Object[1 << 12];
            classNumbers = new int[1 << 12];
            classCount = 0;
            java.util.Arrays.fill(STATES, null);
            twins = new WeakReference<?>[1 << 8];
            twinCount = 0;
            begun = false;
        } catch (Throwable never) {
            // As above.
        }
    }

    /** The book of this thread; null if nothing is to be written. */
    private static Events own() {
        Events[] table = threads;
        if (FULL == null || table == null) {
            return null;
        }
        Thread t = Thread.currentThread();
        for (int i = System.identityHashCode(t);; i++) {
            Events e = table[i & table.length - 1];
            if (e == null) {
                return enrol(t);
            }
            if (e.thread == t) {
                return e.busy ? null : e;
            }
        }
    }

    private static Events enrol(Thread t) {
        if (!enterGate(t)) {
            return null;
        }
        Events e;
        try {
            if (!isComplete(t)) {
                return null;
            }
            e = new Events(t, ++nextThread);
            Events[] table = threads;
            if (threadCount >= table.length / 2) {
                Events[] larger = new Events[table.length * 2];
                threadCount = 0;
                for (Events known : table) {
                    if (known != null && known.thread != null) {
                        add(larger, known);
                    }
                }
                table = larger;
            }
            add(table, e);
            clockAt = CLOCK[0];
            threads = table;
        } finally {
            leaveGate();
        }
        // What the JDK runs here has probes that find the book and see that it is busy.
        String name = t.getName();
        if (name != null && name.startsWith("weighbridge")) {
            return null;
        }
        e.busy = false;
        long number = e.known(t);
        e.begin(EventCodes.THREAD);
        e.object(number);
        e.commit();
        return e;
    }

    /**
     * Whether the object of this thread is complete. A thread that native code attaches runs the constructor of its own object:
     * until it is done, a wait for a lock would crash the JVM.
     */
    private static boolean isComplete(Thread t) {
        try {
            return t.getThreadGroup() != null;
        } catch (NullPointerException notYet) {
            return false;
        }
    }

    private static void add(Events[] table, Events e) {
        int i = System.identityHashCode(e.thread);
        while (table[i & table.length - 1] != null && table[i & table.length - 1].thread != null) {
            i++;
        }
        if (table[i & table.length - 1] == null) {
            threadCount++;
        }
        table[i & table.length - 1] = e;
    }

    /** False if this thread is in already: a probe in what the gate protects. */
    private static boolean enterGate(Thread t) {
        while (!UNSAFE.compareAndSetInt(GATE, GATE_AT, 0, 1)) {
            if (GATE.inside == t) {
                return false;
            }
            Thread.onSpinWait();
        }
        GATE.inside = t;
        return true;
    }

    private static void leaveGate() {
        GATE.inside = null;
        GATE.gate = 0;
    }

    // ---- Numbers

    private static int state(int hash) {
        long[] page = STATES[hash >>> 15];
        return page == null ? NEW : (int) (page[hash >>> 5 & 1023] >>> ((hash & 31) << 1)) & 3;
    }

    /** Changes a state if it is as expected; gives what it was. */
    private static int mark(int hash, int wanted, int state) {
        long[] page = STATES[hash >>> 15];
        if (page == null) {
            page = page(hash >>> 15);
        }
        long offset = CLOCK[1] + ((long) (hash >>> 5 & 1023) << 3);
        int shift = (hash & 31) << 1;
        while (true) {
            long old = UNSAFE.getLongVolatile(page, offset);
            int was = (int) (old >>> shift) & 3;
            if (was != wanted
                    || UNSAFE.compareAndSetLong(page, offset, old, old & ~(3L << shift) | (long) state << shift)) {
                return was;
            }
        }
    }

    private static long[] page(int index) {
        boolean entered = enterGate(Thread.currentThread());
        try {
            if (STATES[index] == null) {
                STATES[index] = new long[1024];
            }
            return STATES[index];
        } finally {
            if (entered) {
                leaveGate();
            }
        }
    }

    /** The number of an object that is new. */
    private long born(Object o) {
        int hash = System.identityHashCode(o);
        int was = mark(hash, NEW, KNOWN);
        return was == NEW ? hash : twin(o, hash, was, true);
    }

    /** The number of an object. If no probe saw how it was made, it is met now. */
    private long known(Object o) {
        int hash = System.identityHashCode(o);
        int state = state(hash);
        if (state == NEW) {
            return meet(o, hash);
        }
        return state == SHARED ? twin(o, hash, state, false) : hash;
    }

    /** The number of an object whose hash code others have or had; if it is new, one more of them. */
    private long twin(Object o, int hash, int was, boolean isNew) {
        boolean wasBusy = busy;
        busy = true;
        boolean entered = enterGate(thread);
        try {
            if (!isNew) {
                for (int i = 0; i < twinCount; i++) {
                    if (twins[i] != null && twins[i].get() == o) {
                        return (1L << 31) + i;
                    }
                }
                return hash;
            }
            if (was != SHARED) {
                mark(hash, was, SHARED);
            }
            if (twinCount == twins.length) {
                WeakReference<?>[] more = new WeakReference<?>[twins.length * 2];
                System.arraycopy(twins, 0, more, 0, twinCount);
                twins = more;
            }
            twins[twinCount] = new WeakReference<>(o);
            return (1L << 31) + twinCount++;
        } finally {
            if (entered) {
                leaveGate();
            }
            busy = wasBusy;
        }
    }

    /** The number of a class, as {@link #CLASSES} gives it. */
    private int classOf(Class<?> type) {
        Object[] known = classes;
        int[] numbers = classNumbers;
        for (int i = System.identityHashCode(type);; i++) {
            Object here = known[i & known.length - 1];
            if (here == type && numbers.length == known.length) {
                return numbers[i & known.length - 1];
            }
            if (here == null) {
                return newClass(type);
            }
        }
    }

    private static int plain(int type) {
        return (type < 0 ? ~type : type) & ~OURS;
    }

    private static boolean isOurs(int type) {
        return ((type < 0 ? ~type : type) & OURS) != 0;
    }

    private int newClass(Class<?> type) {
        boolean wasBusy = busy;
        busy = true;
        try {
            int number = CLASSES.applyAsInt(type);
            if (enterGate(thread)) {
                try {
                    keep(type, number);
                } finally {
                    leaveGate();
                }
            }
            return number;
        } finally {
            busy = wasBusy;
        }
    }

    private static void keep(Class<?> type, int number) {
        Object[] known = classes;
        int[] numbers = classNumbers;
        if (classCount >= known.length / 2) {
            Object[] more = new Object[known.length * 2];
            int[] theirs = new int[more.length];
            for (int i = 0; i < known.length; i++) {
                if (known[i] != null) {
                    int to = free(more, known[i]);
                    theirs[to] = numbers[i];
                    more[to] = known[i];
                }
            }
            known = more;
            numbers = theirs;
        }
        int at = free(known, type);
        if (known[at] == null) {
            numbers[at] = number;
            UNSAFE.storeFence();
            known[at] = type;
            classCount++;
        }
        classNumbers = numbers;
        classes = known;
    }

    private static int free(Object[] known, Object type) {
        int i = System.identityHashCode(type) & known.length - 1;
        while (known[i] != null && known[i] != type) {
            i = i + 1 & known.length - 1;
        }
        return i;
    }

    // ---- Objects that no probe saw being made

    private long meet(Object o, int hash) {
        // Before others can name it: their events come later.
        taken = UNSAFE.getAndAddLong(null, clockAt, 1);
        if (mark(hash, NEW, KNOWN) != NEW) {
            taken = -1;
            return known(o);
        }
        tell(o, hash);
        if (busy) {
            // What is written now leads to it.
            return hash;
        }
        tellWaiting();
        return hash;
    }

    private void metLately(int hash) {
        lately[latelyCount++ & LATELY - 1] = hash;
    }

    private boolean isMetLately(int hash) {
        if (state(hash) == KNOWN) {
            for (int met : lately) {
                if (met == hash) {
                    return true;
                }
            }
        }
        return false;
    }

    private void tell(Object o, long number) {
        metLately((int) number);
        Class<?> type = o.getClass();
        int of = classOf(type);
        int more = 0;
        if (type.isArray()) {
            more = java.lang.reflect.Array.getLength(o);
        } else if (type == Class.class) {
            more = plain(classOf((Class<?>) o));
        }
        begin(EventCodes.MET | (begun ? 0 : EventCodes.MORE));
        varint(plain(of));
        varint(more);
        object(number);
        commit();
        if (waitingCount == waiting.length) {
            Object[] larger = new Object[waitingCount * 2];
            System.arraycopy(waiting, 0, larger, 0, waitingCount);
            waiting = larger;
        }
        waiting[waitingCount++] = o;
    }

    /** What an object refers to now, with all that was not met before. */
    private void contents(Object o) {
        busy = true;
        try {
            tellContents(o);
        } finally {
            busy = false;
        }
        tellWaiting();
    }

    /** What the objects refer to that wait for it. */
    private void tellWaiting() {
        busy = true;
        try {
            while (waitingCount > 0) {
                Object next = waiting[--waitingCount];
                waiting[waitingCount] = null;
                tellContents(next);
            }
        } finally {
            busy = false;
        }
    }

    private void tellContents(Object o) {
        Object[] values;
        long[] slots = null;
        if (o instanceof Object[]) {
            values = (Object[]) o;
        } else {
            Object[] told = CONTENTS.apply(o);
            if (told == null) {
                return;
            }
            values = (Object[]) told[0];
            slots = (long[]) told[1];
        }
        long holder = known(o);
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            if (value != null && !isOurs(classOf(value.getClass()))) {
                long target = known(value);
                begin(EventCodes.HOLDS);
                varint(slots == null ? i : slots[i]);
                object(holder);
                object(target);
                commit();
            }
        }
    }

    // ---- Events

    /** Whether an array may hold an object. */
    private boolean mayHold(Object array, Object value) {
        if (array.getClass() == Object[].class) {
            return true;
        }
        busy = true;
        boolean may = array.getClass().getComponentType().isInstance(value);
        busy = false;
        return may;
    }

    private void arrayMade(Object o, int site) {
        int type = classOf(o.getClass());
        long number = born(o);
        begin(EventCodes.ARRAY);
        varint(plain(type));
        varint(site);
        varint(java.lang.reflect.Array.getLength(o));
        object(number);
        commit();
    }

    private void arraysMade(Object[] o, int site) {
        arrayMade(o, site);
        long number = known(o);
        for (int i = 0; i < o.length; i++) {
            Object inner = o[i];
            if (inner == null) {
                continue;
            }
            if (inner instanceof Object[]) {
                arraysMade((Object[]) inner, site);
            } else {
                arrayMade(inner, site);
            }
            refer(EventCodes.ELEMENT, i, number, known(inner));
        }
    }

    /** A slot of a holder, or of nothing if that is {@link #NONE}, gets a value, or null. */
    private void refer(int code, long slot, long holder, long value) {
        begin(code | (value == NONE ? EventCodes.NULL : 0));
        varint(slot);
        if (holder != NONE) {
            object(holder);
        }
        if (value != NONE) {
            object(value);
        }
        commit();
    }

    private long knownOrNone(Object o) {
        return o == null ? NONE : known(o);
    }

    private void held(long number) {
        begin(EventCodes.KEEP);
        object(number);
        commit();
    }

    private void use(long number) {
        begin(EventCodes.USE);
        object(number);
        commit();
        used = number;
    }

    private void begin(int code) {
        boolean counts = (EventCodes.COUNTED >>> (code & EventCodes.CODE) & 1) != 0;
        if (bytes.length - end < ROOM) {
            makeRoom();
        }
        at = end;
        lastNow = last;
        if (end == 0) {
            varint(number);
            expectedNow = taken >= 0 ? taken : UNSAFE.getLongVolatile(null, clockAt);
            varint(expectedNow);
            lastNow = 0;
        } else {
            expectedNow = expected;
        }
        long now = taken >= expectedNow ? taken
                : counts ? UNSAFE.getAndAddLong(null, clockAt, 1) : UNSAFE.getLongVolatile(null, clockAt);
        taken = -1;
        if (now != expectedNow) {
            bytes[at++] = EventCodes.CLOCK;
            varint(now - expectedNow);
        }
        expectedNow = counts ? now + 1 : now;
        bytes[at++] = (byte) code;
    }

    private void commit() {
        used = -1;
        last = lastNow;
        expected = expectedNow;
        end = at;
    }

    private void varint(long value) {
        byte[] to = bytes;
        int i = at;
        while ((value & ~0x7fL) != 0) {
            to[i++] = (byte) (value | 0x80);
            value >>>= 7;
        }
        to[i++] = (byte) value;
        at = i;
    }

    private void object(long number) {
        long step = number - lastNow;
        lastNow = number;
        varint(step << 1 ^ step >> 63);
    }

    private void makeRoom() {
        if (bytes.length < LARGEST) {
            byte[] larger = new byte[bytes.length * 2];
            System.arraycopy(bytes, 0, larger, 0, end);
            bytes = larger;
        } else {
            flush();
        }
    }

    private void flush() {
        boolean wasBusy = busy;
        busy = true;
        try {
            ObjIntConsumer<byte[]> sink = FULL;
            if (sink != null && end > 0) {
                sink.accept(bytes, end);
            }
            end = 0;
        } finally {
            busy = wasBusy;
        }
    }
}
