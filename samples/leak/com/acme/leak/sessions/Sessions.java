package com.acme.leak.sessions;

import java.util.ArrayDeque;

/** The clients of the last ticks. */
public final class Sessions {
    private final int ticks;
    private final ArrayDeque<Session> open = new ArrayDeque<>();

    public Sessions(int ticks) {
        this.ticks = ticks;
    }

    public void open(long tick) {
        open.add(new Session(tick));
    }

    public void expire(long now) {
        while (!open.isEmpty() && open.peek().since < now - ticks) {
            open.remove();
        }
    }
}
