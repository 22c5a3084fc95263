package com.acme.truth.zoo;

/** Registers once, although its superclass matches too, and although one constructor delegates to the other. */
public final class Derived extends Base {
    private final boolean flag;
    private final byte[] common;

    public Derived(int value) {
        this(value, new byte[value % 50]);
    }

    public Derived(int value, byte[] common) {
        super(value);
        this.flag = value > 10;
        this.common = common;
    }

    @Override
    public long value() {
        return flag ? common.length : super.value();
    }
}
