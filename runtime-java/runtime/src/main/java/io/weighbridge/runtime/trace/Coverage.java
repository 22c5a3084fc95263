package io.weighbridge.runtime.trace;

import io.weighbridge.runtime.record.Json;

/** Which lines were reached. Of all threads: a probe site is only marked, so nobody is asked whose call it is. */
public final class Coverage extends Trace {
    private final boolean[][] pages = new boolean[MOST_PROBE_SITES / PAGE][];

    /** Of all calls. */
    public Coverage() {
        super(Filter.EVERYBODY);
    }

    @Override
    boolean[][] pages() {
        return pages;
    }

    @Override
    synchronized void missing(int site) {
        if (pages[site / PAGE] == null) {
            pages[site / PAGE] = new boolean[PAGE];
        }
        pages[site / PAGE][site % PAGE] = true;
    }

    @Override
    public String what() {
        return "coverage";
    }

    @Override
    public long events() {
        return -1;
    }

    @Override
    public long nanosPerEvent() {
        return -1;
    }

    /** Runs of sites that were reached: the first one and how many. */
    @Override
    public void describe(Json json) {
        json.array("reached");
        int from = -1;
        int end = 0;
        for (int number = 0; number < pages.length; number++) {
            boolean[] page = pages[number];
            for (int i = 0; page != null && i < PAGE; i++) {
                int site = number * PAGE + i;
                if (!page[i]) {
                    continue;
                }
                if (from < 0 || site != end) {
                    write(json, from, end);
                    from = site;
                }
                end = site + 1;
            }
        }
        write(json, from, end);
        json.end();
    }

    private static void write(Json json, int from, int end) {
        if (from >= 0) {
            json.open().field("from", from).field("places", end - from).close();
        }
    }
}
