/**
 * Control on memory shortage (docs/shortage.md): looks whether memory runs short, finds who holds it, and cancels what the
 * policy permits. Nothing here is used unless the option {@code shortage} asks for it.
 */
package io.weighbridge.runtime.shortage;
