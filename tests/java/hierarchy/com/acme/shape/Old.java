package com.acme.shape;

/** Too old to name itself. */
public class Old {
}
