/**
 * What the registered objects hold: the walk over the heap, its labels, and the measurement that is made of it.
 *
 * <p>Internal: what is public here is so for other packages of the runtime, and may change with any version.
 * May use {@code registry}, {@code probe} and {@code jvm}.
 */
package io.weighbridge.runtime.walk;
