/**
 * Reads the tables of rewritten jars (docs/probe-contract.md, "The table").
 *
 * <p>Internal: what is public here is so for other packages of the runtime, and may change with any version.
 * Uses no other package of the runtime.
 */
package io.weighbridge.runtime.link;
