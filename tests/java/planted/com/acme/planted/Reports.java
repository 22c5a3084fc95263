package com.acme.planted;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Reports that wait, each on a thread of its own with its rows in a local variable: none alone is a fifth of the heap. */
class Reports {
    static final CountDownLatch NEVER = new CountDownLatch(1);

    static class Row {
        final long[] cells = new long[12];
    }

    static void write(int reports, int rows) throws InterruptedException {
        CountDownLatch read = new CountDownLatch(reports);
        for (int i = 0; i < reports; i++) {
            Thread writer = new Thread(() -> hold(rows, read), "report-" + i);
            writer.setDaemon(true);
            writer.start();
        }
        read.await();
    }

    private static void hold(int rows, CountDownLatch read) {
        List<Row> all = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            all.add(new Row());
        }
        read.countDown();
        try {
            NEVER.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        System.out.println(all.size());
    }
}
