/** A program that runs until its standard input ends; with {@code -javaagent} or attached to, it says so. */
public class Waiting {
    public static void main(String[] arguments) throws Exception {
        System.out.println("waiting");
        while (System.in.read() != -1) {
        }
        System.out.println("done");
    }

    public static void agentmain(String options) {
        System.out.println("attached with " + options);
    }
}
