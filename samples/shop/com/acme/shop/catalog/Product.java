package com.acme.shop.catalog;

/** An article of the catalogue. */
public final class Product {
    private final String sku;
    private final String description;
    private final long priceInCents;

    Product(String sku, String description, long priceInCents) {
        this.sku = sku;
        this.description = description;
        this.priceInCents = priceInCents;
    }

    public String sku() {
        return sku;
    }

    public String description() {
        return description;
    }

    public long priceInCents() {
        return priceInCents;
    }
}
