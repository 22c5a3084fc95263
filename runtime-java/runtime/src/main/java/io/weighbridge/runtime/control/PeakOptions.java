package io.weighbridge.runtime.control;

/** The options of the peak watch (docs/configuration.md, "Peaks"). */
final class PeakOptions {
    static final String[] MODES = {"peak-with-tolerance", "peak-only", "threshold", "interval"};
    /** Unless set, the tolerance is this part of the largest heap, and peaks below four tolerances are of no interest. */
    private static final int TOLERANCE_PART = 32;
    private static final int FLOOR_TOLERANCES = 4;
    private static final long DEFAULT_INTERVAL_MS = 10_000;

    final MarkAndCount.Mode mode;
    /** Where live bytes come from: {@code walk}, {@code histogram} or {@code usage}. */
    final String source;
    /** In bytes, of mode {@code interval} in milliseconds. */
    final long tolerance;
    /** Bytes. */
    final long floor;
    /** Path of the heap dump of the greatest peak, or null for none. */
    final String dump;
    final int dumps;
    /** A peak must exceed the dumped one by this many percent to be worth another dump. */
    final int dumpGrowth;

    PeakOptions(String mode, OptionValues options) {
        this.mode = MarkAndCount.Mode.of(mode);
        source = options.choice("peak_source", "walk", "histogram", "usage");
        long heap = Runtime.getRuntime().maxMemory();
        long bytes = options.size("peak_tolerance", heap / TOLERANCE_PART);
        floor = options.size("peak_floor", this.mode == MarkAndCount.Mode.INTERVAL ? 0 : bytes * FLOOR_TOLERANCES);
        long interval = options.duration("peak_interval");
        tolerance = this.mode == MarkAndCount.Mode.INTERVAL ? interval == 0 ? DEFAULT_INTERVAL_MS : interval : bytes;
        dump = options.text("peak_dump", null);
        dumps = options.number("peak_dumps", 3, 1, 1000);
        dumpGrowth = options.number("peak_dump_growth", 10, 0, 1000);
    }
}
