/** Calls of work that end in all ways, and what the bridge's receivers see of them. */
public final class Work {
    private Work() {
    }

    public static void main(String[] arguments) throws ReflectiveOperationException {
        Ledger.link();
        Ledger.say("", () -> "linked");
        Worker worker = new Worker(4);
        int[] counts = {2, 0, 3};
        Ledger.say("returns", () -> worker.wide(1L << 40, 1.5, "abc", counts));
        Ledger.say("throws", () -> Worker.fails(""));
        Ledger.say("throws by itself", () -> worker.wide(1, 1, null, counts));
        Ledger.say("recursive", () -> Worker.recursive(3));

        Ledger.say("runs again", () -> failing(2) + worker.wide(1L << 40, 1.5, "abc", counts));
        Ledger.say("runs again in a handler", () -> failing(2) + Worker.nested(0));
        Ledger.say("runs again with a switch", () -> failing(2) + Worker.switches(17));
        Ledger.say("runs again locked", () -> failing(2) + worker.locked(3) + " " + worker.isFree());
        Ledger.say("runs again in a block", () -> failing(2) + worker.block(4) + " " + worker.isFree());
        Ledger.say("runs again by default", () -> failing(2) + worker.described(7));
        Ledger.again = 1;
        Ledger.say("gives up", () -> failing(3) + worker.locked(3));
        Ledger.say("is free", () -> failing(0) + worker.isFree());
        Ledger.say("changes its argument", () -> failing(1) + Worker.changes(5));
        Ledger.say("catches it itself", () -> failing(1) + Worker.caught(6));

        Ledger.passes = 500;
        Ledger.say("endless", () -> {
            Worker.endless();
            return "";
        });
        System.out.println("endless, cancelled while it runs: " + Ledger.cancelsLater(Worker::endless));
        Ledger.passes = 0;
        Ledger.say("cancelled at entry", () -> Worker.recursive(3));
        Ledger.passes = 4;
        Ledger.say("cancelled in an interface", () -> Task.counted(8));
        Ledger.passes = 2;
        Ledger.say("cancelled in a loop of a handler", () -> Worker.nested(0));
        Ledger.admitted = 2;
        Ledger.say("refused", () -> Worker.recursive(3));
    }

    private static String failing(int times) {
        Worker.failures = times;
        return "";
    }
}
