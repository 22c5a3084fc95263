package com.acme.boot;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Service;

/** Reads and keeps orders, and prints their sum. */
@SpringBootApplication
public class Orders implements CommandLineRunner {
    private static Orders running;
    private final Book book;

    public Orders(Book book) {
        this.book = book;
        running = this;
    }

    public static void main(String[] args) {
        SpringApplication.run(Orders.class, args);
    }

    @Override
    public void run(String... args) throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        for (int i = 0; i < 1_234; i++) {
            book.keep(mapper.readValue("{\"item\":\"i" + i + "\",\"pieces\":" + i % 7 + "}", Order.class));
        }
        System.out.println("kept " + book.size() + " orders of " + book.pieces() + " pieces, "
                + mapper.writeValueAsString(Map.of("ok", running != null)));
    }

    /** One order. */
    public static final class Order {
        public String item;
        public int pieces;
    }

    /** All orders. */
    @Service
    public static class Book {
        private final List<Order> orders = new ArrayList<>();

        void keep(Order order) {
            orders.add(order);
        }

        int size() {
            return orders.size();
        }

        int pieces() {
            return orders.stream().mapToInt(order -> order.pieces).sum();
        }
    }
}
