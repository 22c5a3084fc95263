package suspects.things;

/** What every tick makes and forgets. */
public final class Request {
    public final byte[] body;

    public Request(int bytes) {
        this.body = new byte[bytes];
    }
}
