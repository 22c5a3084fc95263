package io.weighbridge.runtime.trace;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** The program's frames on the current stack, innermost first, without the constructors of the object that was just made. */
final class Stacks implements Function<Stream<StackWalker.StackFrame>, List<StackWalker.StackFrame>> {
    private static final StackWalker WALKER = StackWalker.getInstance();
    private static final String RUNTIME = Stacks.class.getPackageName() + ".";
    private final int most;

    private Stacks(int most) {
        this.most = most;
    }

    static List<StackWalker.StackFrame> here(int most) {
        return WALKER.walk(new Stacks(most));
    }

    @Override
    public List<StackWalker.StackFrame> apply(Stream<StackWalker.StackFrame> stack) {
        List<StackWalker.StackFrame> frames = new ArrayList<>(most);
        boolean inProbe = true;
        Iterator<StackWalker.StackFrame> it = stack.iterator();
        while (frames.size() < most && it.hasNext()) {
            StackWalker.StackFrame frame = it.next();
            // Of an object of a constructor that is called first in a thread nothing is left out.
            boolean isOurs = inProbe && (isProbe(frame.getClassName()) || frame.getMethodName().equals("<init>") && it.hasNext());
            inProbe &= isOurs;
            if (!isOurs) {
                frames.add(frame);
            }
        }
        return frames;
    }

    /** By the names of the runtime and of the bridges (docs/probe-contract.md). */
    private static boolean isProbe(String type) {
        return type.startsWith(RUNTIME) || type.startsWith("java.lang.Weighbridge$");
    }
}
