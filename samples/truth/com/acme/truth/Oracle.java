package com.acme.truth;

/** Somebody else's measurement of the same objects, if the class path has one. */
public interface Oracle {
    /** The heap bytes of the given objects and all they reach, each object once. */
    long deepBytes(Object[] roots);

    /** How many objects {@link #deepBytes} adds up. */
    long deepObjects(Object[] roots);

    /** The heap bytes of one object alone. */
    long shallowBytes(Object o);
}
