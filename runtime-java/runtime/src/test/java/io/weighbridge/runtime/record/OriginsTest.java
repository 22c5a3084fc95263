package io.weighbridge.runtime.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.weighbridge.Scope;
import io.weighbridge.Weighbridge;
import io.weighbridge.runtime.TestJar;
import io.weighbridge.runtime.jvm.FieldAccess;
import io.weighbridge.runtime.jvm.ObjectSizes;
import io.weighbridge.runtime.probe.Origin;
import io.weighbridge.runtime.probe.Tags;
import io.weighbridge.runtime.probe.ThreadNames;
import io.weighbridge.runtime.walk.ClassPatterns;
import io.weighbridge.runtime.walk.Origins;
import io.weighbridge.runtime.walk.Shapes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.TestMethodOrder;

@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class OriginsTest {
    private static final class Item {
    }

    private final TestJar jar = new TestJar().live(Item.class).link();
    private final List<Item> kept = Collections.synchronizedList(new ArrayList<>());

    private void construct(int number) {
        for (int i = 0; i < number; i++) {
            Item item = new Item();
            jar.live(item, Item.class, 0);
            kept.add(item);
        }
    }

    /** Rows of the arrays {@code threads} and {@code tags}, for the objects of this test's class. */
    private JsonObject row(String array, String key, String name) {
        StringBuilder text = new StringBuilder();
        Json json = new Json(text).open();
        Origins origins = new Origins(groups());
        origins.add(jar.population(0), new Shapes(ObjectSizes.get(), FieldAccess.get(), new ClassPatterns(), false, new ClassPatterns()));
        OriginFields.write(json, origins, null, true);
        json.endLine();
        JsonObject written = JsonParser.parseString(text.toString()).getAsJsonObject();
        for (JsonElement row : written.getAsJsonArray(array)) {
            if (row.getAsJsonObject().get(key).getAsString().equals(name)) {
                return row.getAsJsonObject();
            }
        }
        throw new AssertionError("no " + name + " in " + written);
    }

    private static long[] groups() {
        TestJar.registry().allocated();
        return TestJar.registry().allocatedByGroup();
    }

    @Test
    void aPoolIsOneGroupWhoseObjectsAreCountedExactly() throws Exception {
        for (int t = 0; t < 6; t++) {
            Thread thread = new Thread(() -> construct(50), "origins-pool-" + t + "-thread-" + t * 100);
            thread.start();
            thread.join();
        }
        JsonObject row = row("threads", "name", "origins-pool-*-thread-*");
        assertEquals(300, row.get("allocated").getAsLong());
        assertEquals(300, row.get("live").getAsLong());
        assertEquals(0, row.get("live_error").getAsLong());
        assertEquals(300 * ObjectSizes.get().instance(new Item()), row.get("shallow_bytes").getAsLong());
    }

    @Test
    void theFirstMatchingPatternNamesTheGroup() throws Exception {
        ThreadNames.set(new String[] {"origins-web-*-io", "origins-web-*"});
        try {
            for (String name : new String[] {"origins-web-1-io", "origins-web-77", "origins-web-x"}) {
                Thread thread = new Thread(() -> construct(10), name);
                thread.start();
                thread.join();
            }
        } finally {
            ThreadNames.set(new String[0]);
        }
        assertEquals(10, row("threads", "name", "origins-web-*-io").get("allocated").getAsLong());
        assertEquals(20, row("threads", "name", "origins-web-*").get("allocated").getAsLong());
    }

    @Test
    void scopesNestAndOfOneKeyTheInnermostCounts() {
        try (Scope outer = Weighbridge.scope("origins-request", "GET /orders")) {
            construct(3);
            try (Scope tenant = Weighbridge.scope("origins-tenant", "acme");
                    Scope inner = Weighbridge.scope("origins-request", "internal")) {
                construct(4);
            }
            construct(5);
        }
        construct(100);
        assertEquals(8, tag("origins-request", "GET /orders").get("live").getAsLong());
        assertEquals(4, tag("origins-request", "internal").get("live").getAsLong());
        assertEquals(4, tag("origins-tenant", "acme").get("live").getAsLong());
        assertEquals(4, tag("origins-tenant", "acme").get("allocated").getAsLong());
        assertEquals(0, tag("origins-tenant", "acme").get("allocated_error").getAsLong());
        assertEquals(Tags.NONE, Tags.current());
    }

    private JsonObject tag(String key, String value) {
        JsonObject row = row("tags", "value", value);
        assertEquals(key, row.get("key").getAsString());
        return row;
    }

    @Test
    void newThreadsInheritTheTagAndWrappedTasksCarryItToOldOnes() throws Exception {
        ExecutorService old = Executors.newSingleThreadExecutor();
        old.submit(() -> construct(1)).get();
        try (Scope scope = Weighbridge.scope("origins-carried", "carried")) {
            Thread child = new Thread(() -> construct(2));
            child.start();
            child.join();
            old.submit(Weighbridge.wrap(() -> construct(4))).get();
            old.submit(Weighbridge.wrap(() -> {
                construct(8);
                return null;
            })).get();
            Weighbridge.wrap(old::execute).execute(() -> construct(16));
            old.submit(() -> construct(32)).get();
        }
        old.shutdown();
        assertEquals(2 + 4 + 8 + 16, tag("origins-carried", "carried").get("live").getAsLong());
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void virtualThreadsAreOneGroupAndInheritTheTag() throws Exception {
        long before = groups()[ThreadNames.VIRTUAL];
        ExecutorService each = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        try (Scope scope = Weighbridge.scope("origins-virtual", "on a virtual thread")) {
            for (int t = 0; t < 50; t++) {
                each.submit(() -> construct(2)).get();
            }
        }
        each.shutdown();
        assertEquals(100, groups()[ThreadNames.VIRTUAL] - before);
        assertEquals(100, row("threads", "name", "virtual threads").get("live").getAsLong());
        assertEquals(100, tag("origins-virtual", "on a virtual thread").get("live").getAsLong());
    }

    @Test
    void tooManyValuesCountAsOther() {
        for (int i = 0; i < 3000; i++) {
            try (Scope scope = Weighbridge.scope("origins-many", "value " + i)) {
                construct(1);
            }
        }
        assertTrue(Tags.size() <= 1101, "combinations: " + Tags.size());
        JsonObject other = row("tags", "value", Tags.OTHER);
        assertTrue(other.get("live").getAsLong() >= 3000 - 200, other.toString());
        Scope scope = Weighbridge.scope("origins-many", "yet another");
        scope.close();
        scope.close();
        assertEquals(Tags.NONE, Tags.current());
    }

    /** Last: there is no room for another name afterwards. */
    @Test
    @Order(Integer.MAX_VALUE)
    void namesOfThreadsAreBounded() throws Exception {
        for (int t = 0; t < 300; t++) {
            char[] letters = {(char) ('a' + t / 26), (char) ('a' + t % 26)};
            Thread thread = new Thread(() -> construct(1), "origins-bounded-" + new String(letters));
            thread.start();
            thread.join();
        }
        assertTrue(ThreadNames.size() <= Origin.GROUPS);
        assertTrue(row("threads", "name", "other").get("live").getAsLong() > 0);
    }
}
