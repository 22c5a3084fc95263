package com.acme.leak.sessions;

/** A client, from when on, and what it typed last. */
final class Session {
    final long since;
    final char[] typed = new char[16];

    Session(long since) {
        this.since = since;
    }
}
