package com.acme.leak;

import com.acme.leak.feed.Feed;
import com.acme.leak.feed.Subscription;
import com.acme.leak.orders.OrderBook;
import com.acme.leak.prices.PriceCache;
import com.acme.leak.sessions.Sessions;
import java.util.Random;

/**
 * A stock broker without the stocks: it serves clients for two minutes. Four parts keep objects, three of them as
 * they should: sessions expire, the price cache is bounded, filled orders leave the book. The fourth leaks slowly,
 * and the lesson is to see which, and who holds what it leaks.
 *
 * <p>Time is counted in ticks of 100 ms. {@code -Dleak.tick_ms=0} runs them without waiting,
 * {@code -Dleak.ticks=N} says how many. Every 50 ticks, or {@code -Dleak.measure=N}, the program asks the runtime for a
 * measurement, if there is one: counts after a collection show a slow leak, where garbage would hide it.
 */
public final class Broker {
    private static final int CLIENTS_A_TICK = 20;
    private static final Sessions SESSIONS = new Sessions(50);
    private static final PriceCache PRICES = new PriceCache(1_000);
    private static final OrderBook ORDERS = new OrderBook();
    private static final Feed FEED = new Feed();

    private Broker() {
    }

    public static void main(String[] args) throws Exception {
        long ticks = Long.getLong("leak.ticks", 1_200);
        long tickMs = Long.getLong("leak.tick_ms", 100);
        long measure = Long.getLong("leak.measure", 50);
        Random random = new Random(42);
        for (long tick = 0; tick < ticks; tick++) {
            for (int client = 0; client < CLIENTS_A_TICK; client++) {
                serve(tick, random);
            }
            SESSIONS.expire(tick);
            ORDERS.fill(random);
            if (measure > 0 && tick % measure == measure - 1) {
                measure("tick " + (tick + 1));
            }
            if (tickMs > 0) {
                Thread.sleep(tickMs);
            }
        }
        System.out.println("The broker served " + ticks * CLIENTS_A_TICK + " clients.");
    }

    private static void serve(long tick, Random random) {
        SESSIONS.open(tick);
        String symbol = "S" + random.nextInt(5_000);
        double price = PRICES.price(symbol, random);
        Subscription subscription = FEED.subscribe(symbol);
        if (price > 99) {
            return; // Too expensive for this client. And the subscription?
        }
        ORDERS.add(symbol, price);
        subscription.cancel();
    }

    /** By name, as a program does that may run without the runtime. */
    private static void measure(String label) throws ReflectiveOperationException {
        try {
            Class.forName("io.weighbridge.Weighbridge").getMethod("measure", String.class).invoke(null, label);
        } catch (ClassNotFoundException notWeighed) {
            // There is no runtime.
        }
    }
}
