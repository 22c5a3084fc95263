import java.util.ArrayList;
import java.util.List;

/**
 * Holds so many MiB in small objects, says so, and when it gets a line adds a MiB every few milliseconds in one method until that
 * is cancelled: {@code Full MIB MILLISECONDS}. Also tells the longest time that its main thread did not run.
 */
public final class Full {
    private static final List<Object> HELD = new ArrayList<>();
    private static volatile boolean over;
    private static volatile long longest;

    private Full() {
    }

    private static final class Node {
        final Node next;
        final byte[] content = new byte[40];

        Node(Node next) {
            this.next = next;
        }
    }

    private static Node chain(int mib) {
        Node last = null;
        // 24 bytes for the node and 56 for its content, with compressed references.
        for (long bytes = 0; bytes < (long) mib << 20; bytes += 80) {
            last = new Node(last);
        }
        return last;
    }

    static void add(int milliseconds) {
        List<Object> more = new ArrayList<>();
        while (true) {
            more.add(chain(1));
            pause(milliseconds);
        }
    }

    private static void pause(int milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException cancelled) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] arguments) throws Exception {
        HELD.add(chain(Integer.parseInt(arguments[0])));
        System.gc();
        System.out.println("held");
        System.in.read();
        Thread clock = new Thread(() -> {
            for (long last = System.nanoTime(); !over;) {
                long now = System.nanoTime();
                longest = Math.max(longest, now - last);
                last = now;
            }
        });
        clock.start();
        try {
            add(Integer.parseInt(arguments[1]));
        } catch (Error ended) {
            System.out.println(ended.getClass().getName());
        }
        over = true;
        clock.join();
        System.out.println(longest / 1_000_000);
        Thread.sleep(3000);
    }
}
