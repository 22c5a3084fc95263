package io.weighbridge.runtime.events;

import io.weighbridge.runtime.contract.NativeMethods;
import io.weighbridge.runtime.jvm.CollectorBeans;
import io.weighbridge.runtime.jvm.FieldAccess;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.jvm.ObjectSizes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjIntConsumer;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** The file of a trace of every event, and the thread that writes it. */
public final class EventLog implements ObjIntConsumer<byte[]>, Runnable {
    private static final byte[] MAGIC = {'W', 'B', 'E', 'V', 'E', 'N', 'T', '1'};
    private static final int NAMES = 1;
    private static final int EVENTS = 2;
    private static final int END = 3;
    /** Blocks that wait for the file, of 64 KiB each. */
    private static final int WAITING = 64;
    /** Bytes before the content of a block. */
    private static final int HEAD = 13;
    private static final int MANY_NAMES = 1 << 18;
    /** Pages of flags of fields. */
    private static final int PAGES = 1 << 10;
    private static final byte[] LAST = {};

    private static volatile EventLog current;

    private final FileChannel out;
    private final NameLines lines = new NameLines();
    private final ClassNumbers classes;
    private final BlockingQueue<byte[]> blocks = new ArrayBlockingQueue<>(WAITING);
    private final long[] clock;
    private final boolean[][] read = new boolean[PAGES][];
    private final boolean[][] written = new boolean[PAGES][];
    private final Deflater deflater = new Deflater(Deflater.BEST_SPEED);
    private ByteBuffer plain = ByteBuffer.allocateDirect(0);
    private ByteBuffer packed = plain;
    private final Thread writer;
    private volatile boolean failed;

    private EventLog(String file) throws IOException {
        FieldAccess access = FieldAccess.get();
        ObjectSizes sizes = ObjectSizes.get();
        out = FileChannel.open(Path.of(file), StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
        out.write(ByteBuffer.wrap(MAGIC));
        clock = new long[] {NativeMethods.eventClockAddress(), sizes.arrayBase(long.class)};
        classes = new ClassNumbers(access, sizes, lines);
        lines.vm(System.getProperty("java.vm.version", "?"), System.getProperty("java.vm.name", "?"),
                sizes.flags().alignment, sizes.headerBytes() + " bytes", hashCodesAreUnique());
        writer = new Thread(null, this, "weighbridge-events", 0, false);
        writer.setDaemon(true);
    }

    /**
     * Begins a trace: what the fields {@code FULL}, {@code CLASSES}, {@code CONTENTS}, {@code CLOCK}, {@code READ} and
     * {@code WRITTEN} of the class of the probes get.
     */
    public static Object[] begin(String file) throws IOException {
        if (!FieldAccess.get().complete()) {
            throw new IOException("this JVM's fields are closed");
        }
        EventLog log = new EventLog(file);
        log.ready();
        log.writer.start();
        current = log;
        CollectorBeans beans = Management.collectors();
        if (beans != null) {
            mark(clock(), "collections " + (beans.youngCount() + beans.fullCount()));
        }
        return new Object[] {log, log.classes, new Contents(log.classes), log.clock, log.read, log.written};
    }

    /**
     * Whether hash codes count up, and those in the archive of the JDK's classes, which are of another kind, are not in
     * use. Then only two objects that are made at the same moment can share one.
     */
    private static boolean hashCodesAreUnique() {
        int first = System.identityHashCode(new Object());
        int step = System.identityHashCode(new Object()) - first;
        boolean counts = step > 0 && step < 1 << 16;
        for (Object old : new Object[] {"", "java.lang.Object", "main", Object.class, Integer.class, String.class}) {
            counts &= System.identityHashCode(old) < first + (1 << 16);
        }
        return counts;
    }

    /** Loads and initialises what a probe uses: the program may hold any lock then. */
    private void ready() throws IOException {
        classes.applyAsInt(Object[].class);
        new Contents(classes).apply(EventLog.class);
        writeNames(1);
    }

    /** The trace ends; the probes are silent. */
    public static void end() {
        EventLog log = current;
        current = null;
        if (log == null) {
            return;
        }
        try {
            log.blocks.put(LAST);
            log.writer.join(TimeUnit.MINUTES.toMillis(2));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /** What the clock of the trace shows, if there is one. */
    public static long clock() {
        return current == null ? 0 : NativeMethods.eventClock();
    }

    /** Notes that something happened then, if there is a trace. */
    public static void mark(long clock, String text) {
        EventLog log = current;
        if (log != null) {
            log.lines.mark(clock, text);
        }
    }

    /** A block; waits while too many are there. */
    @Override
    public void accept(byte[] bytes, int length) {
        byte[] block = Arrays.copyOf(bytes, length);
        boolean interrupted = false;
        while (!failed) {
            try {
                blocks.put(block);
                break;
            } catch (InterruptedException later) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run() {
        try {
            byte[] block;
            while ((block = blocks.take()) != LAST) {
                write(EVENTS, block);
                writeNames(MANY_NAMES);
            }
            lines.flags("read", read);
            lines.flags("written", written);
            writeNames(1);
            write(END, LAST);
            out.close();
        } catch (Throwable t) {
            failed = true;
            blocks.clear();
            Notices.failure("the trace of every event cannot be written", t);
        }
    }

    private void writeNames(int least) throws IOException {
        classes.tellPrepared();
        String names = NativeMethods.takeEventNames();
        if (names != null) {
            lines.add(names);
        }
        byte[] taken = lines.take(least);
        for (int from = 0; taken != null && from < taken.length; ) {
            // A block may not be too large, and ends with a line.
            int to = Math.min(taken.length, from + MANY_NAMES);
            while (to < taken.length && taken[to - 1] != '\n') {
                to++;
            }
            write(NAMES, Arrays.copyOfRange(taken, from, to));
            from = to;
        }
    }

    /** From and into memory outside of the heap: arrays would keep the JVM from collecting while they are compressed. */
    private void write(int kind, byte[] content) throws IOException {
        if (plain.capacity() < content.length) {
            plain = ByteBuffer.allocateDirect(content.length);
            // What does not compress grows by 5 bytes in each 16 KiB, and has a head and a sum (RFC 1950, 1951).
            packed = ByteBuffer.allocateDirect(HEAD + content.length + content.length / 1000 + 64);
        }
        plain.clear();
        plain.put(content).flip();
        packed.clear().position(HEAD);
        deflater.reset();
        deflater.setInput(plain);
        deflater.finish();
        while (!deflater.finished()) {
            if (deflater.deflate(packed) == 0 && !packed.hasRemaining()) {
                throw new IOException("a block does not fit");
            }
        }
        int end = packed.position();
        CRC32 sum = new CRC32();
        packed.flip().position(HEAD);
        sum.update(packed);
        packed.position(0);
        packed.put((byte) kind).putInt(end - HEAD).putInt(content.length).putInt((int) sum.getValue());
        packed.position(0);
        while (packed.hasRemaining()) {
            out.write(packed);
        }
    }
}
