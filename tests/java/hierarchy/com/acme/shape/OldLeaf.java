package com.acme.shape;

/** As old as its superclass. */
public class OldLeaf extends Old {
}
