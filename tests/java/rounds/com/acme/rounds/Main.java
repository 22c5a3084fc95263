package com.acme.rounds;

import io.weighbridge.Weighbridge;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Operations that are done again and again: one leaves a session behind, one fills a cache, one leaves nothing. */
public final class Main {
    static final class Session {
        final byte[] content = new byte[100];
    }

    static final class Audit {
        final List<Session> seen = new ArrayList<>();
    }

    static final class Page {
    }

    static final class Pages {
        final Map<String, Page> byName = new HashMap<>();
    }

    private Main() {
    }

    public static void main(String[] arguments) throws Exception {
        Audit audit = new Audit();
        Pages pages = new Pages();
        boolean written = Weighbridge.roundTrip("log in", 20, () -> audit.seen.add(new Session()));
        written &= Weighbridge.roundTrip("show", 20, () -> pages.byName.computeIfAbsent("home", name -> new Page()));
        written &= Weighbridge.roundTrip("look", 1, 30, () -> {
            if (new Session().content.length == 0) {
                throw new java.io.IOException("no content");
            }
        });
        System.out.println(written + " " + audit.seen.size() + " " + pages.byName.size());
    }
}
