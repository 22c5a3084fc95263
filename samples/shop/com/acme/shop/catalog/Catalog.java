package com.acme.shop.catalog;

/** All products, made once. */
public final class Catalog {
    private final Product[] products;

    private Catalog(Product[] products) {
        this.products = products;
    }

    public static Catalog of(int size) {
        Product[] products = new Product[size];
        for (int i = 0; i < size; i++) {
            products[i] = new Product("sku-" + i, "Article number " + i + ", solid and well made", 100L * i);
        }
        return new Catalog(products);
    }

    public Product product(int index) {
        return products[index % products.length];
    }

    public int size() {
        return products.length;
    }
}
