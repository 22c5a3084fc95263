/** An agent that does nothing, to measure the cost of any agent. */
public final class EmptyAgent {
    private EmptyAgent() {
    }

    public static void premain(String arguments) {
    }
}
