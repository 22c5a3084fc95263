package com.acme.mod;

/** Prints which module its object belongs to. */
public class Main {
    public static void main(String[] arguments) {
        System.out.println(new Part());
    }
}
