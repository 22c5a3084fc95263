package com.acme.shop.web;

import java.util.HashMap;
import java.util.Map;

/** The sessions of all visitors. Nothing ever closes one: this is the leak that the report shows. */
public final class SessionStore {
    private final Map<String, Session> sessions = new HashMap<>();

    public Session open(String visitor) {
        return sessions.computeIfAbsent(visitor, Session::new);
    }

    public int size() {
        return sessions.size();
    }
}
