package com.acme.tree;

import com.acme.plug.Foreign;
import java.util.Objects;

/** Classes that claim their objects from their superclass, and others that must not; all of them are instrumented. */
public final class Trees {
    private Trees() {
    }

    /** Heeds claims. */
    public abstract static class Node {
        final long made = 1;
    }

    /** Claims from {@code Node}, and heeds the claims of {@code Linked}. */
    public static class Named extends Node {
        final String name;

        public Named(String name) {
            this.name = name;
        }
    }

    /** Claims from {@code Named}; what its arguments construct comes before. */
    public static class Linked extends Named {
        final Object next;

        public Linked(Object next) {
            super(Foreign.named().name);
            this.next = next;
        }
    }

    /** Claims from {@code Node}; final, so that its probe asks nothing at all. */
    public static final class Number extends Node {
        final int value;

        public Number(int value) {
            this.value = value;
        }
    }

    /** Claims from {@code Node}; does not heed, for its code has branches. */
    public static class Choosing extends Node {
        final Object chosen;

        public Choosing(Object first, Object second) {
            chosen = first != null ? first : second;
        }
    }

    /** Claims from nobody. */
    public static class BelowChoosing extends Choosing {
        final Object more;

        public BelowChoosing(Object more) {
            super(null, more);
            this.more = more;
        }
    }

    /** Without objects of its own; hands claims on. */
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

    /** Claims from {@code Node} through {@code Passing}. */
    public static class Passed extends Passing {
        public Passed(Object passed) {
            super("text", 5L, passed);
        }
    }

    /** Constructs something before it calls {@code super(...)}: claims would get lost on their way. */
    public abstract static class Making extends Named {
        Making() {
            super(Foreign.named().name);
        }
    }

    /** Claims from nobody. */
    public static class Made extends Making {
        final Object own = new Object();
    }

    /** Constructs something before it calls {@code this(...)}, so it does not heed. */
    public abstract static class Detour {
        final Object root;

        Detour() {
            this(Foreign.detour());
        }

        protected Detour(Object root) {
            this.root = root;
        }
    }

    /** Claims from nobody. */
    public static class Straight extends Detour {
        final Object own = new Object();
    }

    /** Heeds claims, and throws after it has. */
    public abstract static class Strict {
        final Object needed;

        protected Strict(Object needed) {
            this.needed = Objects.requireNonNull(needed);
        }
    }

    /** Claims from {@code Strict}. */
    public static class Careful extends Strict {
        final Object again;

        public Careful(Object needed) {
            super(needed);
            this.again = needed;
        }
    }
}
