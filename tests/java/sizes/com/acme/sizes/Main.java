package com.acme.sizes;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.invoke.MethodType;
import java.lang.invoke.MutableCallSite;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import javax.management.ObjectName;

/** Objects whose sizes no field states. Dumps its heap, dead objects included if asked to, and prints the class histogram. */
public final class Main {
    private static final List<Object> HELD = new ArrayList<>();

    static final class Site extends MutableCallSite {
        int number;

        Site() {
            super(MethodType.methodType(void.class));
        }
    }

    private Main() {
    }

    public static void main(String[] arguments) throws Exception {
        boolean dead = Boolean.parseBoolean(arguments[1]);
        HELD.add(new ForkJoinPool(2));
        for (int i = 0; i < 20; i++) {
            HELD.add(new MutableCallSite(MethodType.methodType(void.class)));
            drop(dead);
            HELD.add(new Site());
            drop(dead);
        }
        int number = arguments.length;
        HELD.add((Supplier<Object>) () -> arguments);
        drop(dead);
        HELD.add((IntSupplier) () -> number);
        drop(dead);
        HELD.add((Supplier<Object>) () -> arguments[number - 1]);
        drop(dead);
        HELD.add((Supplier<Object>) Main::new);
        drop(dead);
        HotSpotDiagnosticMXBean dumps = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        // Calls both once before, so that what they make is there.
        histogram(dead);
        String histogram = histogram(dead);
        dumps.dumpHeap(arguments[0], !dead);
        System.out.println(histogram);
    }

    /** Leaves small objects that nobody refers to behind the one made last. */
    private static void drop(boolean dead) {
        for (int i = 0; dead && i < 3; i++) {
            HELD.set(0, HELD.set(0, new Object()));
        }
    }

    private static String histogram(boolean dead) throws Exception {
        String[] options = dead ? new String[] {"-all"} : new String[0];
        return (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
                new Object[] {options}, new String[] {String[].class.getName()});
    }
}
