package com.acme.tree;

import com.acme.plug.Foreign;
import java.util.Objects;

/** Classes below each other whose constructors do all kinds of things before super(...) and after; all are instrumented. */
public final class Trees {
    private Trees() {
    }

    /** Without branches. */
    public abstract static class Node {
        final long made = 1;
    }

    /** A class in the middle. */
    public static class Named extends Node {
        final String name;

        public Named(String name) {
            this.name = name;
        }
    }

    /** What its arguments construct comes before. */
    public static class Linked extends Named {
        final Object next;

        public Linked(Object next) {
            super(Foreign.named().name);
            this.next = next;
        }
    }

    /** Final, so that its probe asks nothing at all. */
    public static final class Number extends Node {
        final int value;

        public Number(int value) {
            this.value = value;
        }
    }

    /** With branches. */
    public static class Choosing extends Node {
        final Object chosen;

        public Choosing(Object first, Object second) {
            chosen = first != null ? first : second;
        }
    }

    public static class BelowChoosing extends Choosing {
        final Object more;

        public BelowChoosing(Object more) {
            super(null, more);
            this.more = more;
        }
    }

    /** Without objects of its own. */
    public abstract static class Passing extends Node {
        final Object passed;

        Passing(String text, long number, Object passed) {
            this(passed);
        }

        Passing(Object passed) {
            super();
            this.passed = passed;
        }
    }

    /** Below an abstract class. */
    public static class Passed extends Passing {
        public Passed(Object passed) {
            super("text", 5L, passed);
        }
    }

    /** Constructs something before it calls {@code super(...)}. */
    public abstract static class Making extends Named {
        Making() {
            super(Foreign.named().name);
        }
    }

    public static class Made extends Making {
        final Object own = new Object();
    }

    /** Constructs something before it calls {@code this(...)}. */
    public abstract static class Detour {
        final Object root;

        Detour() {
            this(Foreign.detour());
        }

        protected Detour(Object root) {
            this.root = root;
        }
    }

    public static class Straight extends Detour {
        final Object own = new Object();
    }

    /** Throws after {@code super(...)}. */
    public abstract static class Strict {
        final Object needed;

        protected Strict(Object needed) {
            this.needed = Objects.requireNonNull(needed);
        }
    }

    /** Below one that throws. */
    public static class Careful extends Strict {
        final Object again;

        public Careful(Object needed) {
            super(needed);
            this.again = needed;
        }
    }
}
