import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;

/** A method with an entry in every table that holds a pc. */
final class Tables {
    @Target(ElementType.TYPE_USE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Mark {
    }

    static int method(Object o, long l) {
        @Mark List<String> list = new @Mark ArrayList<String>();
        for (int i = 0; i < 3; i++) {
            list.add(o instanceof @Mark Integer ? "int" : (@Mark String) (Object) String.valueOf(o));
        }
        try {
            switch ((int) l) {
                case 1: return list.size();
                case 2: return new Object[] {o, new int[2]}.length;
                case 3: list = null;
                default: return list.hashCode() & 0;
            }
        } catch (@Mark RuntimeException e) {
            return -1;
        }
    }

    static int countDown(int i) {
        do {
            i--;
        } while (i > 0);
        return i;
    }

    public static void main(String[] args) {
        for (long l = 0; l < 5; l++) {
            System.out.println(method(7, l) + " " + method("s", l) + " " + countDown((int) l));
        }
    }
}
