/**
 * What the plugins of Maven and Gradle share: finding the {@code weighbridge} binary and running its verbs.
 *
 * <p>It is no artefact of its own: each plugin compiles these sources into its jar. It knows neither Maven nor Gradle.
 *
 * <p>In run order: {@link io.weighbridge.build.SearchPath} looks for an installed binary; without one the plugin resolves
 * {@link io.weighbridge.build.CliArtifact}, which {@link io.weighbridge.build.ExecutableCopy} makes executable.
 * {@link io.weighbridge.build.Binary} runs verbs: {@code instrument} on {@link io.weighbridge.build.Sources} (its
 * {@link io.weighbridge.build.Summary}), {@code check} ({@link io.weighbridge.build.Budgets}).
 * {@link io.weighbridge.build.Coverage} keeps what JaCoCo recorded of rewritten classes.
 */
package io.weighbridge.build;
