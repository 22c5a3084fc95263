/**
 * Asks the runtime whether requests and tasks may begin while memory is short (docs/admission.md). The runtime is looked up by
 * name: without it everything begins at once, and nothing fails.
 */
package io.weighbridge.admission;
