package io.weighbridge.runtime.walk;

import io.weighbridge.runtime.jvm.HeapUse;
import io.weighbridge.runtime.probe.ClassEntry;
import io.weighbridge.runtime.probe.ClassTable;
import io.weighbridge.runtime.probe.Origin;
import io.weighbridge.runtime.probe.Tags;
import io.weighbridge.runtime.registry.AgeBuckets;
import io.weighbridge.runtime.registry.Census;
import io.weighbridge.runtime.registry.Markings;
import io.weighbridge.runtime.registry.Population;
import io.weighbridge.runtime.registry.Registry;
import io.weighbridge.runtime.registry.SweptClass;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Predicate;

/**
 * One measurement: counts, populations and, unless the walk had to stop, what they hold.
 *
 * <p>Made and read by one thread.
 */
public final class Measurement {
    /** A walk that has no memory is begun again with one in so many of its roots, until one in so many is left. */
    private static final int FEWER_ROOTS = 4;
    private static final int FEWEST_ROOTS = 1 << 12;
    /** By class id: objects of which the runtime knows, constructed or not. */
    public final long[] allocated;
    /** By class id, of {@link #allocated}: those that existed before the native agent came, and that no constructor announced. */
    public long[] before;
    public long[] unannounced;
    /** Of the tracked classes with something allocated, in the order of their ids: the root classes. */
    public final List<Population> populations = new ArrayList<>();
    /** Shallow bytes, side by side with the populations. */
    public long[] shallow;
    /** By class id: shallow bytes of an instance of the class itself; not above 0 where that is not known. */
    public long[] instanceBytes;
    /** By ordinal; {@link OwnLabels#NO_COMPONENT} last, if it occurs. */
    public final List<String> components = new ArrayList<>();
    /** For each population, its component's ordinal. */
    public int[] componentOf;
    /** Components of the configuration: the first of {@link #components}. */
    public int named;
    /** Null if the sizes of objects could not be asked. */
    public Origins origins;
    /** A full marking is known. If none is, every figure of objects is at most so high: dead ones may be among them. */
    public boolean isMarked;
    /** When the last one began, by {@link System#nanoTime}. */
    public long markedNs;
    /** When it had certainly begun. */
    public long markedUntilNs;
    /** When the objects were counted, in the same way. */
    private final long countedNs = System.nanoTime();
    /** By class id: constructed since the last collection that was seen. */
    public long[] sinceCollection;
    /** By class id: constructed between the last collection that was seen and the one before. */
    public long[] lastCycle;
    /** The walk began at one in so many roots of each class, for it had no memory for more: deep bytes are then lower bounds. */
    public int rootsEvery = 1;
    /** Null if the walk stopped. */
    public Attribution held;
    /** Null if the walk stopped. */
    public OwnBytes own;
    /** Why the walk stopped, or null. */
    public String stopped;
    /** Objects that the walk met. */
    public long walkedObjects;
    /** Wall-clock time of weighing and walking. */
    public long walkNs;
    /** By root class: objects of the class itself that the walk met, tracked or not. Null if the walk stopped. */
    public long[] met;
    /** Objects met of classes with references that could not be read. */
    public long closedObjects;
    /** By root class: null for those that were not examined. Null if holders are not kept. */
    public HolderChains[] holders;
    /** What a heap dump was read for; null if the figures are those of a walk. */
    public DumpFigures dump;
    /** By root class, if a dump was read: what holds its objects, in JSON; null for those that were not examined. */
    public String[] dumpedHolders;
    /** How long the program was stopped for the dump, at most. */
    public long dumpNs;
    /** Bytes of the live objects if the JVM has counted them; else the used heap before the walk, whose memory is garbage soon. */
    public final long heapUsed;
    /** Bytes of heap that the JVM has taken from the system. */
    public final long heapCommitted;
    /** Of the used heap, what the runtime itself holds. */
    public final long ownWeight;

    private final InstanceBytes instances;

    private Measurement(long[] allocated, long ownWeight, Census census, InstanceBytes instances) {
        this.allocated = allocated;
        this.ownWeight = ownWeight;
        this.instances = instances;
        instanceBytes = instances.known(allocated.length);
        heapUsed = census != null ? census.totalBytes : HeapUse.used();
        // It may have shrunk meanwhile.
        heapCommitted = Math.max(heapUsed, Runtime.getRuntime().totalMemory());
    }

