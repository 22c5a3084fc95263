package com.acme.attached;

import java.lang.reflect.Field;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.function.IntToLongFunction;

/** Pieces of work, and what of them arrives at the bridge. */
final class Tasks {
    private static final TreeSet<String> ENTERED = new TreeSet<>();
    private static int polls;

    private Tasks() {
    }

    static int sum(int number) {
        int sum = 0;
        for (int i = 0; i < number; i++) {
            sum += i;
        }
        return sum;
    }

    static int countDown(int number) {
        while (number > 0) {
            number--;
        }
        return number;
    }

    /** The roles of the methods that were entered, and how often one has asked whether it is cancelled. */
    static String run(Class<?> bridge) throws ReflectiveOperationException {
        Field enter = field(bridge, "ENTER");
        Field checkpoint = field(bridge, "CHECKPOINT");
        Object[] before = {enter.get(null), checkpoint.get(null)};
        ENTERED.clear();
        polls = 0;
        Thread own = Thread.currentThread();
        enter.set(null, (IntToLongFunction) id -> {
            if (Thread.currentThread() == own) {
                ENTERED.add((id & 1023) + "," + (id >> 10 & 1023) + "," + (id >> 20));
            }
            return 0;
        });
        checkpoint.set(null, (Runnable) () -> polls += Thread.currentThread() == own ? 1 : 0);
        int results = sum(3) + countDown(3) + new Counted(4).number();
        String joined = new StringJoiner("-").add("a").add("b").toString();
        enter.set(null, before[0]);
        checkpoint.set(null, before[1]);
        return results + " " + joined + " " + ENTERED + " " + polls;
    }

    private static Field field(Class<?> bridge, String name) throws ReflectiveOperationException {
        Field field = bridge.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }
}
