package com.acme.hostile;

/** Loaded late. */
final class HolderPart {
    HolderPart() {
    }
}
