package com.acme.app;

/** Prints what its objects say; the output must not change by rewriting. */
public class Main {
    interface Shape {
    }

    public static void main(String[] arguments) {
        System.out.println(new Leaf() + ", " + new Leaf(arguments.length) + ", " + new Main());
    }

    @Override
    public String toString() {
        return "main";
    }
}
