package io.weighbridge;

/** Stands for the runtime's. */
public final class Cancelled extends Error {
}
