/**
 * What the registered objects hold: the walk over the heap, its labels, and the measurement made from it.
 *
 * <p>May use {@code registry}, {@code probe} and {@code jvm}.
 */
package io.weighbridge.runtime.walk;
