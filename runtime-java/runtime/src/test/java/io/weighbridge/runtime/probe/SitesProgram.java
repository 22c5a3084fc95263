package io.weighbridge.runtime.probe;

import io.weighbridge.runtime.TestJar;
import java.util.ArrayList;
import java.util.List;

/** A program that constructs objects below short stacks, deep ones, and more different ones than the call tree has room for. */
final class SitesProgram {
    static final int LEVELS = 15;
    private static final List<Object> KEPT = new ArrayList<>();

    static final class Made {
    }

    private SitesProgram() {
    }

    public static void main(String[] arguments) {
        TestJar jar = new TestJar().live(Made.class).link();
        deep(jar, Integer.parseInt(arguments[0]));
        if (arguments.length > 1) {
            left(jar, LEVELS);
            right(jar, LEVELS);
        }
    }

    private static void deep(TestJar jar, int more) {
        if (more > 0) {
            deep(jar, more - 1);
        } else {
            make(jar);
        }
    }

    private static void make(TestJar jar) {
        Made made = new Made();
        jar.live(made, Made.class, 0);
        KEPT.add(made);
    }

    /** Every way through left and right is another stack. */
    private static void left(TestJar jar, int more) {
        if (more == 0) {
            make(jar);
            return;
        }
        left(jar, more - 1);
        right(jar, more - 1);
    }

    private static void right(TestJar jar, int more) {
        if (more == 0) {
            make(jar);
            return;
        }
        left(jar, more - 1);
        right(jar, more - 1);
    }
}
