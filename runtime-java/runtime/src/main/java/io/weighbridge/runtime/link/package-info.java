/**
 * Reads the tables of rewritten jars (docs/probe-contract.md, "The table").
 */
package io.weighbridge.runtime.link;
