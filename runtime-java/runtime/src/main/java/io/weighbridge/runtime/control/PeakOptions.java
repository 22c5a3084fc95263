package io.weighbridge.runtime.control;

import io.weighbridge.runtime.contract.RuntimeOptions;

/** The options of the peak watch (docs/configuration.md, "Peaks"). */
final class PeakOptions {
    /** Unless set, the tolerance is this part of the largest heap, and peaks below four tolerances are of no interest. */
    private static final int TOLERANCE_PART = 32;
    private static final int FLOOR_TOLERANCES = 4;

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
        source = options.choice(RuntimeOptions.PEAK_SOURCE);
        long heap = Runtime.getRuntime().maxMemory();
        long bytes = options.size(RuntimeOptions.PEAK_TOLERANCE, heap / TOLERANCE_PART);
        floor = options.size(RuntimeOptions.PEAK_FLOOR, this.mode == MarkAndCount.Mode.INTERVAL ? 0 : bytes * FLOOR_TOLERANCES);
        tolerance = this.mode == MarkAndCount.Mode.INTERVAL ? options.duration(RuntimeOptions.PEAK_INTERVAL) : bytes;
        dump = options.text(RuntimeOptions.PEAK_DUMP);
        dumps = options.number(RuntimeOptions.PEAK_DUMPS);
        dumpGrowth = options.number(RuntimeOptions.PEAK_DUMP_GROWTH);
    }
}
