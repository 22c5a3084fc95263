/** An agent that does nothing: what any agent costs a program. */
public final class EmptyAgent {
    private EmptyAgent() {
    }

    public static void premain(String arguments) {
    }
}
