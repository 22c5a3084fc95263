package com.acme.mod;

/** A class of a package that the module keeps to itself would do as well; the bridge is beside it. */
public class Part {
    @Override
    public String toString() {
        return "part of " + getClass().getModule().getName();
    }
}
