package suspects.things;

/** The one object that holds a scenario's items. */
public final class Holder<C> {
    public final C content;

    public Holder(C content) {
        this.content = content;
    }
}
