/** Copies that run no constructor: directly, of a subclass, of an array, and through another method's name. */
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

    public static void main(String[] args) throws Exception {
        int[] array = {1, 2};
        int total = new Copies().clone().clone().value + new Sub().clone().value + array.clone().length;
        Object fresh = new Fresh().fresh(2, 1.5);
        total += new Bits().clone().length();
        System.out.println("total " + total + " " + (fresh instanceof Fresh));
    }
}
