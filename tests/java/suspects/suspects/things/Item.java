package suspects.things;

/** What a scenario keeps, for as long as it should or longer. */
public final class Item {
    public final long since;
    public final byte[] payload;
    public Item next;

    public Item(long since, int bytes) {
        this.since = since;
        this.payload = new byte[bytes];
    }
}
