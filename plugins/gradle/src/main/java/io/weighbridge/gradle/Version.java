package io.weighbridge.gradle;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version of the plugin, which is the version of the binary that it needs. */
final class Version {
    private Version() {}

    static String ofPlugin() {
        Properties properties = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("plugin.properties")) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version");
    }
}
