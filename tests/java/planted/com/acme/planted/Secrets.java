package com.acme.planted;

import java.nio.charset.StandardCharsets;

/** A text, a number and letters that nobody else may see, in every form in which a heap has values. */
class Secrets {
    static final Secrets KEPT = new Secrets();
    static long number = 0x5EC2_E701_23AB_CDEFL;

    /** A literal, which is in the constant pool of the class and in the table of symbols of the JVM, too. */
    final String compressed = "correct horse battery staple";
    final String wide = compressed + "\u20ac";
    final char[] chars = compressed.toCharArray();
    final byte[] bytes = compressed.getBytes(StandardCharsets.UTF_8);
    final long field = number;
    final long[] numbers = {number, number};
    /** Neighbours in the record. */
    final char a = 'w';
    final char b = 'x';
    final char c = 'y';
    final char d = 'z';
    final double[] doubles = {Double.longBitsToDouble(number)};
}
