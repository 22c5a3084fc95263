package com.acme.shape;

/** Its class file is too old to name its own class. */
public class Old {
}
