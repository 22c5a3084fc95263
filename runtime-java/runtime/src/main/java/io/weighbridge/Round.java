package io.weighbridge;

/**
 * One round of {@link Weighbridge#roundTrip}: an operation that should leave nothing behind, such as to log in and out.
 *
 * @param <E> what it throws
 */
@FunctionalInterface
public interface Round<E extends Exception> {
    /** Does it once. */
    void run() throws E;
}
