import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** Methods whose lines say whether a thread may be stopped there: `place`, `cleanup`, or neither. */
final class Cleanup {
    private final ReentrantLock lock = new ReentrantLock(); // place
    private Object kept;

    void guarded(List<String> all) {
        lock.lock();
        try {
            kept = new Object(); // place
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
        kept = new Object(); // place
    }

    synchronized int counted(int most) {
        int sum = 0;
        synchronized (lock) {
            while (sum < most) { // place
                sum += 2; // place
            }
        }
        return sum;
    }

    void closed(AutoCloseable one) throws Exception {
        try (AutoCloseable open = one) {
            kept = new int[3]; // place
        }
    }

    Object caught(Object given) {
        try {
            return given.toString();
        } catch (RuntimeException e) {
            kept = new Object(); // place
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
