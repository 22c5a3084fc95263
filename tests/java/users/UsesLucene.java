import org.apache.lucene.document.Document;

/** Makes objects of a module that Lucene's authors made. */
public final class UsesLucene {
    private UsesLucene() {
    }

    public static void main(String[] arguments) {
        System.out.println(new Document().getFields() + " of " + Document.class.getModule());
    }
}
