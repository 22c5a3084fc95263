package com.acme.probed;

import io.weighbridge.Scope;
import io.weighbridge.Weighbridge;

/** Work for users, on one thread. */
class Scoped {
    private Scoped() {
    }

    /** For anna so often, for bob twice as often, for nobody three times. */
    static void serve(int times) {
        for (int i = 0; i < times; i++) {
            try (Scope scope = Weighbridge.scope("user", "anna")) {
                request();
            }
            for (int n = 0; n < 2; n++) {
                try (Scope scope = Weighbridge.scope("user", "bob")) {
                    request();
                }
            }
            for (int n = 0; n < 3; n++) {
                request();
            }
        }
    }

    /** Traces itself by the API. */
    static void trace(int times) {
        String began = Weighbridge.request("{\"v\":1,\"id\":1,\"do\":\"trace_start\",\"name\":\"own\","
                + "\"what\":[\"methods\"],\"classes\":[\"com.acme.probed.Item\"]}");
        for (int i = 0; i < times; i++) {
            request();
        }
        String ended = Weighbridge.request("{\"v\":1,\"id\":2,\"do\":\"trace_stop\",\"name\":\"own\"}");
        if (!ended.contains("\"calls\":" + times + ",")) {
            throw new AssertionError(began + ended);
        }
    }

    private static Item request() {
        return new Item(1);
    }
}
