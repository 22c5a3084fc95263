import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** Dumps its own heap, and prints the virtual machine's class histogram of the same moment. */
public class Dumped {
    static class Base {
        Object first;
        int number;
    }

    static class Wide extends Base {
        byte small;
        long large;
    }

    static class Wider extends Wide {
        boolean flag;
        Object last;
    }

    static final List<Object> HELD = new ArrayList<>();
    static byte one;
    static long two = 2;
    static Object three = "three";

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < 3_000; i++) {
            Base base = i % 3 == 0 ? new Base() : i % 3 == 1 ? new Wide() : new Wider();
            base.first = "text " + i;
            HELD.add(base);
            HELD.add(new byte[i % 97]);
            HELD.add(new boolean[i % 5]);
            HELD.add(new short[i % 13]);
            HELD.add(new char[i % 9]);
            HELD.add(new int[i % 15]);
            HELD.add(new long[i % 7]);
            HELD.add(new Object[i % 11]);
            HELD.add(new Object());
            HELD.add(new WeakReference<>(new Object()));
        }
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName commands = new ObjectName("com.sun.management:type=DiagnosticCommand");
        Object[] none = {new String[0]};
        String[] signature = {String[].class.getName()};
        // Calls all once, so that what the calls load and keep is there before the dump.
        server.invoke(commands, "gcClassHistogram", none, signature);
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(arguments[0], true);
        System.out.println(server.invoke(commands, "gcClassHistogram", none, signature));
    }
}
