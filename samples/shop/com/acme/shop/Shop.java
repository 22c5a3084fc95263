package com.acme.shop;

import com.acme.shop.cache.LruCache;
import com.acme.shop.catalog.Catalog;
import com.acme.shop.catalog.Product;
import com.acme.shop.web.Page;
import com.acme.shop.web.Session;
import com.acme.shop.web.SessionStore;
import java.util.Random;

/**
 * A small web shop without the web: it serves requests for some seconds and then says what it holds.
 *
 * <p>Its catalogue has a fixed size, its page cache is bounded, and its session store never forgets a
 * visitor: the lesson is to see which of the three grows.
 */
public final class Shop {
    private static final Catalog CATALOG = Catalog.of(2_000);
    private static final LruCache<String, Page> PAGES = new LruCache<>(500);
    private static final SessionStore SESSIONS = new SessionStore();
    private static long sent;

    private Shop() {
    }

    /** Serves requests for {@code args[0]} seconds (5 if absent), about five thousand a second. */
    public static void main(String[] args) throws InterruptedException {
        double seconds = args.length > 0 ? Double.parseDouble(args[0]) : 5;
        long end = System.nanoTime() + (long) (seconds * 1e9);
        Random random = new Random(42);
        long requests = 0;
        while (System.nanoTime() < end) {
            serve(random, requests++);
            if (requests % 100 == 0) {
                Thread.sleep(20);
            }
        }
        System.out.println("The shop served " + requests + " requests. It holds "
                + CATALOG.size() + " products, "
                + PAGES.size() + " cached pages and "
                + SESSIONS.size() + " sessions; it made " + Page.rendered() + " pages and sent "
                + sent / 1_000_000 + " MB in all.");
    }

    private static void serve(Random random, long request) {
        Session session = SESSIONS.open("visitor-" + request / 4);
        Product product = CATALOG.product((int) (Math.abs(random.nextGaussian()) * 500));
        Page page = PAGES.get(product.sku());
        if (page == null) {
            page = Page.render(product);
            PAGES.put(product.sku(), page);
        }
        session.visited(product);
        sent += page.response().length();
    }
}
