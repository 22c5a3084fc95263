package io.weighbridge.runtime.walk;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;

/** The object graphs to walk, made from a seed with about the given number of objects. */
final class Graphs {
    static final Map<String, IntFunction<Object>> ALL = new LinkedHashMap<>();

    static {
        ALL.put("list", Graphs::list);
        ALL.put("strings", Graphs::strings);
        ALL.put("map", Graphs::map);
        ALL.put("tree", Graphs::tree);
        ALL.put("arrays", Graphs::arrays);
        ALL.put("pages", Graphs::pages);
    }

    private Graphs() {
    }

    private static final class Link {
        final Link next;
        final Long value;

        Link(Link next, Long value) {
            this.next = next;
            this.value = value;
        }
    }

    /** A singly linked list of boxed numbers, two objects per element. */
    private static Object list(int objects) {
        Link head = null;
        for (int i = 0; i < objects / 2; i++) {
            head = new Link(head, 1_000_000L + i);
        }
        return head;
    }

    /** An {@code ArrayList} of texts, two objects each. */
    private static Object strings(int objects) {
        List<String> list = new ArrayList<>();
        Random random = new Random(1);
        for (int i = 0; i < objects / 2; i++) {
            list.add("order " + random.nextInt() + " of " + i);
        }
        return list;
    }

    private static final class Account {
        final String name;
        final Long balance;
        Object last;

        Account(String name, Long balance) {
            this.name = name;
            this.balance = balance;
        }
    }

    /** A {@code HashMap} of accounts that refer to each other at random, six objects per entry. */
    private static Object map(int objects) {
        Random random = new Random(2);
        Account[] all = new Account[objects / 6];
        Map<Integer, Account> map = new HashMap<>();
        for (int i = 0; i < all.length; i++) {
            all[i] = new Account("account " + i, random.nextLong());
            all[i].last = all[random.nextInt(i + 1)];
            map.put(random.nextInt(), all[i]);
        }
        return map;
    }

    /** A {@code TreeMap} from long to double in random order, three objects per entry. */
    private static Object tree(int objects) {
        Random random = new Random(3);
        Map<Long, Double> map = new TreeMap<>();
        for (int i = 0; i < objects / 3; i++) {
            map.put(random.nextLong(), random.nextDouble());
        }
        return map;
    }

    /** Arrays of arrays of small objects, some of them shared. */
    private static Object arrays(int objects) {
        Random random = new Random(4);
        List<Object[]> rows = new ArrayList<>();
        for (int made = 0; made < objects; ) {
            Object[] row = new Object[50];
            for (int i = 0; i < row.length; i++) {
                if (i % 10 == 9 && !rows.isEmpty()) {
                    row[i] = rows.get(random.nextInt(rows.size()))[0];
                } else {
                    row[i] = i % 3 == 0 ? new int[] {i, made} : i % 3 == 1 ? new Object() : Integer.valueOf(1000 + made + i);
                    made++;
                }
            }
            rows.add(row);
            made++;
        }
        return rows.toArray();
    }

    private abstract static class Value {
    }

    private static final class Text extends Value {
        final String text;

        Text(String text) {
            this.text = text;
        }
    }

    private static final class Whole extends Value {
        final int number;

        Whole(int number) {
            this.number = number;
        }
    }

    private static final class Bytes extends Value {
        final byte[] bytes;

        Bytes(byte[] bytes) {
            this.bytes = bytes;
        }
    }

    private static final class Row {
        final long key;
        final Value[] columns;

        Row(long key, Value[] columns) {
            this.key = key;
            this.columns = columns;
        }
    }

    private static final class Page {
        Object[] keys;
        Object[] rows;
        Page[] children;
        final Map<String, Object> map;

        Page(Map<String, Object> map) {
            this.map = map;
        }
    }

    /** The pages of a database table: a B-tree of rows with values of three kinds, as in H2, and a cache. */
    private static Object pages(int objects) {
        Random random = new Random(5);
        Map<String, Object> table = new ConcurrentHashMap<>();
        Map<Long, Page> cache = new ConcurrentHashMap<>();
        List<Page> level = new ArrayList<>();
        Whole[] small = new Whole[256];
        for (int i = 0; i < small.length; i++) {
            small[i] = new Whole(i);
        }
        for (int made = 0; made < objects; ) {
            Page page = new Page(table);
            page.keys = new Object[48];
            page.rows = new Object[48];
            for (int i = 0; i < page.rows.length; i++) {
                Value[] columns = {small[random.nextInt(256)], new Text("customer " + random.nextInt(100_000)),
                    new Whole(random.nextInt()), new Bytes(new byte[random.nextInt(40)]), null};
                page.keys[i] = Long.valueOf(made + 1_000L);
                page.rows[i] = new Row(made, columns);
                made += 9;
            }
            level.add(page);
            cache.put((long) made, page);
        }
        while (level.size() > 1) {
            List<Page> above = new ArrayList<>();
            for (int i = 0; i < level.size(); i += 40) {
                Page parent = new Page(table);
                parent.children = level.subList(i, Math.min(i + 40, level.size())).toArray(new Page[0]);
                above.add(parent);
            }
            level = above;
        }
        table.put("root", level.get(0));
        table.put("cache", cache);
        return table;
    }
}
