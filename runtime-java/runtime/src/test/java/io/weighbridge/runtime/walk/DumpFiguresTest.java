package io.weighbridge.runtime.walk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class DumpFiguresTest {
    private static final long[] NUMBERS = {
        1000, 50_000, 30, 700, 8, 9,
        1, 2, 3, 4, 5, 6, 7, 8,
        11, 12, 13, 14, 15, 16, 17, 18,
        21, 22, 23, 24, 25, 26,
        31, 32, 33, 34, 35, 36,
        2, 0, 3, 400,
        1, 2, 500,
    };

    private static DumpFigures figures(long[] numbers, int rows, int components) {
        return DumpFigures.of(new Object[] {numbers, new String[] {"1", "{\"examined\":5}"}}, rows, components);
    }

    @Test
    void eachFigureIsAtItsIndex() {
        DumpFigures figures = figures(NUMBERS, 2, 2);
        assertEquals(1000, figures.liveObjects);
        assertEquals(50_000, figures.liveBytes);
        assertEquals(List.of(30L, 700L, 8L, 9L), List.of(figures.reachedObjects(), figures.reachedBytes(),
                figures.offHeapBytes(), figures.sharedOnce()));
        assertArrayEquals(new long[] {3, 13}, figures.ofRows(2));
        assertArrayEquals(new long[] {26, 36}, figures.ofComponents(5));
        assertArrayEquals(new String[] {null, "{\"examined\":5}"}, figures.holders);
        List<String> held = new ArrayList<>();
        figures.eachTags((tags, bytes) -> held.add(Arrays.toString(tags) + " " + bytes));
        assertEquals(List.of("[0, 3] 400", "[2] 500"), held);
    }

    @Test
    void anAnswerThatIsTooShortIsNone() {
        assertNull(figures(NUMBERS, 4, 2));
    }
}
