/**
 * Traces on demand (docs/traces.md): counts and times of calls, lines that were reached, and objects from their construction to
 * their collection. Without the native agent's probes nothing here runs.
 */
package io.weighbridge.runtime.trace;
