package com.acme.leak.prices;

/** What a share costs. */
final class Price {
    final double value;

    Price(double value) {
        this.value = value;
    }
}
