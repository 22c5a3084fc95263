/**
 * Names and numbers that Rust code knows too: options, and whatever else {@code runtime-java/contract} has. The classes with the
 * values are made of that.
 */
package io.weighbridge.runtime.contract;
