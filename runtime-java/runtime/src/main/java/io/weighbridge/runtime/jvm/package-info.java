/**
 * Asks the JVM: object sizes, the fields of any class, addresses, flags, the class histogram, the collectors' beans, the
 * process. Tells the operator what went wrong ({@link io.weighbridge.runtime.jvm.Notices}).
 */
package io.weighbridge.runtime.jvm;
