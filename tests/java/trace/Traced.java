/** Methods that end in all ways: by returns, by exceptions of their own and of others, caught and not; with many locals. */
public class Traced {
    private static int count;
    private final long value;

    Traced(long value) {
        this.value = value < 0 ? -value : value;
        if (value == 13) {
            throw new IllegalArgumentException("13");
        }
    }

    Traced() {
        this(1);
    }

    long twice(double factor, String text) {
        long sum = 0;
        for (int i = 0; i < 2; i++) {
            String part = text + i;
            sum += (long) (part.length() * factor) + value;
        }
        return sum;
    }

    static int caught(int divisor) {
        try {
            return 6 / divisor;
        } catch (ArithmeticException e) {
            return -1;
        } finally {
            count++;
        }
    }

    static synchronized int[] thrown(int length) {
        int[] array = new int[length];
        if (length == 0) {
            throw new IllegalStateException("empty");
        }
        return array;
    }

    static void loop() {
        for (;;) {
            if (++count % 3 == 0) {
                return;
            }
        }
    }

    private static void run() {
        System.out.println(new Traced(4).twice(1.5, "ab") + " " + new Traced().value);
        System.out.println(caught(2) + " " + caught(0) + " " + thrown(2).length);
        loop();
        for (int length = -1; length <= 0; length++) {
            try {
                thrown(length);
            } catch (RuntimeException e) {
                System.out.println(e);
            }
        }
        try {
            new Traced(13);
        } catch (IllegalArgumentException e) {
            System.out.println(e);
        }
    }

    public static void main(String[] arguments) {
        run();
        Tracer.calls().forEach(System.out::println);
    }
}
