import io.weighbridge.Weighbridge;
import java.lang.ref.Reference;
import java.util.ArrayDeque;
import java.util.Random;

/**
 * Makes populations of known size and measures them: {@code KIND SEED ROUNDS CLASSES OBJECTS GARBAGE COLLECTS}.
 *
 * <p>Each round uses new classes. If it {@code COLLECTS}, the program collects garbage first. It then requests a measurement
 * without a collection, so that the result is the registry's own. The label has the number of live objects of each class.
 */
public final class Populations {
    private static volatile Object other;

    public static void main(String[] args) throws Exception {
        String kind = args[0];
        Random random = new Random(Long.parseLong(args[1]));
        int rounds = Integer.parseInt(args[2]);
        int classes = Integer.parseInt(args[3]);
        int objects = Integer.parseInt(args[4]);
        int garbage = Integer.parseInt(args[5]);
        boolean collects = Boolean.parseBoolean(args[6]);
        for (int round = 0; round < rounds; round++) {
            Maker[] makers = new Maker[classes];
            for (int c = 0; c < classes; c++) {
                makers[c] = new Maker(kind, round * classes + c, objects, random);
            }
            if (kind.equals("threads")) {
                Thread[] threads = new Thread[8];
                for (int t = 0; t < threads.length; t++) {
                    long seed = random.nextLong();
                    threads[t] = new Thread(() -> {
                        Random own = new Random(seed);
                        for (int i = 0; i < objects / threads.length; i++) {
                            for (Maker maker : makers) {
                                maker.make(own);
                                other = garbage > 0 ? new byte[garbage] : null;
                            }
                        }
                    });
                    threads[t].start();
                }
                for (Thread thread : threads) {
                    thread.join();
                }
            } else {
                for (int i = 0; i < objects; i++) {
                    for (Maker maker : makers) {
                        maker.make(random);
                        other = garbage > 0 ? new byte[garbage] : null;
                    }
                }
            }
            StringBuilder label = new StringBuilder().append(round);
            for (Maker maker : makers) {
                label.append(' ').append(maker.end(random));
            }
            if (collects) {
                System.gc();
                Thread.sleep(30);
            }
            Weighbridge.measure(label.toString());
            Reference.reachabilityFence(makers);
        }
    }

    /** Makes the objects of one class and keeps some. */
    private static final class Maker {
        private final String kind;
        private final int type;
        private final int objects;
        /** About how many are live at the end. */
        private final int left;
        private int made;
        private ArrayDeque<Object> held = new ArrayDeque<>();

        Maker(String kind, int type, int objects, Random random) {
            this.kind = kind;
            this.type = type;
            this.objects = objects;
            this.left = 1200 + random.nextInt(objects / 2);
        }

        synchronized void make(Random random) {
            Object o = Types.make(type);
            made++;
            switch (kind) {
                case "fifo":
                    held.add(o);
                    if (held.size() > left) {
                        held.remove();
                    }
                    break;
                case "churn":
                    if (held.size() < left) {
                        held.add(o);
                    } else if (random.nextInt(4) == 0) {
                        swap(random, o);
                    }
                    break;
                case "early":
                    if (made <= left) {
                        held.add(o);
                    }
                    break;
                case "late":
                    if (made > objects - left) {
                        held.add(o);
                    }
                    break;
                case "dropped":
                    held.add(o);
                    break;
                default: // random, threads
                    if (random.nextInt(objects) < left) {
                        held.add(o);
                    }
                    break;
            }
        }

        /** One object in four replaces another of any age. */
        private void swap(Random random, Object o) {
            for (int i = random.nextInt(16); i > 0; i--) {
                held.add(held.remove());
            }
            held.remove();
            held.add(o);
        }

        /** Drops objects at once, each with the same probability. */
        int end(Random random) {
            if (kind.equals("dropped")) {
                ArrayDeque<Object> kept = new ArrayDeque<>();
                for (Object o : held) {
                    if (random.nextInt(objects) < left) {
                        kept.add(o);
                    }
                }
                held = kept;
            }
            return held.size();
        }
    }
}
