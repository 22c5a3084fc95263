package com.acme.walked;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;

/**
 * Holds orders, and dumps its heap to each of the files that it is given. If it is measured, it is measured all the time,
 * and each dump is written when a walk has just been seen.
 */
public final class Main {
    private static final int ORDERS = 300_000;
    private static final Shop SHOP = new Shop();

    private Main() {
    }

    static final class Shop {
        final Order[] orders = new Order[ORDERS];
    }

    static final class Order {
        final byte[] text = new byte[40];
    }

    public static void main(String[] dumps) throws Exception {
        for (int i = 0; i < ORDERS; i++) {
            SHOP.orders[i] = new Order();
        }
        HotSpotDiagnosticMXBean jvm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        Thread measuring = measuring();
        for (String dump : dumps) {
            while (measuring != null && !isWalking()) {
                Thread.onSpinWait();
            }
            jvm.dumpHeap(dump, false);
        }
    }

    /** A thread that has the program measured without end; null if nothing measures it. */
    private static Thread measuring() throws ReflectiveOperationException {
        Method measure;
        try {
            measure = Class.forName("io.weighbridge.Weighbridge").getMethod("measure", String.class);
        } catch (ClassNotFoundException notMeasured) {
            return null;
        }
        Thread thread = new Thread(() -> {
            try {
                while (true) {
                    measure.invoke(null, "again");
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static boolean isWalking() {
        for (StackTraceElement[] stack : Thread.getAllStackTraces().values()) {
            for (StackTraceElement frame : stack) {
                if (frame.getClassName().equals("io.weighbridge.runtime.walk.Walk")) {
                    return true;
                }
            }
        }
        return false;
    }
}
