package io.weighbridge.runtime.contract;

import java.util.List;

/**
 * The runtime's options (docs/configuration.md, "Runtime options").
 *
 * <p>Made of runtime-java/contract by WEIGHBRIDGE_WRITE_TABLES=1; change that.
 */
public final class RuntimeOptions {
    public static final RuntimeOption ENABLED =
            new RuntimeOption("enabled", "true");
    public static final RuntimeOption DESTFILE =
            new RuntimeOption("destfile", "weighbridge-%p.wbr");
    public static final RuntimeOption DUMPONEXIT =
            new RuntimeOption("dumponexit", "true");
    public static final RuntimeOption INTERVAL =
            new RuntimeOption("interval", null, 1, Integer.MAX_VALUE);
    public static final RuntimeOption SESSIONID =
            new RuntimeOption("sessionid", null);
    public static final RuntimeOption OUTPUT =
            new RuntimeOption("output", "file", List.of("file", "none", "stream"));
    public static final RuntimeOption JMX =
            new RuntimeOption("jmx", "false");
    public static final RuntimeOption REFERENCES =
            new RuntimeOption("references", "5000", 1, 10000000);
    public static final RuntimeOption CPU_PERCENT =
            new RuntimeOption("cpu_percent", "2", 1, 100);
    public static final RuntimeOption PAUSE =
            new RuntimeOption("pause", "100ms", 0, Integer.MAX_VALUE);
    public static final RuntimeOption GC =
            new RuntimeOption("gc", "auto", List.of("auto", "never"));
    public static final RuntimeOption SOFT =
            new RuntimeOption("soft", "false");
    public static final RuntimeOption EXCLUDE =
            new RuntimeOption("exclude", null);
    public static final RuntimeOption HUBS =
            new RuntimeOption("hubs", null);
    public static final RuntimeOption HOLDERS =
            new RuntimeOption("holders", "true");
    public static final RuntimeOption READER =
            new RuntimeOption("reader", null);
    public static final RuntimeOption WALK_MEMORY =
            new RuntimeOption("walk_memory", null);
    public static final RuntimeOption SITES =
            new RuntimeOption("sites", "0", 0, 1000);
    public static final RuntimeOption PEAK =
            new RuntimeOption("peak", "off", List.of("off", "peak-with-tolerance", "peak-only", "threshold", "interval"));
    public static final RuntimeOption PEAK_SOURCE =
            new RuntimeOption("peak_source", "walk", List.of("walk", "histogram", "usage"));
    public static final RuntimeOption PEAK_TOLERANCE =
            new RuntimeOption("peak_tolerance", null);
    public static final RuntimeOption PEAK_FLOOR =
            new RuntimeOption("peak_floor", null);
    public static final RuntimeOption PEAK_INTERVAL =
            new RuntimeOption("peak_interval", "10s", 1, Integer.MAX_VALUE);
    public static final RuntimeOption PEAK_DUMP =
            new RuntimeOption("peak_dump", null);
    public static final RuntimeOption PEAK_DUMPS =
            new RuntimeOption("peak_dumps", "3", 1, 1000);
    public static final RuntimeOption PEAK_DUMP_GROWTH =
            new RuntimeOption("peak_dump_growth", "10", 0, 1000);
    public static final RuntimeOption AGES =
            new RuntimeOption("ages", "0;1;2;3;4;8;16");
    public static final RuntimeOption THREADS =
            new RuntimeOption("threads", null);
    public static final RuntimeOption SHORTAGE =
            new RuntimeOption("shortage", "off", List.of("off", "observe", "act"));
    public static final RuntimeOption SHORTAGE_OLD_GENERATION =
            new RuntimeOption("shortage_old_generation", "90");
    public static final RuntimeOption SHORTAGE_ALLOCATION =
            new RuntimeOption("shortage_allocation", null);
    public static final RuntimeOption SHORTAGE_CONTAINER =
            new RuntimeOption("shortage_container", "off");
    public static final RuntimeOption SHORTAGE_EXHAUSTED =
            new RuntimeOption("shortage_exhausted", "true");
    public static final RuntimeOption SHORTAGE_BY =
            new RuntimeOption("shortage_by", "allocated", List.of("allocated", "proprietary", "releasable", "oldest", "priority"));
    public static final RuntimeOption SHORTAGE_MEASURE =
            new RuntimeOption("shortage_measure", "cheap", List.of("cheap", "exact"));
    public static final RuntimeOption SHORTAGE_ANALYSER =
            new RuntimeOption("shortage_analyser", null);
    public static final RuntimeOption SHORTAGE_LEAST =
            new RuntimeOption("shortage_least", "2%");
    public static final RuntimeOption SHORTAGE_FRAME =
            new RuntimeOption("shortage_frame", "any", List.of("any", "variable"));
    public static final RuntimeOption SHORTAGE_THREADS =
            new RuntimeOption("shortage_threads", null);
    public static final RuntimeOption SHORTAGE_SCOPES =
            new RuntimeOption("shortage_scopes", null);
    public static final RuntimeOption SHORTAGE_METHODS =
            new RuntimeOption("shortage_methods", null);
    public static final RuntimeOption SHORTAGE_INTERRUPT =
            new RuntimeOption("shortage_interrupt", "true");
    public static final RuntimeOption SHORTAGE_FORCE =
            new RuntimeOption("shortage_force", "false");
    public static final RuntimeOption SHORTAGE_FIXED =
            new RuntimeOption("shortage_fixed", "java.**;javax.**;jdk.**;sun.**;com.sun.**");
    public static final RuntimeOption SHORTAGE_WAIT =
            new RuntimeOption("shortage_wait", "2s", 0, Integer.MAX_VALUE);
    public static final RuntimeOption SHORTAGE_PER_MINUTE =
            new RuntimeOption("shortage_per_minute", "6", 1, 600);
    public static final RuntimeOption SHORTAGE_RETRY =
            new RuntimeOption("shortage_retry", null);
    public static final RuntimeOption SHORTAGE_ADMIT =
            new RuntimeOption("shortage_admit", null);
    public static final RuntimeOption SHORTAGE_ADMIT_WAIT =
            new RuntimeOption("shortage_admit_wait", "1s", 0, Integer.MAX_VALUE);

