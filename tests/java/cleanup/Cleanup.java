import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** Methods whose lines say whether a thread may be stopped there: `stop`, `cleanup`, or neither. */
final class Cleanup {
    private final ReentrantLock lock = new ReentrantLock(); // stop
    private Object kept;

    void guarded(List<String> all) {
        lock.lock();
        try {
            kept = new Object(); // stop
            if (all.isEmpty()) {
                return;
            }
            all.clear();
        } finally {
            for (int i = 0; i < 3; i++) { // cleanup
                kept = new Object(); // cleanup
            }
            lock.unlock(); // cleanup
        }
        kept = new Object(); // stop
    }

    synchronized int counted(int most) {
        int sum = 0;
        synchronized (lock) {
            while (sum < most) { // stop
                sum += 2; // stop
            }
        }
        return sum;
    }

    void closed(AutoCloseable one) throws Exception {
        try (AutoCloseable open = one) {
            kept = new int[3]; // stop
        }
    }

    Object caught(Object given) {
        try {
            return given.toString();
        } catch (RuntimeException e) {
            kept = new Object(); // stop
            return null;
        }
    }

    void rethrown(Object given) {
        try {
            given.hashCode();
        } catch (RuntimeException e) {
            kept = new Object(); // cleanup
            throw e;
        }
    }
}
