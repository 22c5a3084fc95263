package io.weighbridge.maven;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Properties;
import java.util.Set;
import org.apache.maven.plugin.MojoExecutionException;
import org.junit.jupiter.api.Test;

class JacocoFilesTest {
    private static final Path BASE = Path.of("/build");

    @Test
    void theFilesOfAllAgentsAreFoundWhereverTheirPathsHaveBlanks() throws Exception {
        Properties properties = new Properties();
        String runtime = "\"-javaagent:/a jacoco/weighbridge-runtime.jar\" \"-Dweighbridge.destfile=/a jacoco/x.wbr\" ";
        properties.setProperty(
                "argLine",
                runtime + "\"-javaagent:/m 2/org.jacoco.agent-0.8.16-runtime.jar=destfile=/a b/one.exec,append=true\" -Xmx1g");
        properties.setProperty("it", "-javaagent:/m2/org.jacoco.agent-0.8.7-runtime.jar=excludes=a.*,destfile=two.exec -ea");
        properties.setProperty("default", "-javaagent:/m2/org.jacoco.agent-0.8.7-runtime.jar=append=false");
        properties.setProperty("other", "-javaagent:/m2/jacoco.jar=destfile=three.exec");
        assertEquals(
                Set.of(Path.of("/a b/one.exec"), BASE.resolve("two.exec"), BASE.resolve("jacoco.exec")),
                JacocoFiles.files(properties, BASE));
        assertEquals(Set.of(), JacocoFiles.files(new Properties(), BASE));
    }

    @Test
    void dataThatGoesElsewhereIsRefused() {
        assertTrue(refused("output=tcpserver,port=1").contains("output=tcpserver"));
        assertTrue(refused("destfile=j-${surefire.forkNumber}.exec").contains("names a file of each JVM"));
    }

    private static String refused(String options) {
        Properties properties = new Properties();
        properties.setProperty("argLine", "-javaagent:/org.jacoco.agent-0.8.16-runtime.jar=" + options);
        return assertThrows(MojoExecutionException.class, () -> JacocoFiles.files(properties, BASE)).getMessage();
    }
}
