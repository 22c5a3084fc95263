package io.weighbridge.runtime.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.weighbridge.runtime.Recorded;
import io.weighbridge.runtime.TestJar;
import io.weighbridge.runtime.probe.Budget;
import io.weighbridge.runtime.record.Occasion;
import io.weighbridge.runtime.record.Recording;
import io.weighbridge.runtime.registry.Registry;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MeasurementsTest {
    static final class Table {
        /** More than a walk meets between two looks at its limits. */
        final Object[] items = new Object[20_000];
    }

    @TempDir
    Path folder;

    @Test
    void aFullCollectionAfterAMeasurementIsAMarkingThoughNobodyLookedBetween() throws Exception {
        Registry registry = TestJar.registry();
        registry.hold();
        registry.release();
        long released = System.nanoTime();
        System.gc();
        // The JVM tells of cleared references a little later.
        for (int i = 0; i < 1000 && registry.clock.markings.ns() < released - 1_000_000_000; i++) {
            Thread.sleep(10);
            registry.lock();
            try {
                registry.clock.tick(false);
            } finally {
                registry.unlock();
            }
        }
        long age = released - registry.clock.markings.ns();
        assertTrue(age < 1_000_000_000, "the marking is " + age + " ns older than the collection");
    }

    @Test
    void ofMeasurementsThatTheEndCutsOffThoseAtAnIntervalAreNotWritten() throws Exception {
        TestJar jar = new TestJar().live(Table.class).link();
        Table table = new Table();
        Arrays.setAll(table.items, i -> new int[1]);
        jar.live(table, Table.class, 0);
        // What came after a marking that an earlier test has caused is not walked.
        TestJar.registry().marked(Budget.numbers(), System.nanoTime());
        Path file = folder.resolve("r.wbr");
        Recording recording = new Recording("of a test");
        OptionsInForce options = OptionsInForce.ofRun(Options.of("gc=never,destfile=" + file), recording);
        Measurements measurements = new Measurements(TestJar.registry(), options, recording, List.of());
        assertTrue(measurements.lock());
        try {
            assertTrue(measurements.snapshot(new Occasion("interval", null), 0, null), "nothing has ended");
            assertTrue(measurements.snapshot(new Occasion("interval", null), 1, null), "its time is over, which says something");
            measurements.end();
            assertFalse(measurements.snapshot(new Occasion("interval", null), 0, null));
            assertTrue(measurements.snapshot(new Occasion("request", null), 0, null), "somebody waits for it");
            assertTrue(measurements.snapshot(Occasion.ofEnd("exit"), 1, new LastMeasurement()), "nothing comes after it");
            recording.close();
        } finally {
            measurements.unlock();
        }
        List<String> written = new ArrayList<>();
        for (JsonObject snapshot : Recorded.lines(file, "snapshot")) {
            JsonObject walk = snapshot.getAsJsonObject("walk");
            String end = walk.has("stopped") ? walk.get("stopped").getAsString() : "whole";
            written.add(snapshot.get("seq") + " " + snapshot.get("reason").getAsString() + ": " + end);
        }
        assertEquals(List.of("1 interval: whole", "2 interval: time limit", "3 request: the JVM ends", "4 exit: time limit"), written);
        Reference.reachabilityFence(table);
    }
}
