package com.acme.leak.orders;

/** A wish to buy. */
final class Order {
    final String symbol;
    final double price;

    Order(String symbol, double price) {
        this.symbol = symbol;
        this.price = price;
    }
}
