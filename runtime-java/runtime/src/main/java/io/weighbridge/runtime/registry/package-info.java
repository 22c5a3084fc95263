/**
 * The sweep: turns counters and references into figures after collections, and keeps both within bounds. Its lock is
 * {@link io.weighbridge.runtime.registry.Registry#lock}; the program's threads never take it.
 */
package io.weighbridge.runtime.registry;
