import java.lang.ref.WeakReference;

/**
 * Keeps one weak reference to a dead object, renewed every few milliseconds, so that each young collection finds one. A
 * collection without weak references skips some work, which every registry of weak references causes.
 */
final class OneWeakReference {
    private static volatile WeakReference<Object> only;

    private OneWeakReference() {
    }

    static void startIfAsked() {
        if (!Boolean.getBoolean("one.weak.reference")) {
            return;
        }
        Thread thread = new Thread(OneWeakReference::renew, "one weak reference");
        thread.setDaemon(true);
        thread.start();
    }

    private static void renew() {
        try {
            while (true) {
                only = new WeakReference<>(new Object());
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
