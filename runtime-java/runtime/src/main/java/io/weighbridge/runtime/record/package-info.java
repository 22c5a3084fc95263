/**
 * Writes measurements into the recording (docs/recording-format.md), and heap dumps with the program's component nodes.
 */
package io.weighbridge.runtime.record;
