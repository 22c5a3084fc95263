/**
 * Reads the tables of rewritten jars (docs/probe-contract.md, "The table") and enters their classes.
 *
 * <p>Internal: what is public here is so for other packages of the runtime, and may change with any version.
 * May use {@code probe} and {@code jvm}.
 */
package io.weighbridge.runtime.link;
