package com.acme.dumped;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/** Keeps orders, lets others become garbage where a young collection does not look, and makes some without a constructor. */
public final class Main {
    private static final List<Order> ORDERS = new ArrayList<>();
    private static final List<Object> READ = new ArrayList<>();
    private static final Shelf SHELF = new Shelf();

    private Main() {
    }

    /** Each has text of its own, and all share a shop. */
    static class Order {
        static final Shop SHOP = new Shop();
        final byte[] text = new byte[40];
        final Shop shop = SHOP;
    }

    /** Belongs to no class that is measured but the one above it. */
    static final class Rush extends Order {
        final long deadline = 1;
    }

    static final class Shop {
        final byte[] name = new byte[1000];
    }

    static final class Line implements Serializable {
        private static final long serialVersionUID = 1;
        final int[] numbers = new int[10];
    }

    /** Each node holds the next: a list that is longer than any stack. */
    static final class Shelf {
        Node first;
    }

    static final class Node {
        Node next;
    }

    public static void main(String[] arguments) throws Exception {
        int orders = Integer.parseInt(arguments[0]);
        List<Object> old = new ArrayList<>();
        for (int i = 0; i < orders; i++) {
            ORDERS.add(i % 10 == 0 ? new Rush() : new Order());
            old.add(new Order());
            old.add(new Order());
        }
        for (int i = 0; i < orders; i++) {
            Node node = new Node();
            node.next = SHELF.first;
            SHELF.first = node;
        }
        System.gc();
        System.gc();
        // What has become old is garbage now, and no collection comes by itself.
        old.clear();
        byte[] written;
        try (ByteArrayOutputStream bytes = new ByteArrayOutputStream(); ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(new Line());
            out.flush();
            written = bytes.toByteArray();
        }
        for (int i = 0; i < 1_000; i++) {
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(written))) {
                READ.add(in.readObject());
            }
        }
        System.out.println("orders " + ORDERS.size() + " lines " + READ.size());
    }
}
