package com.acme.mod;

/** The bridge is beside it. The package need not be exported. */
public class Part {
    @Override
    public String toString() {
        return "part of " + getClass().getModule().getName();
    }
}
