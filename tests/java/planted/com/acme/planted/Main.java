package com.acme.planted;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/** Plants one problem, named by the first argument, and dumps its own heap to the file of the second. */
public class Main {
    public static void main(String[] arguments) throws Exception {
        Object shop = new Shop();
        switch (arguments[0]) {
            case "map":
                Prices.fill(60_000);
                break;
            case "local":
                Formats.use(12, 1 << 20);
                break;
            case "texts":
                Orders.take(150_000);
                break;
            case "loaders":
                Plugins.reload(5);
                break;
            case "session":
                Sessions.open(300, 120_000);
                break;
            case "finalizers":
                Handles.forget(40_000);
                break;
            case "grown":
                Batches.run(3_000_000);
                break;
            case "reports":
                Reports.write(6, 30_000);
                break;
            case "secrets":
                Thread.currentThread().setName(Secrets.KEPT.compressed);
                break;
            default:
                throw new IllegalArgumentException(arguments[0]);
        }
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(arguments[1], true);
        System.out.println("dumped with " + shop.getClass());
        System.exit(0);
    }

    /** What an innocent part of the program holds. */
    static class Shop {
        final byte[][] pages = new byte[64][8 << 10];
    }
}
