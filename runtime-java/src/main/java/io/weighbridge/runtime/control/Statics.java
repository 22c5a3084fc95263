package io.weighbridge.runtime.control;

import io.weighbridge.runtime.jvm.FieldAccess;
import io.weighbridge.runtime.jvm.InstrumentationHandle;
import io.weighbridge.runtime.jvm.Management;
import io.weighbridge.runtime.jvm.Notices;
import io.weighbridge.runtime.jvm.ObjectSizes;
import io.weighbridge.runtime.probe.AllocationSites;
import io.weighbridge.runtime.probe.Budget;
import io.weighbridge.runtime.probe.Claims;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.CopiedClasses;
import io.weighbridge.runtime.probe.FreshList;
import io.weighbridge.runtime.probe.NearestClass;
import io.weighbridge.runtime.probe.Stripes;
import io.weighbridge.runtime.probe.Tags;
import io.weighbridge.runtime.probe.ThreadNames;
import io.weighbridge.runtime.record.ComponentNodes;
import io.weighbridge.runtime.registry.CollectionClock;
import io.weighbridge.runtime.registry.Registry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The classes of the runtime that have static state, for {@code OwnWeight}.
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
