package com.acme.orders;

/** Some pieces of an article. */
public final class Line {
    private final String article;
    private final int pieces;

    public Line(String article, int pieces) {
        this.article = article;
        this.pieces = pieces;
    }

    public String article() {
        return article;
    }

    public int pieces() {
        return pieces;
    }
}
