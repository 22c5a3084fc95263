/**
 * Copies that run no constructor: directly, of a subclass, of an array, through another method's name, and by a {@code clone()}
 * that a class has from the JDK.
 */
public class Copies implements Cloneable {
    int value;

    @Override
    public Copies clone() {
        try {
            Copies copy = (Copies) super.clone();
            copy.value++;
            return copy;
        } catch (CloneNotSupportedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    static final class Sub extends Copies {
        @Override
        public Sub clone() {
            return (Sub) super.clone();
        }
    }

    static final class Fresh implements Cloneable {
        long wide = 3;

        Object fresh(long unused, double wideToo) throws CloneNotSupportedException {
            return wide == unused ? this : super.clone();
        }
    }

    static final class Bits extends java.util.BitSet {
        @Override
        public Bits clone() {
            return (Bits) super.clone();
        }
    }

    static class Listed extends java.util.ArrayList<Object> {
    }

    /** Two levels, of which one overrides. */
    static final class Below extends Listed {
        @Override
        public Object clone() {
            return super.clone();
        }
    }

    static final class Mapped extends java.util.HashMap<Object, Object> {
        final Object first;

        Mapped() {
            first = null;
        }

        /** A call in a constructor. */
        Mapped(Mapped other) {
            first = other.clone();
        }
    }

    static final class Dated extends java.util.GregorianCalendar {
    }

    /** The JDK's method has another type than that of {@code Object}. */
    static final class Queued extends java.util.ArrayDeque<Object> {
    }

    /** Nothing overrides the method. */
    static class Plain implements Cloneable {
        Object copy() throws CloneNotSupportedException {
            return this.clone();
        }
    }

    static final class PlainBelow extends Plain {
    }

    /** The method makes no copy, but runs a constructor. */
    static final class Built implements Cloneable {
        @Override
        public Object clone() {
            return new Built();
        }
    }

    /** The method gives no copy at all. */
    static final class Shared implements Cloneable {
        private static final Built BUILT = new Built();

        @Override
        public Object clone() {
            return BUILT;
        }
    }

    private static int more() throws Exception {
        Listed listed = new Listed();
        java.util.ArrayList<Object> asList = listed;
        Object copies = java.util.Arrays.asList(listed.clone(), asList.clone(), new Below().clone(), new Dated().clone(),
                ((java.util.Calendar) new Dated()).clone(), new Queued().clone(), new Mapped(new Mapped()).clone(),
                new Plain().copy(), new PlainBelow().copy(), new Built().clone(), new Shared().clone());
        return ((java.util.List<?>) copies).size();
    }

    public static void main(String[] args) throws Exception {
        int[] array = {1, 2};
        int total = new Copies().clone().clone().value + new Sub().clone().value + array.clone().length;
        Object fresh = new Fresh().fresh(2, 1.5);
        total += new Bits().clone().length() + more();
        System.out.println("total " + total + " " + (fresh instanceof Fresh));
    }
}
