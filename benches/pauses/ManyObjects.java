import java.io.IOException;

/** Holds so many objects of one class, says so, and waits for the end of its input. */
public final class ManyObjects {
    private static Item[] kept;

    private ManyObjects() {
    }

    public static void main(String[] arguments) throws IOException {
        kept = new Item[Integer.parseInt(arguments[0])];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = new Item(i);
        }
        System.out.println("ready");
        while (System.in.read() >= 0) {
            // Nothing else happens here, so that the stops are ours.
        }
        System.out.println(kept.length);
    }

    static final class Item {
        final long number;

        Item(long number) {
            this.number = number;
        }
    }
}
