package com.acme.orders;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class OrderTest {
    @Test
    void anOrderHasThePiecesOfItsLines() {
        for (int order = 0; order < 10; order++) {
            assertEquals(order + 1, new Order().with("nail", order).with("hammer", 1).pieces());
        }
    }
}
