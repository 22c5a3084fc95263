package com.acme.planted;

import java.util.ArrayList;
import java.util.List;

/** A list that had a batch in it once, and keeps the room. */
class Batches {
    static final List<Integer> BATCH = new ArrayList<>();

    static void run(int size) {
        for (int i = 0; i < size; i++) {
            BATCH.add(7);
        }
        BATCH.clear();
        BATCH.add(1);
    }
}
