/** The filter for servers whose servlet API is {@code javax.servlet}. */
package io.weighbridge.admission.javax;
