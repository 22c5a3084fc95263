package io.weighbridge.runtime.contract;

/**
 * The codes of events (docs/event-trace.md, "Events").
 *
 * <p>Made of runtime-java/contract by WEIGHBRIDGE_WRITE_TABLES=1; change that.
 */
public final class EventCodes {
    public static final int CLOCK = 0;
    public static final int MADE = 1;
    public static final int ARRAY = 2;
    public static final int MET = 3;
    public static final int FIELD = 4;
    public static final int STATIC = 5;
    public static final int ELEMENT = 6;
    public static final int MEMORY = 7;
    public static final int COPY = 8;
    public static final int LOCAL = 9;
    public static final int ENTER = 10;
    public static final int EXIT = 11;
    public static final int HOLDS = 12;
    public static final int USE = 13;
    public static final int KEEP = 14;
    public static final int THREAD = 15;
    public static final int CODE = 0xf;
    public static final int NULL = 0x10;
    public static final int MORE = 0x20;
    /** By code, a bit: the clock goes on by the event. */
    public static final int COUNTED = 0x1f8;

    private EventCodes() {
    }
}
