package com.acme.rescue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Keeps all its rows until it is done. */
final class Report {
    private static final int MONTHS = 12;
    private final long rows;

    Report(long rows) {
        this.rows = rows;
    }

    /** One row. */
    private static final class Row {
        final String customer;
        final String total;
        final long[] months = new long[MONTHS];

        Row(long number) {
            customer = String.format(Locale.ROOT, "customer %,d", number);
            total = String.format(Locale.ROOT, "%,d.00", number * MONTHS);
        }
    }

    int render() {
        List<Row> all = new ArrayList<>();
        for (long number = 0; number < rows; number++) {
            all.add(new Row(number));
        }
        return all.size();
    }
}
