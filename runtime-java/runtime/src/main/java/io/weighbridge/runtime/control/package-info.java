/**
 * Starts the runtime, resolves its options, sweeps and measures when it is time, and ends it.
 *
 * <p>May use all other packages of the runtime, but not the entrances in {@code io.weighbridge.runtime}.
 */
package io.weighbridge.runtime.control;
