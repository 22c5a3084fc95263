package com.acme.hostile;

import java.util.ArrayList;
import java.util.List;

/** A stack and a heap that run out while objects are constructed; the program catches it and goes on. */
final class Exhaustion {
    private static final int ROUNDS = 50;

    private Exhaustion() {
    }

    static void stack() throws ReflectiveOperationException {
        int caught = 0;
        for (int i = 0; i < ROUNDS; i++) {
            try {
                descend(i);
            } catch (StackOverflowError expected) {
                caught++;
            }
            Main.plain();
        }
        Requests.measure("after");
        System.out.println("overflowed " + caught);
    }

    /** The frame's size changes from round to round, so that the stack ends at another pc of the probe. */
    private static long descend(int padding) {
        Thing thing = Thing.make();
        return padding > 0 && padding % 2 == 0 ? thing.number() + descend(padding) : 1 + descend(padding + 2);
    }

    /** Not before the runtime has measured once: a JDK class whose first use finds no memory can never be used again. */
    static void memory() throws ReflectiveOperationException {
        Requests.measure("before");
        int caught = 0;
        for (int i = 0; i < 3; i++) {
            List<Object> held = new ArrayList<>();
            try {
                while (true) {
                    held.add(new byte[1 << 20]);
                    held.add(Thing.make());
                }
            } catch (OutOfMemoryError expected) {
                try {
                    while (true) {
                        held.add(Thing.make());
                    }
                } catch (OutOfMemoryError toTheBrim) {
                    held = null;
                    caught++;
                }
            }
        }
        Main.plain();
        Requests.measure("after");
        System.out.println("ran out " + caught);
    }
}
