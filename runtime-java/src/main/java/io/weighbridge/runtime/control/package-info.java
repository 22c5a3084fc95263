/**
 * Starts the runtime, resolves its options, has it sweep and measure when it is time, and ends it.
 *
 * <p>Internal: what is public here is so for other packages of the runtime, and may change with any version.
 * May use all other packages of the runtime, but not the entrances in {@code io.weighbridge.runtime}.
 */
package io.weighbridge.runtime.control;
