package com.acme.truth.zoo;

/** A link of a long list: a recursive walk over it would overflow the stack. */
public final class Node {
    private final int value;
    private final Node next;

    public Node(int value, Node next) {
        this.value = value;
        this.next = next;
    }

    public int sum() {
        int sum = 0;
        for (Node node = this; node != null; node = node.next) {
            sum += node.value;
        }
        return sum;
    }
}
