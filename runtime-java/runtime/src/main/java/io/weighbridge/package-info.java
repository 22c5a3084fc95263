/** What a program or an operator may call: {@link io.weighbridge.Weighbridge} and the managed bean. */
package io.weighbridge;
