package io.weighbridge.runtime.walk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.jvm.Addresses;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ObjectTableTest {
    /** Called before the walk has done anything. */
    private static final ObjectTable.Duplicates NONE_EXPECTED = (first, second) -> {
        throw new AssertionError(first + " is " + second);
    };

    static Stream<ObjectTable> tables() {
        return Stream.of(new HashedObjects(true), new GranuleTable(true));
    }

    private static int find(ObjectTable table, Object o) {
        Object[] at = {o};
        return table.find(o, Addresses.of(at, Addresses.element(0)));
    }

    private static int add(ObjectTable table, Object o, int colour) {
        Object[] at = {o};
        return table.add(o, Addresses.of(at, Addresses.element(0)), colour, ObjectTable.NONE);
    }

    @ParameterizedTest
    @MethodSource("tables")
    void whatWasAddedIsFoundAgainAndNothingElse(ObjectTable table) {
        List<Object> in = new ArrayList<>();
        List<Object> out = new ArrayList<>();
        for (int i = 0; i < 200_000; i++) {
            (i % 3 == 0 ? out : in).add(i % 2 == 0 ? new Object() : new int[i % 50]);
        }
        System.gc();
        for (int i = 0; i < in.size(); i++) {
            if (find(table, in.get(i)) == ObjectTable.NONE) {
                assertEquals(i, add(table, in.get(i), i & 7));
            }
        }
        while (!table.repair(NONE_EXPECTED)) {
            Thread.onSpinWait();
        }
        for (int i = 0; i < in.size(); i++) {
            assertEquals(i, find(table, in.get(i)));
            assertSame(in.get(i), table.object(i));
            assertEquals(i & 7, table.colour(i));
        }
        for (Object o : out) {
            assertEquals(ObjectTable.NONE, find(table, o));
        }
    }

    @ParameterizedTest
    @MethodSource("tables")
    void whatWasAddedIsNotNewAndAGuessIsRightOrNone(ObjectTable table) {
        Object[] all = new Object[200];
        for (int i = 0; i < all.length; i++) {
            all[i] = new int[i % 9];
        }
        System.gc();
        Encounters met = new Encounters();
        for (int i = 0; i < all.length; i++) {
            int granule = Addresses.of(all, Addresses.element(i));
            if (i % 2 == 0) {
                assertEquals(i / 2, table.add(all[i], granule, 0, ObjectTable.NONE));
                assertTrue(!table.isNew(granule));
            }
            met.add(all[i], granule, 0, ObjectTable.NONE);
        }
        table.guess(met, met.size());
        int guessed = 0;
        for (int i = 0; i < all.length; i++) {
            if (i % 2 != 0) {
                assertEquals(ObjectTable.NONE, met.indices[i]);
            } else if (met.indices[i] != ObjectTable.NONE) {
                assertEquals(i / 2, met.indices[i]);
                guessed++;
            }
        }
        // Two objects share a granule at most; by hash nothing is guessed.
        assertTrue(table instanceof GranuleTable ? guessed >= 50 : guessed == 0, guessed + " of 100");
    }

    @Test
    void addressesAreUsedWhereObjectsMoveOnlyInPauses() {
        assertTrue(Addresses.KNOWN, "the tests run with a collector that stops the program");
        assertTrue(Walk.table(false) instanceof GranuleTable);
        Object[] two = {new long[3], new long[3]};
        Object[] same = {two[0]};
        assertEquals(Addresses.of(two, Addresses.element(0)), Addresses.of(same, Addresses.element(0)));
        assertTrue(Addresses.of(two, Addresses.element(0)) != Addresses.of(two, Addresses.element(1)));
    }

    @Test
    void aSecondIndexOfAnObjectIsFoundAndMergedIntoTheFirst() {
        GranuleTable table = new GranuleTable(false);
        Random random = new Random(7);
        List<Object> all = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            all.add(new int[random.nextInt(9)]);
            add(table, all.get(i), 1);
        }
        // As if each had been read from a field that changed right after its bits were read.
        for (int i = 0; i < 5_000; i++) {
            assertEquals(5_000 + i, table.add(all.get(i), random.nextInt(), 2, ObjectTable.NONE));
        }
        int[] merged = {0};
        while (!table.repair((first, second) -> {
            assertSame(table.object(first), table.object(second));
            assertEquals(first + 5_000, second);
            merged[0]++;
        })) {
            Thread.onSpinWait();
        }
        assertEquals(5_000, merged[0]);
        for (int i = 0; i < 5_000; i++) {
            assertEquals(i, find(table, all.get(i)));
            assertNull(table.object(5_000 + i));
        }
    }

    /** The objects are young, so that nearly every collection moves some. */
    @Test
    void aWalkIsExactWhileCollectionsMoveWhatItHasMet() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        Thread collector = new Thread(() -> {
            List<byte[]> some = new ArrayList<>();
            while (!done.get()) {
                some.add(new byte[10_000]);
                if (some.size() % 1_000 == 0) {
                    some.clear();
                    System.gc();
                }
            }
        });
        collector.start();
        try {
            Shapes shapes = Walked.shapes();
            // On a busy machine a walk may be given up, which is no wrong figure.
            int whole = 0;
            for (int round = 0; round < 8; round++) {
                Object[] all = new Object[60_000];
                for (int i = 0; i < all.length; i++) {
                    all[i] = new Object[] {i == 0 ? null : all[i - 1], i % 5 == 0 ? all : new long[i % 4], null};
                }
                Walked walked;
                try {
                    walked = Walked.from(shapes, new Object[] {all}, new Object[] {all[30_000]});
                } catch (WalkStopped givenUp) {
                    assertEquals("collections come too often", givenUp.getMessage());
                    continue;
                }
                whole++;
                assertEquals(1 + 60_000 + 48_000, walked.held.measuredObjects);
                assertEquals(walked.held.measuredBytes, walked.held.deepBytes[0]);
                assertEquals(walked.held.measuredBytes, walked.held.deepBytes[1]);
                assertEquals(walked.held.measuredBytes, walked.held.sharedOnce);
            }
            assertTrue(whole > 0, "every walk was given up");
        } finally {
            done.set(true);
            collector.join();
        }
    }
}
