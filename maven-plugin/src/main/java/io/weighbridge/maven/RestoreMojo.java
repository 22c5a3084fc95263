package io.weighbridge.maven;

import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;

/**
 * Ends what <code>instrument</code> began: from here on the build works on the original classes and dependencies again.
 *
 * <p>It runs in the phase <code>test</code>, behind the tests that Maven binds there by itself. Tests that are bound to
 * a later phase need both goals around them: see "Integration tests" in docs/maven.md.</p>
 */
@Mojo(name = "restore", defaultPhase = LifecyclePhase.TEST, threadSafe = true)
public final class RestoreMojo extends WeighbridgeMojo {
    @Override
    void work() {
        if (RewrittenTests.began(project)) {
            RewrittenTests.end(project);
            getLog().info("The original classes are back in place");
        }
    }
}
