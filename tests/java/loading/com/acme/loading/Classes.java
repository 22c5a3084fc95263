package com.acme.loading;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;

/** What {@link Loading} makes objects of. */
public final class Classes {
    private Classes() {
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Weighed {
    }

    /** As long a name: {@link Loading} puts it into a copy of a class file. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface Unasked {
    }

    @Weighed
    public static class Note {
    }

    public static class BelowNote extends Note {
    }

    public static class Base {
    }

    /** As long a name as that of {@link Base}: {@link Loading} puts it into a copy of a class file. */
    public static class Bare {
    }

    public static class Derived extends Base {
    }

    public static class Deep extends Derived {
    }

    interface Marker {
    }

    interface MarkerToo extends Marker {
    }

    public static class Marked implements MarkerToo {
    }

    public static class LeftIn {
    }

    public static class LeftOut extends LeftIn {
    }

    public static class LeftOutAlone {
    }

    public static class Counted {
    }

    public static class Cache {
        final List<Object> entries = new ArrayList<>();
        final byte[] other = new byte[1 << 20];
    }

    public static class Chosen {
    }

    public static class BelowChosen extends Chosen {
    }

    /** Defined by a lookup, as proxies are. */
    public static class Generated extends BelowChosen {
    }

    /** Defined in a loader of its own, as proxies are. */
    public static class Proxy extends Chosen {
    }

    public static class Hidden extends Chosen {
    }
}
