package com.acme.shop.web;

import com.acme.shop.catalog.Product;
import java.nio.charset.StandardCharsets;

/** A rendered page. */
public final class Page {
    private static long rendered;
    private final Product product;
    private final byte[] html;

    private Page(Product product, byte[] html) {
        this.product = product;
        this.html = html;
    }

    public static Page render(Product product) {
        rendered++;
        String row = "<p>" + product.description() + " at " + product.priceInCents() + "</p>\n";
        return new Page(product, row.repeat(32).getBytes(StandardCharsets.UTF_8));
    }

    public static long rendered() {
        return rendered;
    }

    public Product product() {
        return product;
    }

    /** What goes over the wire: made for each request, and garbage right after. */
    public String response() {
        return "HTTP/1.1 200 OK\r\nContent-Length: " + html.length + "\r\n\r\n" + new String(html, StandardCharsets.UTF_8);
    }
}
