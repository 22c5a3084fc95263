package com.acme.shape;

/** As old, below one that is. */
public class OldLeaf extends Old {
}
