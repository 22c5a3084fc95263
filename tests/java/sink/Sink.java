import java.util.Map;
import java.util.TreeMap;

/** Runs a program's {@code main} and prints how often each probe called the runtime with what. */
public final class Sink {
    private static final Map<String, Integer> CALLS = new TreeMap<>();

    private Sink() {
    }

    public static synchronized void call(String call) {
        CALLS.merge(call, 1, Integer::sum);
    }

    public static void main(String[] args) throws Exception {
        Class.forName(args[0]).getDeclaredMethod("main", String[].class).invoke(null, (Object) new String[0]);
        CALLS.forEach((call, times) -> System.out.println(call + " x" + times));
    }
}
