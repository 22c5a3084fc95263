import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntToLongFunction;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;

/** The receivers of a bridge; keeps what arrives. */
final class Ledger {
    /** Calls that may start; the next is refused. */
    static int admitted;
    /** How often a call may run again. */
    static int again;
    /** Checkpoints that pass; the next one ends the call. */
    static int passes;
    private static final List<String> LINES = new ArrayList<>();
    private static final TreeSet<Long> OPEN = new TreeSet<>();
    private static long last;

    private Ledger() {
    }

    static void link() throws ReflectiveOperationException {
        set("ENTER", (IntToLongFunction) id -> {
            if (admitted-- <= 0) {
                throw new IllegalStateException("not admitted");
            }
            OPEN.add(++last);
            LINES.add("enter " + (id & 1023) + "," + (id >> 10 & 1023) + "," + (id >> 20));
            return last;
        });
        set("LEAVE", (LongConsumer) call -> LINES.add(OPEN.remove(call) ? "leave" : "leave twice"));
        linkCheckpoint();
        set("AGAIN", (LongPredicate) call -> {
            LINES.add(OPEN.contains(call) ? "again" : "again of none");
            return again-- > 0;
        });
    }

    private static void linkCheckpoint() throws ReflectiveOperationException {
        set("CHECKPOINT", (Runnable) () -> {
            if (passes-- <= 0) {
                throw new IllegalMonitorStateException("cancelled");
            }
        });
    }

    private static void set(String name, Object receiver) throws ReflectiveOperationException {
        Field field = Class.forName("Weighbridge$0123456789abcdef").getDeclaredField(name);
        field.setAccessible(true);
        field.set(null, receiver);
    }

    /** Runs a call that the JIT compiles, and then sets the receiver of checkpoints; what ends the call. */
    static String cancelsLater(Runnable call) throws ReflectiveOperationException {
        set("CHECKPOINT", null);
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread thread = new Thread(call);
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((of, thrown) -> end.set(thrown));
        thread.start();
        try {
            Thread.sleep(1000);
            set("CHECKPOINT", (Runnable) () -> {
                throw new IllegalMonitorStateException("cancelled");
            });
            thread.join(60_000);
        } catch (InterruptedException e) {
            return e.toString();
        }
        linkCheckpoint();
        return String.valueOf(end.get());
    }

    interface Call {
        Object run();
    }

    /** Prints what a call gives and what arrives meanwhile. Before it, its limits are set. */
    static void say(String name, Call call) {
        LINES.clear();
        String result;
        int before = passes;
        try {
            result = String.valueOf(call.run());
        } catch (NullPointerException e) {
            result = "a null";
        } catch (RuntimeException | Error e) {
            result = e.toString();
        }
        System.out.println(name + ": " + result + " " + LINES + " passed " + (before - passes) + " open " + OPEN.size());
        admitted = 1000;
        again = 1000;
        passes = 1000;
    }
}
