package io.weighbridge.runtime.trace;

import java.util.function.IntFunction;
import java.util.function.ObjIntConsumer;

/** An array by place, of which only the pages that are used exist. */
final class Pages<T> {
    private final Object[][] pages = new Object[Trace.MOST_PLACES / Trace.PAGE][];
    private final IntFunction<T> fresh;

    Pages(IntFunction<T> fresh) {
        this.fresh = fresh;
    }

    /** What belongs to a place; null if nothing does yet. */
    @SuppressWarnings("unchecked")
    T peek(int place) {
        Object[] page = pages[place / Trace.PAGE];
        return page == null ? null : (T) page[place % Trace.PAGE];
    }

    /** What belongs to a place. */
    T at(int place) {
        T known = peek(place);
        return known != null ? known : make(place);
    }

    @SuppressWarnings("unchecked")
    private synchronized T make(int place) {
        Object[] page = pages[place / Trace.PAGE];
        if (page == null) {
            page = new Object[Trace.PAGE];
            pages[place / Trace.PAGE] = page;
        }
        if (page[place % Trace.PAGE] == null) {
            page[place % Trace.PAGE] = fresh.apply(place);
        }
        return (T) page[place % Trace.PAGE];
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
