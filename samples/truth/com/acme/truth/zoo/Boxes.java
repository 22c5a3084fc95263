package com.acme.truth.zoo;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.BitSet;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Boxed and other small values. */
public final class Boxes {
    private final Integer number;
    private final Long[] longs;
    private final BigDecimal decimal;
    private final BigInteger integer;
    private final Optional<String> maybe;
    private final AtomicLong counter = new AtomicLong();
    private final BitSet bits = new BitSet();
    private final ConcurrentHashMap<Long, Character> map = new ConcurrentHashMap<>();
    private char letter;
    private float part;
    private short half;

    public Boxes(int seed) {
        number = seed * 1_000;
        longs = new Long[] {(long) seed << 40, null, 5L};
        decimal = new BigDecimal("123456789012345678901234567890." + seed);
        integer = BigInteger.ONE.shiftLeft(seed);
        maybe = seed % 2 == 0 ? Optional.empty() : Optional.of("maybe " + seed);
        bits.set(seed);
        map.put((long) seed * 1_000_000, (char) (1_000 + seed));
        letter = (char) seed;
        part = seed;
        half = (short) seed;
    }

    public float sum() {
        return number + longs.length + decimal.scale() + integer.bitLength() + (maybe.isPresent() ? 1 : 0)
                + counter.get() + bits.length() + map.size() + letter + part + half;
    }
}
