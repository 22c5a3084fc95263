/** Prints when each twelfth of a program's work is done, so that its start can be measured separately. */
final class Progress {
    private static final int PARTS = 12;
    private final long total;
    private int told;

    Progress(long total) {
        this.total = total;
        OneWeakReference.startIfAsked();
    }

    void done(long steps) {
        while (told < PARTS && steps * PARTS >= total * (told + 1)) {
            told++;
            System.out.println("part " + told + "/" + PARTS);
        }
    }
}
