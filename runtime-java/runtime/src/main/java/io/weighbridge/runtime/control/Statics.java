package io.weighbridge.runtime.control;

import io.weighbridge.runtime.contract.RuntimeOptions;
import io.weighbridge.runtime.events.EventLog;
import io.weighbridge.runtime.jvm.FieldAccess;
import io.weighbridge.runtime.jvm.InstrumentationHandle;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.jvm.ObjectSizes;
import io.weighbridge.runtime.jvm.PauseBudget;
import io.weighbridge.runtime.jvm.Reserve;
import io.weighbridge.runtime.probe.AllocationSites;
import io.weighbridge.runtime.probe.Budget;
import io.weighbridge.runtime.probe.ClassEntry;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.FreshList;
import io.weighbridge.runtime.probe.NearestClass;
import io.weighbridge.runtime.probe.Stripes;
import io.weighbridge.runtime.probe.Tags;
import io.weighbridge.runtime.probe.Thinning;
import io.weighbridge.runtime.probe.ThreadNames;
import io.weighbridge.runtime.record.ComponentNodes;
import io.weighbridge.runtime.trace.Traces;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The classes of the runtime that have static state, and why. Everything else hangs on the one {@link Session}.
 *
 * <p>In {@code probe}: the program's constructors call probes, and to load state from a probe's fields would be one more load
 * for each construction. So the arrays of the common path are static ({@link Stripes}, the tables of {@link NearestClass}),
 * and so is what registering reaches from there: the class table, its entries, the budget, the lists of new references, tags, groups of
 * threads and the call tree of sites.
 *
 * <p>In {@code jvm}: what is found out once and is the same for everybody ({@link FieldAccess}, {@link ObjectSizes},
 * {@link Management}, {@link InstrumentationHandle}), what stops have taken in this JVM ({@link PauseBudget}), what is kept for
 * the end ({@link Reserve}), and {@link Notices}, which must work before anything has started.
 *
 * <p>{@link Traces}: as in {@code probe}, for the probes of traces.
 *
 * <p>{@link EventLog}: whoever knows what happens beside the probes notes it there.
 *
 * <p>{@link ComponentNodes}: the program may name objects before anything has started. {@code Life}: the agent, the bridges
 * and the program call static methods; {@code Measuring}, which is above this package: whom the program calls.
 *
 * <p>{@link RuntimeOptions} has lists of constants.
 */
final class Statics {
    private static final Class<?>[] ALL_OTHERS = {AllocationSites.class, Budget.class, ClassEntry.class, ClassTable.class,
        ComponentNodes.class, EventLog.class, FieldAccess.class, FreshList.class, InstrumentationHandle.class, Management.class, NearestClass.class,
        Notices.class, ObjectSizes.class, PauseBudget.class, Reserve.class, RuntimeOptions.class, Stripes.class, Tags.class,
        Thinning.class, ThreadNames.class, Traces.class};

    private Statics() {
    }

    /** All of them; {@code others}: {@code Life}, which knows this class, and those above this package. */
    static List<Class<?>> with(Class<?>... others) {
        List<Class<?>> all = new ArrayList<>();
        Collections.addAll(all, others);
        Collections.addAll(all, ALL_OTHERS);
        return all;
    }
}
