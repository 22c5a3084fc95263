package io.weighbridge.runtime.record;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class SnapshotLineTest {
    @Test
    void anIntervalThatIsStretchedSaysByHowMuchAndWhy() {
        StringBuilder line = new StringBuilder();
        SnapshotLine.interval(new Json(line).open(), new Stretch(1_000_000_000L, 20_000_000_000L, 400_000_000L, 2));
        assertEquals("{\"interval\":{\"asked_ms\":1000,\"stretched_ms\":20000,\"cost_ms\":400,\"cpu_percent\":2}",
                line.toString());
    }
}
