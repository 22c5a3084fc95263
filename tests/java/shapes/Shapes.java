import java.util.function.Supplier;

/** Constructors of every shape that a Java compiler makes. */
public final class Shapes {
    static final StringBuilder LOG = new StringBuilder();

    static class Plain {
        int x = 1;
    }

    static class Derived extends Plain {
        final String name;

        Derived(String name) {
            this.name = name;
        }

        Derived() {
            this("delegated");
        }
    }

    static class SeveralReturns {
        SeveralReturns(int i) {
            if (i == 0) {
                return;
            }
            while (i > 0) {
                if (i == 7) {
                    return;
                }
                i--;
            }
            LOG.append(i);
        }
    }

    static class Throwing {
        Throwing(boolean fail) {
            if (fail) {
                throw new IllegalStateException("not built");
            }
        }
    }

    static class Catching {
        int caught;

        Catching(Object o) {
            try {
                caught = o.hashCode() & 1;
            } catch (NullPointerException e) {
                caught = 2;
            } finally {
                LOG.append(caught);
            }
        }
    }

    static class Switching {
        final String s;

        Switching(int i, String t, long l, double d) {
            String found;
            switch (i) {
                case 1: found = "one"; break;
                case 2: found = "two"; break;
                case 5: found = "five"; break;
                default: found = "many";
            }
            switch (t) {
                case "a": found += "A"; break;
                case "b": found += "B"; break;
                default:
            }
            s = found + l + d;
        }
    }

    static class BranchInSuperCall extends Derived {
        BranchInSuperCall(Object o) {
            super(o == null ? "none" : o instanceof String ? (String) o : new StringBuilder("new").append(o).toString());
        }
    }

    static class Nested extends Derived {
        Nested(Derived inner) {
            super(new Derived(new Derived(inner.name + "!").name).name);
        }
    }

    enum Colour {
        RED, GREEN {
            @Override
            String shade() {
                return "dark";
            }
        };

        String shade() {
            return "light";
        }
    }

    class Inner {
        final Supplier<Plain> lambda = Plain::new;
    }

    abstract static class Base {
        final int length;

        Base(String... parts) {
            int sum = 0;
            for (String part : parts) {
                sum += part.length();
            }
            length = sum;
        }
    }

    public static void main(String[] args) {
        new Plain();
        new Derived();
        new Derived("direct");
        for (int i = 0; i < 10; i++) {
            new SeveralReturns(i);
        }
        for (boolean fail : new boolean[] {true, false}) {
            try {
                new Throwing(fail);
            } catch (IllegalStateException e) {
                LOG.append(e.getMessage());
            }
        }
        LOG.append(new Catching(null).caught).append(new Catching(2).caught);
        LOG.append(new Switching(5, "b", 1L << 40, 0.5).s).append(new Switching(2, "c", 0, 0).s);
        LOG.append(new BranchInSuperCall(null).name).append(new BranchInSuperCall(3).name);
        LOG.append(new Nested(new Derived("x")).name);
        LOG.append(Colour.GREEN.shade()).append(Colour.RED.shade());
        LOG.append(new Shapes().new Inner().lambda.get().x);
        LOG.append(new Base("a", "bc") { }.length);
        System.out.println(LOG);
    }
}
