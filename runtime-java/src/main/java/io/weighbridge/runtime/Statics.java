package io.weighbridge.runtime;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The classes of the runtime that have static state, for {@link OwnWeight}.
 */
final class Statics {
    private static final Class<?>[] ALWAYS = {AllocationSites.class, Budget.class, ClassTable.class, CollectionClock.class,
        ComponentNodes.class, FieldAccess.class, FreshList.class, InstrumentationHandle.class,
        Management.class, NearestClass.class, Notices.class,
        ObjectSizes.class, Options.class, Registry.class, Stripes.class, Tags.class, ThreadNames.class};
    /** Initialised by the first link. */
    private static final Class<?>[] LINKED = {Claims.class, CopiedClasses.class};

    private Statics() {
    }

    /** Those that are initialised. */
    static List<Class<?>> initialised() {
        List<Class<?>> all = new ArrayList<>();
        Collections.addAll(all, ALWAYS);
        if (ClassTable.size() > 0) {
            Collections.addAll(all, LINKED);
        }
        return all;
    }
}
