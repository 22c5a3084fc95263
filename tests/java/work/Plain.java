/** Calls each method of {@link Worker} that ends, and prints what it gives. */
public final class Plain {
    private Plain() {
    }

    public static void main(String[] arguments) {
        Worker worker = new Worker(4);
        System.out.println(worker.wide(1L << 40, 1.5, "abc", new int[] {2, 0, 3}));
        System.out.println(Worker.nested(2) + " " + Worker.nested(0));
        System.out.println(Worker.switches(17) + " " + Worker.switches(2));
        System.out.println(worker.locked(3) + " " + worker.block(4) + " " + worker.isFree());
        System.out.println(Worker.fails("x") + " " + Worker.changes(5) + " " + Worker.caught(6));
        try {
            Worker.fails("");
        } catch (IllegalArgumentException e) {
            System.out.println(e);
        }
        System.out.println(Worker.recursive(3) + " " + worker.described(7) + " " + Task.counted(8));
    }
}
