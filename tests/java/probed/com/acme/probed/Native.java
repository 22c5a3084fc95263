package com.acme.probed;

/** Native methods that keep global references; their library is {@code -Dreferences=FILE}. */
final class Native {
    static {
        System.load(System.getProperty("references"));
    }

    private Native() {
    }

    static native void keep(Object object);

    static native void drop();

    /** Creates so many that nobody frees. */
    static native void leak(Object object, int times);

    /** Of all that it keeps it drops a third. */
    static void references(int times) {
        for (int i = 0; i < times; i++) {
            keep("kept");
        }
        for (int i = 0; i < times / 3; i++) {
            drop();
        }
    }

    /** It keeps nothing. */
    static void churn(int times) {
        for (int i = 0; i < times; i++) {
            keep("kept");
            drop();
        }
    }
}