    /** The most bounds of {@link #AGES}. */
    public static final int MOST_AGES = 64;
    /** The most digits of a size. */
    public static final int MOST_DIGITS = 12;

    /** All, in the order of the documentation. */
    public static final List<RuntimeOption> ALL = List.of(
            ENABLED,
            DESTFILE,
            DUMPONEXIT,
            INTERVAL,
            SESSIONID,
            OUTPUT,
            JMX,
            REFERENCES,
            CPU_PERCENT,
            PAUSE,
            GC,
            SOFT,
            EXCLUDE,
            HUBS,
            HOLDERS,
            READER,
            WALK_MEMORY,
            SITES,
            PEAK,
            PEAK_SOURCE,
            PEAK_TOLERANCE,
            PEAK_FLOOR,
            PEAK_INTERVAL,
            PEAK_DUMP,
            PEAK_DUMPS,
            PEAK_DUMP_GROWTH,
            AGES,
            THREADS,
            SHORTAGE,
            SHORTAGE_OLD_GENERATION,
            SHORTAGE_ALLOCATION,
            SHORTAGE_CONTAINER,
            SHORTAGE_EXHAUSTED,
            SHORTAGE_BY,
            SHORTAGE_MEASURE,
            SHORTAGE_ANALYSER,
            SHORTAGE_LEAST,
            SHORTAGE_FRAME,
            SHORTAGE_THREADS,
            SHORTAGE_SCOPES,
            SHORTAGE_METHODS,
            SHORTAGE_INTERRUPT,
            SHORTAGE_FORCE,
            SHORTAGE_FIXED,
            SHORTAGE_WAIT,
            SHORTAGE_PER_MINUTE,
            SHORTAGE_RETRY,
            SHORTAGE_ADMIT,
            SHORTAGE_ADMIT_WAIT);

    /** What may be changed while measuring; the rest is in the recording's header, or in figures that are kept. */
    public static final List<RuntimeOption> CHANGEABLE = List.of(
            INTERVAL,
            REFERENCES,
            CPU_PERCENT,
            PAUSE,
            GC,
            HOLDERS,
            SITES,
            PEAK,
            PEAK_SOURCE,
            PEAK_TOLERANCE,
            PEAK_FLOOR,
            PEAK_INTERVAL,
            PEAK_DUMP,
            PEAK_DUMPS,
            PEAK_DUMP_GROWTH,
            SHORTAGE,
            SHORTAGE_OLD_GENERATION,
            SHORTAGE_ALLOCATION,
            SHORTAGE_CONTAINER,
            SHORTAGE_EXHAUSTED,
            SHORTAGE_BY,
            SHORTAGE_MEASURE,
            SHORTAGE_LEAST,
            SHORTAGE_FRAME,
            SHORTAGE_THREADS,
            SHORTAGE_SCOPES,
            SHORTAGE_INTERRUPT,
            SHORTAGE_FORCE,
            SHORTAGE_WAIT,
            SHORTAGE_PER_MINUTE,
            SHORTAGE_ADMIT_WAIT);

    /** Settings of a run: those of a measurement. Others belong to the whole session. */
    public static final List<RuntimeOption> OF_RUN = List.of(
            INTERVAL,
            CPU_PERCENT,
            GC,
            HOLDERS);

    private RuntimeOptions() {
    }
}
