package io.weighbridge.maven;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class ArgumentsTest {
    @Test
    void everyArgumentStaysOneWhateverIsInIt() {
        assertEquals("\"-javaagent:/a b/it's.jar\" \"-Dx=1\"", Arguments.quoted(List.of("-javaagent:/a b/it's.jar", "-Dx=1")));
        assertEquals("'-Dx=\"1\"'", Arguments.quoted(List.of("-Dx=\"1\"")));
    }

    @Test
    void anArgumentWithBothQuotesIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> Arguments.quoted(List.of("'\"")));
    }
}
