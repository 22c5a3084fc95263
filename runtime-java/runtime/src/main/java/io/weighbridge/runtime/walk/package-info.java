/**
 * What the registered objects hold: the walk over the heap, its labels, and the measurement made from it.
 */
package io.weighbridge.runtime.walk;
