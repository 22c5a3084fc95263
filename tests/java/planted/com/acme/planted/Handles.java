package com.acme.planted;

import java.util.concurrent.CountDownLatch;

/** Objects with a finalizer that waits: those behind it in the queue stay. */
class Handles {
    static final CountDownLatch NEVER = new CountDownLatch(1);

    static class Handle {
        final byte[] state = new byte[256];

        @Override
        @SuppressWarnings({"deprecation", "removal"})
        protected void finalize() throws InterruptedException {
            NEVER.await();
        }
    }

    static void forget(int handles) throws InterruptedException {
        for (int i = 0; i < handles; i++) {
            new Handle();
        }
        System.gc();
        Thread.sleep(300);
    }
}
