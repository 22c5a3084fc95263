import org.bouncycastle.util.Arrays;

/** Iterates over an array with a class of a jar that its authors signed. */
public final class UsesBouncyCastle {
    private UsesBouncyCastle() {
    }

    public static void main(String[] arguments) {
        Arrays.Iterator<String> iterator = new Arrays.Iterator<>(new String[] {"one", "two"});
        System.out.println(iterator.next() + iterator.next());
        System.out.println(Arrays.Iterator.class.getProtectionDomain().getCodeSource().getCodeSigners() == null ? "unsigned" : "signed");
    }
}
