package com.acme.truth;

import com.acme.truth.zoo.Base;
import com.acme.truth.zoo.Boxes;
import com.acme.truth.zoo.Derived;
import com.acme.truth.zoo.Dust;
import com.acme.truth.zoo.Grid;
import com.acme.truth.zoo.Links;
import com.acme.truth.zoo.Node;
import com.acme.truth.zoo.Outer;
import com.acme.truth.zoo.Refusing;
import com.acme.truth.zoo.Sheep;
import com.acme.truth.zoo.Words;
import java.lang.reflect.InvocationTargetException;
import java.util.ServiceLoader;

/**
 * A program that knows its own numbers.
 *
 * <p>It builds structures of many shapes, drops some, asks the runtime for a measurement when there is
 * one, and prints for each class how many objects it made and how many it still reaches.
 */
public final class Truth {
    private static final Ledger LEDGER = new Ledger();

    private Truth() {
    }

    public static void main(String[] args) throws Exception {
        build();
        dust(8, 50_000);
        System.gc();
        measure();
        LEDGER.print(ServiceLoader.load(Oracle.class).findFirst().orElse(null));
    }

    private static void build() {
        Node next = null;
        for (int i = 0; i < 10_000; i++) {
            next = LEDGER.held(new Node(i, next));
        }
        byte[] common = new byte[1_000];
        for (int i = 0; i < 300; i++) {
            LEDGER.held(new Base(i));
            LEDGER.held(i % 2 == 0 ? new Derived(i, common) : new Derived(i));
            LEDGER.held(new Grid(i % 7, i % 5));
            LEDGER.held(new Words(i));
            LEDGER.held(new Boxes(i));
            LEDGER.held(new Links(i % 20));
            Outer outer = LEDGER.held(new Outer(i));
            LEDGER.held(outer.inner());
            LEDGER.held(LEDGER.held(new Sheep(i % 9)).clone());
        }
        for (int i = 0; i < 1_000; i++) {
            new Base(i);
            try {
                LEDGER.held(new Refusing(i % 4));
            } catch (IllegalArgumentException refused) {
                // A constructor that throws makes no object.
            }
        }
        LEDGER.made(Base.class, 1_000);
    }

    /** Objects that die at once, from several threads. */
    private static void dust(int threads, int each) throws InterruptedException {
        Thread[] workers = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            workers[t] = new Thread(() -> {
                long sum = 0;
                for (int i = 0; i < each; i++) {
                    sum += new Dust(i).value();
                }
                Dust.seen(sum);
            });
            workers[t].start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        LEDGER.made(Dust.class, (long) threads * each);
    }

    private static void measure() throws IllegalAccessException, InvocationTargetException, NoSuchMethodException {
        try {
            Class.forName("io.weighbridge.Weighbridge").getMethod("measure", String.class).invoke(null, "truth");
        } catch (ClassNotFoundException notWeighed) {
            System.out.println("not weighed");
        }
    }
}
