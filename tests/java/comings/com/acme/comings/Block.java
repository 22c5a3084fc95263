package com.acme.comings;

/** What the program holds; its constructor is rewritten. */
final class Block {
    final byte[] bytes;

    Block(byte[] bytes) {
        this.bytes = bytes;
    }
}
