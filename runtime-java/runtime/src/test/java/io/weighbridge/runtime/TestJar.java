package io.weighbridge.runtime;

import io.weighbridge.runtime.control.Life;
import io.weighbridge.runtime.link.LinkTable;
import io.weighbridge.runtime.probe.Budget;
import io.weighbridge.runtime.probe.ClassEntry;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.registry.AgeBuckets;
import io.weighbridge.runtime.registry.Markings;
import io.weighbridge.runtime.registry.Population;
import io.weighbridge.runtime.registry.Registry;
import io.weighbridge.runtime.registry.SweptClass;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;

/**
 * Stands for a rewritten jar: links a table and does what the bridge of docs/probe-contract.md does.
 *
 * <p>Every text is another jar, so that tests in one JVM do not meet each other's classes.
 */
public final class TestJar {
    private static int number;
    private final StringBuilder table = new StringBuilder("weighbridge\t" + LinkTable.CONTRACT + "\ntool\ttest\njar\ttest-" + ++number + ".jar\n");
    private int classes;
    private ObjIntConsumer<Object> live;
    private ObjIntConsumer<Object> liveOthers;
    private IntConsumer count;
    private ObjIntConsumer<Object> countOthers;
    private Predicate<Class<?>> clones;
    public int base;

    public TestJar component(String name) {
        table.append("component\t").append(name).append('\n');
        return this;
    }

    public TestJar owns(String component, String pattern) {
        table.append("owns\t").append(component).append('\t').append(pattern).append('\n');
        return this;
    }

    public TestJar descendant(Class<?> type) {
        table.append("descendant\t").append(type.getName()).append('\n');
        return this;
    }

    /** Adds a class; its ordinal is the number of classes before it. */
    public TestJar type(Class<?> type, String track, String component, String fields) {
        table.append("class\t").append(type.getName()).append('\t').append(track);
        slot("component", component);
        slot("fields", fields);
        table.append('\n');
        classes++;
        return this;
    }

    private void slot(String name, String value) {
        if (!value.isEmpty()) {
            table.append('\t').append(name).append('=').append(value);
        }
    }

    /** The class added last has its foreign subclasses' objects registered by the one with this ordinal. */
    public TestJar registeredBy(int ordinal) {
        table.insert(table.length() - 1, "\tregistrar=" + ordinal);
        return this;
    }

    /** The class added last is too old to name itself. */
    public TestJar blind() {
        table.insert(table.length() - 1, "\tblind");
        return this;
    }

    /** The class added last overrides {@code clone()}. */
    public TestJar clones() {
        table.insert(table.length() - 1, "\tclones");
        return this;
    }

    /** Adds so many classes that nobody loads. */
    public TestJar fillers(int number) {
        return fillers("count", number);
    }

    public TestJar fillers(String track, int number) {
        for (int i = 0; i < number; i++) {
            table.append("class\tfiller.C").append(i).append('\t').append(track).append("\n");
        }
        classes += number;
        return this;
    }

    public TestJar live(Class<?> type) {
        return type(type, "live", "", "");
    }

    public TestJar count(Class<?> type) {
        return type(type, "count", "", "");
    }

    public String text() {
        return table.toString();
    }

    public TestJar link() {
        return link(TestJar.class);
    }

    /** Links with a full budget, whatever earlier tests have used. */
    @SuppressWarnings("unchecked")
    public TestJar link(Class<?> bridge) {
        Budget.set(Budget.perClass());
        Map<String, Object> link = new Linker().apply(request(LinkTable.CONTRACT, bridge, text()));
        live = (ObjIntConsumer<Object>) link.get("live");
        liveOthers = (ObjIntConsumer<Object>) link.get("liveOthers");
        count = (IntConsumer) link.get("count");
        countOthers = (ObjIntConsumer<Object>) link.get("countOthers");
        clones = (Predicate<Class<?>>) link.get("clones");
        base = (Integer) link.get("base");
        return this;
    }

    /** What a bridge asks. */
    static Map<String, Object> request(Object contract, Class<?> bridge, String table) {
        Map<String, Object> request = new HashMap<>();
        request.put("contract", contract);
        request.put("bridge", bridge);
        request.put("table", table);
        return request;
    }

    boolean isSilent() {
        return live == null && liveOthers == null && count == null && countOthers == null && clones == null;
    }

    /** The constructor of {@code c}, with this ordinal, returns for {@code o}. */
    public void live(Object o, Class<?> c, int ordinal) {
        (o.getClass() == c ? live : liveOthers).accept(o, base + ordinal);
    }

    public void count(Class<?> k, Class<?> c, int ordinal) {
        if (k == c) {
            count.accept(base + ordinal);
        } else {
            countOthers.accept(k, base + ordinal);
        }
    }

    /** A method of the class with this ordinal has called {@code Object.clone}. */
    public void copied(Object copy, int ordinal) {
        liveOthers.accept(copy, ~(base + ordinal));
    }

    /** A method of the class with this ordinal has called {@code clone()}, which was searched from a class upwards. */
    public void cloned(Object copy, Class<?> from, int ordinal) {
        if (clones.test(from)) {
            copied(copy, ordinal);
        }
    }

    /** The sweep of this JVM, which has met a jar. */
    public static Registry registry() {
        return Life.registry();
    }

    public long allocated(int ordinal) {
        return registry().allocated()[base + ordinal];
    }

    public ClassEntry entry(int ordinal) {
        return ClassTable.entry(base + ordinal);
    }

    public SweptClass swept(int ordinal) {
        registry().lock();
        try {
            return registry().of(entry(ordinal));
        } finally {
            registry().unlock();
        }
    }

    /** Sweeps and takes the population, as a measurement does. */
    public Population population(int ordinal) {
        return population(ordinal, Markings.NONE);
    }

    /** The same of what lived at a marking. */
    public Population population(int ordinal, long marking) {
        registry().lock();
        try {
            registry().sweep(false);
            return new Population(registry(), entry(ordinal), AgeBuckets.parse(AgeBuckets.DEFAULT), allocated(ordinal), null,
                    marking);
        } finally {
            registry().unlock();
        }
    }
}
