package com.acme.attached;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** Fills the heap and goes on, until there is input. After the first error it needs no memory itself. */
final class Filled {
    private static final byte[] FULL = {'f', 'u', 'l', 'l', '\n'};
    /** What takes the memory, as a list of lists of ever smaller arrays. */
    private static Object[] kept = new Object[2];

    private Filled() {
    }

    static void run() throws IOException {
        FileInputStream input = new FileInputStream(FileDescriptor.in);
        FileOutputStream output = new FileOutputStream(FileDescriptor.out);
        boolean told = false;
        while (input.available() == 0) {
            try {
                for (int count = 0; input.available() == 0; count++) {
                    Object[] next = new Object[64];
                    next[0] = kept;
                    next[1] = new Counted(count);
                    kept = next;
                    if (told) {
                        LockSupport.parkNanos(1_000_000);
                    }
                }
            } catch (OutOfMemoryError full) {
                if (!told) {
                    told = true;
                    output.write(FULL);
                }
            }
        }
        kept = null;
    }
}
