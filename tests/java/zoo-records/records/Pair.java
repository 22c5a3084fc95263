package records;

/** A record for the zoo. */
public record Pair(Object first, Object second, int number) {
}
