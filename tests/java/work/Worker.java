import java.util.ArrayList;
import java.util.List;

/** Methods whose calls are work: each shape of parameters, loops, handlers and monitors. */
public class Worker implements Task {
    /** How many calls of {@link #allocate} still fail. */
    static int failures;
    private final Object lock = new Object();
    private final long base;

    static {
        for (int i = 0; i < 2; i++) {
            failures = 0;
        }
    }

    Worker(long base) {
        long loops = 0;
        while (loops < 3) {
            loops++;
        }
        this.base = base + loops;
    }

    static void allocate() {
        if (failures > 0) {
            failures--;
            throw new OutOfMemoryError("for the test");
        }
    }

    long wide(long from, double factor, String text, int[] counts) {
        long sum = from;
        for (int count : counts) {
            for (int i = 0; i < count; i++) {
                sum += (long) (factor * text.length()) + base;
            }
        }
        allocate();
        return sum;
    }

    static int nested(int divisor) {
        int result = 0;
        for (int i = 0; i < 3; i++) {
            try {
                try {
                    result += 6 / divisor;
                } catch (ArithmeticException e) {
                    result--;
                } finally {
                    result += 10;
                }
                allocate();
            } catch (IllegalStateException e) {
                result = -1;
            }
        }
        return result;
    }

    static int switches(int seed) {
        int value = seed;
        do {
            switch (value % 4) {
                case 0:
                    value -= 3;
                    continue;
                case 1:
                    value -= 1;
                    break;
                case 2:
                    value -= 2;
                    continue;
                default:
                    value--;
            }
        } while (value > 0);
        allocate();
        return value;
    }

    synchronized int locked(int number) {
        allocate();
        return Thread.holdsLock(this) ? number : -number;
    }

    int block(int number) {
        synchronized (lock) {
            allocate();
            return Thread.holdsLock(lock) ? number : -number;
        }
    }

    boolean isFree() {
        return !Thread.holdsLock(this) && !Thread.holdsLock(lock);
    }

    static List<String> fails(String what) {
        List<String> list = new ArrayList<>();
        list.add(what);
        if (what.isEmpty()) {
            throw new IllegalArgumentException("empty");
        }
        return list;
    }

    static int changes(int number) {
        number++;
        allocate();
        return number;
    }

    static int caught(int number) {
        try {
            allocate();
        } catch (OutOfMemoryError e) {
            return -number;
        }
        return number;
    }

    static int recursive(int depth) {
        return depth == 0 ? 0 : 1 + recursive(depth - 1);
    }

    static void endless() {
        for (;;) {
        }
    }

    static native int missing();
}
