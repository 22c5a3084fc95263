package com.acme.leak.feed;

/** A client that is told of a price, and the last price. */
public final class Subscription {
    private final Feed feed;
    private final String symbol;
    private final double[] recent = new double[256];

    Subscription(Feed feed, String symbol) {
        this.feed = feed;
        this.symbol = symbol;
    }

    String symbol() {
        return symbol;
    }

    public void cancel() {
        feed.cancel(this);
    }
}
