package io.weighbridge.build;

import java.util.Map;

/** The names of reports. */
public final class ReportFiles {
    private static final Map<String, String> EXTENSIONS = Map.of("text", "txt", "pprof", "pb.gz", "openmetrics", "prom");

    private ReportFiles() {}

    /** The name of a report in a format of {@code weighbridge report -o}, such as {@code report.txt}. */
    public static String name(String format) {
        return "report." + EXTENSIONS.getOrDefault(format, format);
    }
}
