package io.weighbridge.runtime.trace;

import java.util.function.IntFunction;
import java.util.function.ObjIntConsumer;

/** An array by probe site, of which only the pages that are used exist. */
final class Pages<T> {
    private final Object[][] pages = new Object[Trace.MOST_PROBE_SITES / Trace.PAGE][];
    private final IntFunction<T> fresh;

    Pages(IntFunction<T> fresh) {
        this.fresh = fresh;
    }

    /** What belongs to a site; null if nothing does yet. */
    @SuppressWarnings("unchecked")
    T peek(int site) {
        Object[] page = pages[site / Trace.PAGE];
        return page == null ? null : (T) page[site % Trace.PAGE];
    }

    /** What belongs to a site. */
    T at(int site) {
        T known = peek(site);
        return known != null ? known : make(site);
    }

    @SuppressWarnings("unchecked")
    private synchronized T make(int site) {
        Object[] page = pages[site / Trace.PAGE];
        if (page == null) {
            page = new Object[Trace.PAGE];
            pages[site / Trace.PAGE] = page;
        }
        if (page[site % Trace.PAGE] == null) {
            page[site % Trace.PAGE] = fresh.apply(site);
        }
        return (T) page[site % Trace.PAGE];
    }

    /** Calls with all that there is. */
    @SuppressWarnings("unchecked")
    void each(ObjIntConsumer<T> call) {
        for (int number = 0; number < pages.length; number++) {
            Object[] page = pages[number];
            for (int i = 0; page != null && i < page.length; i++) {
                if (page[i] != null) {
                    call.accept((T) page[i], number * Trace.PAGE + i);
                }
            }
        }
    }
}
