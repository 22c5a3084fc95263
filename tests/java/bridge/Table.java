import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

/** Prints length and hash of the bridge's table, and whether the bridge is a public final class. */
final class Table {
    private Table() {
    }

    public static void main(String[] args) throws ReflectiveOperationException {
        Class<?> bridge = Class.forName("a.b.Weighbridge$fedcba9876543210", false, Table.class.getClassLoader());
        Method table = bridge.getDeclaredMethod("table");
        table.setAccessible(true);
        Method live = bridge.getMethod("liveAll", Object.class, Class.class, int.class);
        String text = (String) table.invoke(null);
        int flags = bridge.getModifiers();
        boolean fits = Modifier.isPublic(flags) && Modifier.isFinal(flags) && bridge.isSynthetic() && Modifier.isStatic(live.getModifiers());
        System.out.println(text.length() + " " + text.hashCode() + " " + fits);
    }
}