    /**
     * Sweeps and counts, with the JVM's own count if there is one. Needs no walk, no lock of the program's and no class of its
     * loaders. {@code statics}: as in {@link OwnWeight#measure}; {@code filter}: the classes that are wanted. It holds tracked
     * objects: {@link Registry#hold} comes before. {@code onlyMarked}: what lived at the last full marking, if one is known.
     * {@code forDump}: a heap dump will say more, also of classes that nothing was constructed of: see {@link #read}.
     */
    public static Measurement count(Registry registry, AgeBuckets buckets, Census census, InstanceBytes instances,
            List<Class<?>> statics, Predicate<ClassEntry> filter, boolean onlyMarked, boolean forDump) {
        Measurement m;
        registry.lock();
        try {
            registry.sweep(registry.clock.tick(false));
            if (census != null) {
                census.assign(registry);
                census.calibrate(registry);
            }
            m = new Measurement(registry.allocated(), OwnWeight.measure(statics), census, instances);
            m.takeCycles(registry);
            long marking = onlyMarked ? registry.clock.markings.number() : Markings.NONE;
            m.isMarked = marking != Markings.NONE;
            m.markedNs = registry.clock.markings.ns();
            m.markedUntilNs = registry.clock.markings.latestNs();
            long[] byGroup = registry.allocatedByGroup();
            m.origins = new Origins(byGroup);
            for (ClassEntry entry : ClassTable.entries()) {
                boolean wanted = filter.test(entry);
                if (!wanted) {
                    m.leaveOut(entry);
                }
                if (entry.live && entry.id < m.allocated.length && (m.allocated[entry.id] > 0 || wanted && forDump)) {
                    m.populations.add(new Population(registry, entry, buckets, m.allocated[entry.id], census, marking));
                }
            }
        } finally {
            registry.unlock();
        }
        m.assignComponents();
        return m;
    }

    /** Milliseconds since the objects were counted. */
    public long agoMs() {
        return (System.nanoTime() - countedNs) / 1_000_000;
    }

    private void leaveOut(ClassEntry entry) {
        if (entry.id < allocated.length) {
            allocated[entry.id] = 0;
        }
    }

    /** Weighs and walks what was counted; {@code holders}: also finds what holds the objects of the largest classes. */
    public Measurement reach(Shapes shapes, WalkLimits limits, boolean holders) {
        long start = System.nanoTime();
        try {
            weigh(shapes);
            walkWithin(shapes, limits, holders);
        } catch (WalkStopped reason) {
            stopped = reason.getMessage();
        } catch (OutOfMemoryError e) {
            stopped = "out of memory";
        }
        walkNs = System.nanoTime() - start;
        return this;
    }

    /** Combinations of tags that counted objects have, by rising id; none if there are very many. */
    public int[] tagsInUse() {
        BitSet used = new BitSet();
        for (Population p : populations) {
            for (int origin : p.origins) {
                used.set(Origin.tags(origin));
            }
        }
        used.clear(Tags.NONE);
        int[] tags = new int[used.cardinality()];
        for (int id = used.nextSetBit(0), n = 0; id >= 0; id = used.nextSetBit(id + 1)) {
            tags[n++] = id;
        }
        return tags.length > OwnLabels.MOST_TAGS ? new int[0] : tags;
    }

    /** Weighs what was counted, and fills in the figures of a heap dump that was written right before. */
    public void read(DumpFigures figures, boolean collected, int[] tags, Shapes shapes, long stoppedNs, long tookNs) {
        List<Population> all = new ArrayList<>(populations);
        int[] rows = new int[all.size()];
        int n = 0;
        long[] live = figures.ofRows(0);
        long[] bytes = figures.ofRows(1);
        populations.clear();
        for (int row = 0; row < rows.length; row++) {
            Population p = all.get(row);
            int id = p.entry.id;
            if (live[row] > 0 || allocated[id] > 0) {
                p.found(live[row], bytes[row], collected);
                // Nobody has announced those beyond what was constructed.
                long more = Math.max(0, live[row] - allocated[id]);
                allocated[id] += more;
                unannounced[id] += more;
                populations.add(p);
                rows[n++] = row;
            }
        }
        rows = Arrays.copyOf(rows, n);
        components.clear();
        assignComponents();
        weigh(shapes);
        own = new OwnBytes(figures, rows, components.size(), tags);
        met = DumpFigures.at(live, rows);
        dumpedHolders = new String[n];
        for (int i = 0; i < n; i++) {
            dumpedHolders[i] = figures.holders[rows[i]];
        }
        held = new Attribution(figures, rows, components.size());
        walkedObjects = figures.reachedObjects();
        dump = figures;
        dumpNs = stoppedNs;
        walkNs = tookNs;
    }

    /**
     * Walks from all roots, and if there is no memory for that, from fewer. Where even the fewest reach too much, the objects
     * hang together: then from all of them in what else the heap has to spare.
     */
    private void walkWithin(Shapes shapes, WalkLimits limits, boolean holders) {
        if (full(1, shapes, limits, holders) == null) {
            return;
        }
        long room = walkedObjects;
        WalkStopped full = full(FEWEST_ROOTS, shapes, limits, holders);
        if (full == null) {
            for (int every = FEWER_ROOTS; every < FEWEST_ROOTS; every *= FEWER_ROOTS) {
                if (roots(every) < room && full(every, shapes, limits, holders) == null) {
                    return;
                }
            }
            rootsEvery = FEWEST_ROOTS;
        } else {
            rootsEvery = 1;
            if (!limits.takeWhatIsFree()) {
                throw full;
            }
        }
        walk(shapes, limits, holders);
    }

