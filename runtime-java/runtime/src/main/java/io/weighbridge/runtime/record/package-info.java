/**
 * Writes measurements into the recording (docs/recording-format.md), and heap dumps with the program's component nodes.
 *
 * <p>May use {@code walk}, {@code registry}, {@code probe}, {@code link} and {@code jvm}.
 */
package io.weighbridge.runtime.record;
