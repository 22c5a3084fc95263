package io.weighbridge.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CliArtifactTest {
    @Test
    void classifiersAreThoseOfTheMavenPluginForThem() {
        assertEquals("linux-x86_64", CliArtifact.classifier("Linux", "amd64"));
        assertEquals("linux-aarch_64", CliArtifact.classifier("Linux", "aarch64"));
        assertEquals("osx-x86_64", CliArtifact.classifier("Mac OS X", "x86_64"));
        assertEquals("osx-aarch_64", CliArtifact.classifier("Mac OS X", "aarch64"));
        assertEquals("windows-x86_64", CliArtifact.classifier("Windows 11", "amd64"));
        assertEquals("sunos-sparcv9", CliArtifact.classifier("SunOS", "sparcv9"));
    }

    @Test
    void theErrorNamesTheCoordinates() {
        String message = CliArtifact.missing("1.2.3", "offline", "--here").getMessage();
        assertTrue(message.contains("io.weighbridge:weighbridge-cli:1.2.3:exe:" + CliArtifact.classifier()), message);
    }
}
