/** A class of a web application. */
public final class Counter {
    public static byte[] counts;
    private final byte[] items;

    public Counter(int bytes) {
        items = new byte[bytes];
    }
}
