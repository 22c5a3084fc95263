package com.acme.truth.zoo;

/** Arrays of arrays, primitive and not, empty and not. */
public final class Grid {
    private final int[][] cells;
    private final Object[] mixed;
    private final double[] none = {};

    public Grid(int rows, int columns) {
        cells = new int[rows][columns];
        mixed = new Object[] {cells, null, "text", new char[columns], new boolean[rows], new short[1], new float[3], none};
    }

    public int size() {
        return cells.length + mixed.length;
    }
}
