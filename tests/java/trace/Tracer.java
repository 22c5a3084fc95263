import java.util.ArrayList;
import java.util.List;

/** What the probes of methods, lines, uses and entries call. */
public final class Tracer {
    private static final List<String> CALLS = new ArrayList<>();
    private static long entries;

    private Tracer() {
    }

    public static long enter(int id) {
        CALLS.add("enter " + id);
        return ++entries << 40;
    }

    public static void exit(int id, long entry) {
        CALLS.add("exit " + id + " of " + (entry >> 40));
    }

    public static void raise(int id, long entry) {
        CALLS.add("raise " + id + " of " + (entry >> 40));
    }

    public static void hit(int site) {
        CALLS.add("hit " + site);
    }

    public static long opened(Object object, int id) {
        CALLS.add("opened " + object + " " + id);
        return ++entries << 40;
    }

    public static void live(Object object, int id) {
        CALLS.add("live " + object.getClass().getName() + " " + id);
    }

    public static void used(Object object, int id) {
        CALLS.add("used " + (object == null ? null : object.getClass().getName()) + " " + id);
    }

    static List<String> calls() {
        return CALLS;
    }
}
