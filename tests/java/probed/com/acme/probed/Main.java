package com.acme.probed;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/** Does what each line of its input says, so often, and answers {@code done}. Its tests know what that calls, makes and reaches. */
public final class Main {
    private static final int THREADS = 4;
    private static final List<Item> KEPT = new ArrayList<>();
    private static volatile Object sink;

    private Main() {
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        System.out.println("ready");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split(" ");
            int times = Integer.parseInt(words[1]);
            switch (words[0]) {
                case "call":
                    onThreads(times);
                    break;
                case "make":
                    make(times);
                    break;
                case "allocate":
                    allocate(times);
                    break;
                case "tell":
                    Told.tell(times);
                    break;
                case "hold":
                    Held.hold(times);
                    break;
                case "use":
                    Held.use();
                    break;
                case "drop":
                    KEPT.clear();
                    System.gc();
                    break;
                case "lines":
                    Lines.all(times);
                    break;
                case "serve":
                    Scoped.serve(times);
                    break;
                case "trace":
                    Scoped.trace(times);
                    break;
                case "native":
                    Native.references(times);
                    break;
                case "churn":
                    Native.churn(times);
                    break;
                case "leak":
                    Native.leak("leaked", times);
                    break;
                case "slow":
                    Slow.outer(times);
                    break;
                default:
                    throw new IllegalArgumentException(line);
            }
            System.out.println("done");
        }
    }

    /** Each of some threads so often. */
    private static void onThreads(int times) throws InterruptedException {
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(() -> {
                for (int n = 0; n < times; n++) {
                    Calls.once(n);
                }
            }, "caller-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void make(int times) {
        for (int i = 0; i < times; i++) {
            KEPT.add(kept(i));
            dropped(i);
        }
        System.gc();
    }

    /** So many objects, which the compiler cannot remove. */
    private static void allocate(int times) {
        for (int i = 0; i < times; i++) {
            sink = new Item(i);
            sink = new byte[100];
        }
    }

    private static Item kept(int i) {
        return new Item(i);
    }

    private static Item dropped(int i) {
        return i % 2 == 0 ? new Item(i) : new Item(i).copy();
    }
}

/** Of each kind of method one. */
class Calls {
    private final int n;

    Calls(int n) {
        this.n = n;
    }

    static int once(int n) {
        Calls calls = new Calls(n);
        int sum = calls.twice() + calls.down(3) + new Below(n).through();
        IntSupplier lambda = () -> n + 1;
        try {
            calls.fails();
        } catch (IllegalStateException expected) {
            sum++;
        }
        try {
            new Calls(checked(n));
        } catch (IllegalArgumentException expected) {
            sum--;
        }
        return sum + lambda.getAsInt() + calls.caught();
    }

    private int twice() {
        return own() + own();
    }

    synchronized int own() {
        return n;
    }

    private int down(int levels) {
        return levels == 0 ? 0 : 1 + down(levels - 1);
    }

    void fails() {
        throw new IllegalStateException();
    }

    private int caught() {
        try {
            fails();
            return 0;
        } catch (IllegalStateException expected) {
            return 1;
        }
    }

    /** Throws for each third number: the constructor that wants the result is then not called. */
    private static int checked(int n) {
        if (n % 3 == 0) {
            throw new IllegalArgumentException();
        }
        return n;
    }
}

/** An interface with code. */
interface Through {
    default int through() {
        return 1;
    }
}

class Below extends Calls implements Through {
    Below(int n) {
        super(n + 1);
    }
}

/** What is made. */
class Item implements Cloneable {
    private final int number;

    Item(int number) {
        this.number = number;
    }

    Item copy() {
        try {
            return (Item) super.clone();
        } catch (CloneNotSupportedException never) {
            throw new AssertionError(never);
        }
    }

    int number() {
        return number;
    }
}

/** Calls that take their time. */
class Slow {
    static void outer(int ms) throws InterruptedException {
        inner(ms);
        quick();
    }

    private static void inner(int ms) throws InterruptedException {
        Thread.sleep(ms);
    }

    private static void quick() {
    }
}