    private long roots(int every) {
        long roots = 0;
        for (Population p : populations) {
            roots += (p.objects.length + every - 1) / every;
        }
        return roots;
    }

    /** Walks from one in so many roots. Gives the reason if there is no memory for that, else null. */
    private WalkStopped full(int every, Shapes shapes, WalkLimits limits, boolean holders) {
        rootsEvery = every;
        try {
            walk(shapes, limits, holders);
            return null;
        } catch (WalkStopped full) {
            if (!full.needsMemory) {
                throw full;
            }
            return full;
        }
    }

    private void takeCycles(Registry registry) {
        sinceCollection = new long[allocated.length];
        lastCycle = new long[allocated.length];
        before = new long[allocated.length];
        unannounced = new long[allocated.length];
        for (ClassEntry e : ClassTable.entries()) {
            if (e.id < allocated.length) {
                SweptClass s = registry.of(e);
                sinceCollection[e.id] = allocated[e.id] - s.atCollection;
                lastCycle[e.id] = s.lastCycle;
                before[e.id] = e.before();
                unannounced[e.id] = e.unannounced();
            }
        }
    }

    private void assignComponents() {
        components.addAll(ClassTable.components());
        named = components.size();
        componentOf = new int[populations.size()];
        boolean none = false;
        for (int rootClass = 0; rootClass < componentOf.length; rootClass++) {
            int component = components.indexOf(populations.get(rootClass).entry.component);
            none |= component < 0;
            componentOf[rootClass] = component < 0 ? components.size() : component;
        }
        if (none) {
            components.add(OwnLabels.NO_COMPONENT);
        }
    }

    private void weigh(Shapes shapes) {
        long[] bytes = new long[populations.size()];
        for (int rootClass = 0; rootClass < bytes.length; rootClass++) {
            bytes[rootClass] = origins.add(populations.get(rootClass), shapes);
        }
        shallow = bytes;
        instanceBytes = instances.learn(populations, allocated, shapes);
    }

    private void walk(Shapes shapes, WalkLimits limits, boolean keepHolders) {
        int[] rootClassOf = new int[allocated.length];
        Arrays.fill(rootClassOf, -1);
        for (int rootClass = 0; rootClass < componentOf.length; rootClass++) {
            rootClassOf[populations.get(rootClass).entry.id] = rootClass;
        }
        RootClassSets sets = new RootClassSets();
        int[] tagIds = origins.tagIds(OwnLabels.MOST_TAGS);
        OwnLabels labels = new OwnLabels(rootClassOf, componentOf, components, tagIds.length);
        Walk walk = new Walk(shapes, limits, sets, labels, rootClassOf, Walk.table(keepHolders));
        int[] roots = new int[componentOf.length + 1];
        int[] begun = new int[componentOf.length];
        try {
            for (int rootClass = 0; rootClass < componentOf.length; rootClass++) {
                roots[rootClass] = walk.met.size();
                Population p = populations.get(rootClass);
                int[] tags = tagIds.length == 0 ? null : Origins.tags(p.origins, tagIds);
                walk.from(p.objects, rootsEvery, rootClass, tags);
                begun[rootClass] = (p.objects.length + rootsEvery - 1) / rootsEvery;
            }
            roots[componentOf.length] = walk.met.size();
            walk.run();
            own = new OwnBytes(walk.own, labels, componentOf.length, components, tagIds);
            met = walk.untracked;
            for (int rootClass = 0; rootClass < componentOf.length; rootClass++) {
                Population p = populations.get(rootClass);
                met[rootClass] += begun[rootClass];
                // Of an exact class all live objects are roots. If more were met, the program has just made them.
                if (!p.exact || rootsEvery > 1) {
                    own.scale(rootClass, componentOf[rootClass], met[rootClass], p.number);
                }
            }
            // Last: with it the measurement has its sizes, all or none.
            held = new Attribution(walk.deep, sets, componentOf, components.size());
            if (keepHolders) {
                holders = chains(walk, shapes, roots);
            }
        } finally {
            walkedObjects = walk.deep.objectsOfAll();
            closedObjects = walk.closedObjects();
        }
    }

    private HolderChains[] chains(Walk walk, Shapes shapes, int[] roots) {
        Integer[] largest = new Integer[componentOf.length];
        Arrays.setAll(largest, rootClass -> rootClass);
        Arrays.sort(largest, (a, b) -> Long.compare(held.deepBytes[b], held.deepBytes[a]));
        HolderChains[] chains = new HolderChains[componentOf.length];
        for (int i = 0; i < largest.length && i < HolderChains.CLASSES; i++) {
            int rootClass = largest[i];
            if (roots[rootClass] < roots[rootClass + 1]) {
                chains[rootClass] = HolderChains.of(walk, shapes, roots[rootClass], roots[rootClass + 1]);
            }
        }
        return chains;
    }
}
