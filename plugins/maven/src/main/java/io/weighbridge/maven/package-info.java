/**
 * Goals of Maven that call the {@code weighbridge} binary.
 *
 * <p>In run order: {@link io.weighbridge.maven.InstrumentMojo} collects {@link io.weighbridge.build.Sources}, has them
 * rewritten ({@link io.weighbridge.maven.Rewriting}) unless their {@link io.weighbridge.maven.Fingerprint} is that of the
 * last build, and replaces the originals with them ({@link io.weighbridge.maven.RewrittenTests}); the test JVMs
 * write recordings; {@link io.weighbridge.maven.RestoreMojo} puts the originals back, has what JaCoCo
 * recorded hold for them ({@link io.weighbridge.build.Coverage}), and sees whether tests ran without the plugin's
 * arguments ({@link io.weighbridge.maven.TestPlugins});
 * {@link io.weighbridge.maven.ReportMojo} writes what the recordings say and {@link io.weighbridge.maven.CheckMojo}
 * holds them to budgets. {@link io.weighbridge.maven.InstrumentJarMojo} rewrites what was
 * packaged.
 *
 * <p>{@link io.weighbridge.maven.Cli} finds the binary; what the plugin of Gradle does in the same way is in
 * {@code io.weighbridge.build}.
 *
 * <p>Every goal may run in parallel with those of other modules: what they share is the binary and Maven's model.
 */
package io.weighbridge.maven;
