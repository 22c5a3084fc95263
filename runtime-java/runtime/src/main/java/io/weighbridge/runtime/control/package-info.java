/**
 * Starts the runtime, resolves its options, sweeps and measures when it is time, and ends it.
 */
package io.weighbridge.runtime.control;
