package com.acme.holders;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;

/**
 * Three threads wait with arrays of known lengths in their frames; then the program dumps its heap.
 *
 * <p>Each worker holds 50,000 bytes in its inner frame, 100,000 in both its frames, and 300,000 together with the
 * others; worker-0 and worker-1 share 70,000 more. 200,000 are held by a static field and a frame, and so by no thread.
 */
public final class Main {
    private static byte[] global;

    private Main() {
    }

    public static void main(String[] args) throws Exception {
        CountDownLatch ready = new CountDownLatch(3);
        CountDownLatch end = new CountDownLatch(1);
        start(ready, end);
        ready.await();
        HotSpotDiagnosticMXBean bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        bean.dumpHeap(args[0], true);
        end.countDown();
    }

    private static void start(CountDownLatch ready, CountDownLatch end) {
        global = new byte[200_000];
        byte[] all = new byte[300_000];
        byte[] two = new byte[70_000];
        for (int i = 0; i < 3; i++) {
            byte[] second = i < 2 ? two : null;
            Thread thread = new Thread(() -> outer(all, second, ready, end), "worker-" + i);
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static void outer(byte[] all, byte[] second, CountDownLatch ready, CountDownLatch end) {
        byte[] mine = new byte[100_000];
        System.out.println(inner(mine, all, second, global, ready, end) + mine.length);
    }

    private static int inner(byte[] mine, byte[] all, byte[] second, byte[] held, CountDownLatch ready, CountDownLatch end) {
        byte[] own = new byte[50_000];
        ready.countDown();
        try {
            end.await();
        } catch (InterruptedException e) {
            return 0;
        }
        return own.length + mine.length + all.length + (second == null ? 0 : second.length) + held.length;
    }
}
