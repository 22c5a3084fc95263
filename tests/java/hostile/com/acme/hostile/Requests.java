package com.acme.hostile;

/** Asks the runtime for a measurement, if there is one. */
final class Requests {
    private Requests() {
    }

    static void measure(String label) throws ReflectiveOperationException {
        try {
            Class.forName("io.weighbridge.Weighbridge").getMethod("measure", String.class).invoke(null, label);
        } catch (ClassNotFoundException original) {
            // There is no runtime.
        }
    }
}
