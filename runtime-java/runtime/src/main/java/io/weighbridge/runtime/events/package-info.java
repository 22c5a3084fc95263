/**
 * The trace of every event (docs/event-trace.md): takes what the probes have written and writes the file, with the classes that the
 * events name. The probes themselves are in a class of the boot loader ({@code src/events}).
 *
 * <p>What probes call here runs on the program's threads, in the middle of anything. It calls only the JVM and simple classes of
 * the JDK, and waits for the file if that is slower than the program: no event is lost.
 */
package io.weighbridge.runtime.events;
