package com.acme.probed;

/** The tests know by the words at the ends of lines which are reached if {@code all(1)} runs: + reached, - not. */
class Lines {
    private static final int FIVE = Integer.parseInt("5"); // +
    private int field = 3; // +

    Lines() {
        super(); // +
        field++; // +
    } // +

    static void all(int times) {
        for (int i = 0; i < times; i++) { // +
            branch(i); // +
            loop(); // +
        }
        nothing(); // +
        new Lines().field = 1; // +
        caught(); // +
    } // +

    private static int branch(int i) {
        if (i > 0) { // +
            return i; // -
        }
        switch (FIVE) { // +
            case 4:
                return 4; // -
            case 5:
                return 5; // +
            default:
                throw new IllegalStateException(); // -
        }
    }

    private static int loop() {
        int sum = 0; // +
        while (sum < 3) { // +
            sum++; // +
        }
        do {
            sum--; // +
        } while (sum > 0); // +
        return sum; // +
    }

    private static void caught() {
        try {
            thrown(); // +
            nothing(); // -
        } catch (IllegalStateException expected) { // +
            nothing(); // +
        } finally {
            nothing(); // +
        } // +
    } // +

    private static void thrown() {
        throw new IllegalStateException( // +
                String.valueOf(FIVE)); // +
    }

    private static void nothing() {
    } // +

    static void never() {
        nothing(); // -
    } // -
}
