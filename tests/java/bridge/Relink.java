import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.function.ObjIntConsumer;

/** Links a bridge, switches it off, and links it again; prints what a call of it reaches each time. */
final class Relink {
    private static String reached = "-";

    private Relink() {
    }

    public static void main(String[] args) throws ReflectiveOperationException {
        Class<?> bridge = Class.forName("a.b.Weighbridge$fedcba9876543210");
        Field live = field(bridge, "LIVE");
        live.set(null, null);
        print("unlinked", bridge);
        live.set(null, (ObjIntConsumer<Object>) (object, id) -> reached = "" + id);
        print("linked", bridge);
        live.set(null, null);
        print("switched off", bridge);
        field(bridge, "BASE").setInt(null, 100);
        live.set(null, (ObjIntConsumer<Object>) (object, id) -> reached = "" + id);
        print("linked again", bridge);
    }

    private static Field field(Class<?> bridge, String name) throws ReflectiveOperationException {
        Field field = bridge.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    /** Calls often enough that the call is compiled. */
    private static void print(String when, Class<?> bridge) throws ReflectiveOperationException {
        Method live = bridge.getMethod("live", Object.class, int.class);
        reached = "-";
        for (int i = 0; i < 50_000; i++) {
            live.invoke(null, "", 7);
        }
        System.out.println(when + ": " + reached);
    }
}
