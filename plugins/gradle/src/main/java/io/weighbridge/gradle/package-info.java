/**
 * The plugin {@code io.weighbridge} of Gradle, which calls the {@code weighbridge} binary.
 *
 * <p>In run order: {@link io.weighbridge.gradle.WeighbridgePlugin} adds the block {@code weighbridge} and the tasks, and
 * {@link io.weighbridge.gradle.CliFile} finds the binary. For each task of type {@code Test}
 * ({@link io.weighbridge.gradle.WeighedTests}) an {@link io.weighbridge.gradle.InstrumentTask} rewrites its class path,
 * {@link io.weighbridge.gradle.Rewritten} puts the result there instead of the originals, and
 * {@link io.weighbridge.gradle.AgentArguments} lets the test JVMs record; {@link io.weighbridge.gradle.KeptCoverage}
 * keeps what JaCoCo recorded. {@link io.weighbridge.gradle.ReportTask} writes what the recordings say and
 * {@link io.weighbridge.gradle.CheckTask} holds them to budgets.
 *
 * <p>When tasks run they know files and values only, no project: the configuration cache keeps them. What the plugin of
 * Maven does in the same way is in {@code io.weighbridge.build}.
 */
package io.weighbridge.gradle;
