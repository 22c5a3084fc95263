/**
 * The probes, and what they look up: the counters of a thread, the instrumented classes by id, the nearest instrumented
 * class of another, the weak references that they register, and who constructed what.
 *
 * <p>The common path ({@link io.weighbridge.runtime.probe.LiveProbe}, {@link io.weighbridge.runtime.probe.CountProbe},
 * {@link io.weighbridge.runtime.probe.LiveOthersProbe}, {@link io.weighbridge.runtime.probe.CountOthersProbe}) is inlined
 * into the program's constructors: what is in there costs every construction.
 */
package io.weighbridge.runtime.probe;
