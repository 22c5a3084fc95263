package com.acme.probed;

import java.util.ArrayList;
import java.util.List;

/** Objects that stay. Of three one is used by its method, one by its field, one never. */
final class Held {
    private static final List<Held> ALL = new ArrayList<>();
    int uses;

    static void hold(int times) {
        for (int i = 0; i < times; i++) {
            ALL.add(new Held());
        }
    }

    static void use() {
        for (int i = 0; i < ALL.size(); i++) {
            if (i % 3 == 0) {
                ALL.get(i).touch();
            } else if (i % 3 == 1) {
                Field.touch(ALL.get(i));
            }
        }
    }

    private void touch() {
        uses++;
    }

    /** Another class that has the field. */
    private static final class Field {
        static void touch(Held held) {
            held.uses = 1;
        }
    }
}
