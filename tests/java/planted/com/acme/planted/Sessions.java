package com.acme.planted;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Many small sessions, and one whose list of results has everything that a query found. */
class Sessions {
    static final Map<String, Session> OPEN = new ConcurrentHashMap<>();

    static class Session {
        final List<Result> results = new ArrayList<>();
    }

    static class Result {
        final long id;
        final double[] scores = new double[6];

        Result(long id) {
            this.id = id;
        }
    }

    static void open(int sessions, int results) {
        for (int i = 0; i < sessions; i++) {
            Session session = new Session();
            OPEN.put("session-" + i, session);
            int found = i == sessions / 2 ? results : 5;
            for (int j = 0; j < found; j++) {
                session.results.add(new Result(j));
            }
        }
    }
}
