package com.acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class BasketTest {
    @Test
    void aNewBasketIsEmpty() {
        for (int i = 0; i < 1000; i++) {
            assertEquals(0, Basket.open().article(7));
        }
    }
}
