package com.acme.leak.orders;

/** What somebody wants to buy. */
final class Order {
    final String symbol;
    final double price;

    Order(String symbol, double price) {
        this.symbol = symbol;
        this.price = price;
    }
}
