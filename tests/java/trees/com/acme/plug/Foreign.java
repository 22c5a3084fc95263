package com.acme.plug;

import com.acme.tree.Trees;
import java.util.concurrent.atomic.LongAdder;

/** Subclasses that are not instrumented, and how many of each there are. */
public final class Foreign {
    static final LongAdder NODES = new LongAdder();
    static final LongAdder NAMED = new LongAdder();
    static final LongAdder DETOURS = new LongAdder();

    private Foreign() {
    }

    static final class OwnNode extends Trees.Node {
    }

    public static final class OwnNamed extends Trees.Named {
        public final String name;

        OwnNamed(String name) {
            super(name);
            this.name = name;
        }
    }

    static final class OwnDetour extends Trees.Detour {
        OwnDetour() {
            super("end");
        }
    }

    static final class OwnLinked extends Trees.Linked {
        OwnLinked() {
            super(null);
        }
    }

    static final class OwnBelowChoosing extends Trees.BelowChoosing {
        OwnBelowChoosing() {
            super("more");
        }
    }

    static final class OwnChoosing extends Trees.Choosing {
        OwnChoosing() {
            super("first", null);
        }
    }

    static final class OwnPassed extends Trees.Passed {
        OwnPassed() {
            super("passed");
        }
    }

    static final class OwnStrict extends Trees.Strict {
        OwnStrict(Object needed) {
            super(needed);
        }
    }

    public static OwnNamed named() {
        NAMED.increment();
        OwnNamed named = new OwnNamed("foreign");
        NODES.increment();
        new OwnNode();
        return named;
    }

    public static Object detour() {
        DETOURS.increment();
        return new OwnDetour();
    }
}
