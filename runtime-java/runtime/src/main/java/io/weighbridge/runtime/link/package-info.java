/**
 * Reads the tables of rewritten jars (docs/probe-contract.md, "The table").
 *
 * <p>Uses no other package of the runtime.
 */
package io.weighbridge.runtime.link;
