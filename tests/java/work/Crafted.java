import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Calls {@code Made.work(long, int)}, which fails twice. */
public final class Crafted {
    private Crafted() {
    }

    /** Whether to loop once more; fails the first two times. */
    public static int next(int rounds) {
        Worker.allocate();
        return Math.max(0, 3 - rounds);
    }

    public static void main(String[] arguments) throws ReflectiveOperationException {
        Ledger.link();
        Ledger.say("", () -> "linked");
        Method work = Class.forName("Made").getMethod("work", long.class, int.class);
        Ledger.say("made", () -> {
            Worker.failures = 2;
            try {
                return work.invoke(null, 1L << 33, 5);
            } catch (InvocationTargetException e) {
                return e.getCause();
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
