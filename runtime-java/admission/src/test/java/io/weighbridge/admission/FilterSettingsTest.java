package io.weighbridge.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class FilterSettingsTest {
    private static String value(Map<String, String> parameters) {
        return new FilterSettings(parameters::get).value(() -> "/orders", () -> "/orders/*", Map.of("X-Kind", "report")::get);
    }

    @Test
    void theDefaultIsTheServletPathUnderRequest() {
        FilterSettings settings = new FilterSettings(name -> null);
        assertEquals("request", settings.key());
        assertEquals("5", settings.retryAfter());
        assertEquals("/orders", value(Map.of()));
    }

    @Test
    void aValueComesFromTheMappingAHeaderOrTheParameter() {
        assertEquals("/orders/*", value(Map.of("value", "mapping")));
        assertEquals("report", value(Map.of("value", "header:X-Kind")));
        assertEquals("other", value(Map.of("value", "header:X-None")));
        assertEquals("nightly", value(Map.of("value", "name:nightly")));
    }

    @Test
    void aLongHeaderIsCut() {
        FilterSettings settings = new FilterSettings(Map.of("value", "header:X")::get);
        assertEquals(200, settings.value(() -> "", () -> "", name -> "x".repeat(5000)).length());
    }

    @Test
    void aValueThatIsNotAllowedIsRefusedWithWhatIs() {
        for (String wrong : new String[] {"url", "header:", "name:", "Path"}) {
            Map<String, String> parameters = Map.of("value", wrong);
            String told = assertThrows(IllegalArgumentException.class, () -> value(parameters)).getMessage();
            assertEquals("value=" + wrong + ": allowed are path, mapping, header:NAME and name:TEXT", told);
        }
        String told = assertThrows(IllegalArgumentException.class, () -> value(Map.of("retryAfter", "soon"))).getMessage();
        assertEquals("retryAfter=soon: a number of seconds is needed", told);
    }
}
