package io.weighbridge.runtime.control;

import io.weighbridge.runtime.probe.Inside;
import io.weighbridge.runtime.shortage.Shortage;
import java.util.function.IntToLongFunction;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import java.util.function.Supplier;

/** What the probes of named methods call (docs/probe-contract.md, "Work"). Nothing is thrown but what a gate refuses. */
final class WorkProbes implements IntToLongFunction, LongConsumer, LongPredicate {
    /** Gives null while memory shortages are not watched. */
    private final Supplier<Shortage> current;

    WorkProbes(Supplier<Shortage> current) {
        this.current = current;
    }

    /** A method is entered; gives the number of its work. */
    @Override
    public long applyAsLong(int id) {
        Shortage shortage = current.get();
        if (shortage == null) {
            return 0;
        }
        int entered = Inside.enter();
        try {
            return shortage.enter(id);
        } finally {
            Inside.leave(entered);
        }
    }

    /** A method ends, by a return or an exception. */
    @Override
    public void accept(long number) {
        Shortage shortage = current.get();
        if (shortage != null) {
            int entered = Inside.enter();
            try {
                shortage.leave(number);
            } finally {
                Inside.leave(entered);
            }
        }
    }

    /** A method has met an {@code OutOfMemoryError}: whether it is to run again. */
    @Override
    public boolean test(long number) {
        Shortage shortage = current.get();
        return shortage != null && shortage.again(number);
    }
}
