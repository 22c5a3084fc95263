package io.weighbridge.runtime.control;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.contract.RuntimeOption;
import io.weighbridge.runtime.contract.RuntimeOptions;
import io.weighbridge.runtime.jvm.Notices;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class OptionsTest {
    @AfterEach
    void clear() {
        System.clearProperty("weighbridge.references");
        System.clearProperty("weighbridge.gc");
    }

    @Test
    void theAgentComesBeforeThePropertyComesBeforeTheJar() {
        Map<String, String> jar = Map.of("references", "1", "cpu_percent", "7", "gc", "never");
        assertEquals(1, Options.of(null).with(jar).references);
        System.setProperty("weighbridge.references", "2");
        assertEquals(2, Options.of("").with(jar).references);
        Options all = Options.of("references=3,jmx").with(jar);
        assertEquals(3, all.references);
        assertEquals(7, all.cpuPercent);
        assertFalse(all.collect);
        assertTrue(all.jmx);
        assertEquals(4, all.withAgent("references=4").references);
    }

    @Test
    void aValueThatMakesNoSenseBringsAWarningAndTheNextSourceIsAsked() {
        System.setProperty("weighbridge.references", "many");
        System.setProperty("weighbridge.gc", "sometimes");
        Options options = Options.of("references=0").with(Map.of("references", "5"));
        assertEquals(5, options.references);
        assertTrue(options.collect);
        assertTrue(said("option references=0 is ignored: it takes a number from 1 to 10000000"));
        assertTrue(said("option references=many is ignored: it takes a number from 1 to 10000000"));
        assertTrue(said("option gc=sometimes is ignored: it takes auto or never"));
    }

    @Test
    void anUnknownOptionBringsOneWarningAndNothingElse() {
        assertEquals(10_000, Options.of("interval=10s,intervall=5s").intervalMs);
        assertTrue(said("unknown option \"intervall\"; the options are " + RuntimeOption.names(RuntimeOptions.ALL)));
    }

    @Test
    void durationsAreWholeNumbersWithAUnit() {
        assertEquals(500, OptionValues.milliseconds("500ms"));
        assertEquals(10_000, OptionValues.milliseconds("10s"));
        assertEquals(300_000, OptionValues.milliseconds("5m"));
        assertEquals(3_600_000, OptionValues.milliseconds("1h"));
        assertEquals(0, OptionValues.milliseconds("off"));
        for (String wrong : new String[] {"", "10", "s", "0s", "1.5s", "10 s", "99999999999999999999h", "-1s"}) {
            assertEquals(-1, OptionValues.milliseconds(wrong), wrong);
        }
    }

    @Test
    void onlySomeDurationsMayBeNothing() {
        assertEquals(0, Options.of("pause=0s").pauseMs);
        assertEquals(100, Options.of("pause=soon").pauseMs);
        assertEquals(0, Options.of("interval=off").intervalMs);
        assertTrue(Options.of("interval=0s").refused().get(0).startsWith("option interval=0s: it takes 500ms"));
        assertEquals(10_000, Options.of("peak=interval,peak_interval=0s").peak.tolerance);
    }

    @Test
    void sizesAreBytesOrHaveTheUnitsOfTheJvmsOwn() {
        assertEquals(0, OptionValues.bytes("0"));
        assertEquals(1024, OptionValues.bytes("1024"));
        assertEquals(512 << 10, OptionValues.bytes("512k"));
        assertEquals(64 << 20, OptionValues.bytes("64M"));
        assertEquals(2L << 30, OptionValues.bytes("2g"));
        for (String wrong : new String[] {"", "m", "1.5g", "-1", "64mb", "1 g", "9999999999999", "99999999999g"}) {
            assertEquals(-1, OptionValues.bytes(wrong), wrong);
        }
    }

    @Test
    void peaksAreWatchedOnlyOnRequestAndWithATolerance() {
        assertNull(Options.of(null).peak);
        PeakOptions peak = Options.of("peak=peak-with-tolerance").peak;
        assertEquals(MarkAndCount.Mode.PEAK_WITH_TOLERANCE, peak.mode);
        assertEquals("walk", peak.source);
        assertEquals(Runtime.getRuntime().maxMemory() / 32, peak.tolerance);
        assertEquals(4 * peak.tolerance, peak.floor);
        assertNull(peak.dump);
        assertEquals(2000, Options.of("peak=interval,peak_interval=2s").peak.tolerance);
    }

    @Test
    void patternsAreSeparatedBySemicolons() {
        assertArrayEquals(new String[] {"a.**", "b.C"}, Options.of(null).with(Map.of("exclude", "a.**;b.C")).exclude);
        assertEquals(0, Options.of(null).exclude.length);
        Map<String, String> baked = Map.of("hubs", "a.**;b.C");
        assertArrayEquals(new String[] {"a.**", "b.C"}, Options.of(null).with(baked).hubs);
        assertEquals(0, Options.of("hubs=none").with(baked).hubs.length);
        assertArrayEquals(new String[] {"none"}, Options.of("threads=none").threads);
    }

    /** A notice is said once, so saying it again fails if it was said. */
    private static boolean said(String text) {
        return !Notices.note(text);
    }
}
