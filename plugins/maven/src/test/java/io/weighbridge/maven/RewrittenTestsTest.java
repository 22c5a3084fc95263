package io.weighbridge.maven;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.nio.file.Path;
import java.util.Map;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.artifact.DefaultArtifact;
import org.apache.maven.artifact.handler.DefaultArtifactHandler;
import org.apache.maven.model.Build;
import org.apache.maven.project.MavenProject;
import org.junit.jupiter.api.Test;

class RewrittenTestsTest {
    private final MavenProject project = project("app");
    private final Artifact api = new DefaultArtifact(
            "com.acme", "api", "1.0", "compile", "jar", null, new DefaultArtifactHandler("jar"));

    RewrittenTestsTest() {
        api.setFile(new File("api.jar"));
    }

    @Test
    void theEndPutsEverythingBack() {
        project.getProperties().setProperty("argLine", "-Xmx1g");
        begin();
        assertEquals("weighed/classes", project.getBuild().getOutputDirectory());
        assertEquals(new File("weighed/api.jar"), api.getFile());
        assertEquals("-javaagent:r.jar -Xmx1g", project.getProperties().getProperty("argLine"));
        RewrittenTests.end(project);
        assertEquals("app/classes", project.getBuild().getOutputDirectory());
        assertEquals(new File("api.jar"), api.getFile());
        assertEquals("-Xmx1g", project.getProperties().getProperty("argLine"));
    }

    @Test
    void aPropertyThatWasNotThereIsEmptyAtTheEndSoThatPomsMayNameIt() {
        begin();
        assertEquals("-javaagent:r.jar", project.getProperties().getProperty("argLine"));
        RewrittenTests.end(project);
        assertEquals("", project.getProperties().getProperty("argLine"));
    }

    @Test
    void aModuleThatBeganAndNeverEndedIsReadFromItsOriginalClasses() {
        MavenProject module = project("api");
        RewrittenTests.begin(module, Path.of("weighed/api"), Map.of(), "argLine", "");
        project.addProjectReference(module);
        api.setFile(new File("weighed/api"));
        assertEquals(Path.of("api/classes"), RewrittenTests.original(project, api));
        api.setFile(new File("api.jar"));
        assertEquals(Path.of("api.jar"), RewrittenTests.original(project, api));
    }

    private void begin() {
        RewrittenTests.begin(
                project,
                Path.of("weighed/classes"),
                Map.of(api, Path.of("weighed/api.jar")),
                "argLine",
                "-javaagent:r.jar");
    }

    private static MavenProject project(String name) {
        MavenProject project = new MavenProject();
        project.setGroupId("com.acme");
        project.setArtifactId(name);
        project.setVersion("1.0");
        project.getModel().setBuild(new Build());
        project.getBuild().setOutputDirectory(name + "/classes");
        return project;
    }
}
