/**
 * The runtime inside the program's JVM: counts, samples, measures, records.
 *
 * <h2>The way of an object</h2>
 * A rewritten constructor calls its jar's bridge, the bridge one of two probes ({@link
 * io.weighbridge.runtime.probe.LiveProbe}, {@link io.weighbridge.runtime.probe.CountProbe}), which it got from {@link
 * io.weighbridge.runtime.Linker} (docs/probe-contract.md). The probe counts in its thread's {@link
 * io.weighbridge.runtime.probe.Stripe} and, when it is the object's turn, puts a weak reference into its class's {@link
 * io.weighbridge.runtime.probe.ClassEntry}. After collections the {@link io.weighbridge.runtime.control.Ticker} has the {@link
 * io.weighbridge.runtime.registry.Registry} sweep. A {@link io.weighbridge.runtime.walk.Measurement} takes every class's {@link
 * io.weighbridge.runtime.registry.Population}, {@link io.weighbridge.runtime.walk.Walk}s over what it holds, and becomes a line of the
 * recording (docs/recording-format.md) through the {@link io.weighbridge.runtime.control.Session}.
 *
 * <h2>Packages</h2>
 * This one has the three classes that are called from outside, by name: {@link io.weighbridge.runtime.Agent} by the JVM,
 * {@link io.weighbridge.runtime.Linker} by the bridges of rewritten jars, {@link io.weighbridge.runtime.Measuring} by the
 * API in {@code io.weighbridge}. Their names are part of what jars that are rewritten already rely on. Everything else is
 * internal, public or not: it may change with any version, and the jar's packages are sealed. What a package may use:
 * <pre>
 * control   starts, measures, ends; options              record, walk, registry, probe, link, jvm
 * record    writes the recording and heap dumps          walk, registry, probe, link, jvm
 * walk      what the registered objects hold             registry, probe, jvm
 * registry  the sweep: from counters to figures          probe, jvm
 * probe     counts and registers; what it looks up       link, jvm
 * link      reads the tables of rewritten jars           nothing of ours
 * jvm       asks the JVM                                 nothing of ours
 * </pre>
 * Where there is static state, and why, is said at {@code control.Statics}.
 *
 * <h2>Heap dumps</h2>
 * A {@link io.weighbridge.runtime.record.HeapDump}, at a peak or on request, has {@link io.weighbridge.runtime.record.ComponentNode}s
 * in it: what the program said of its own structure ({@link io.weighbridge.runtime.record.ComponentNodes}). They refer weakly, so
 * that retained sizes are those without them. Descriptions run on threads of their own, named {@code weighbridge-nodes},
 * two seconds at most for all of a dump.
 *
 * <h2>Accuracy</h2>
 * <ul>
 * <li><b>Allocated</b> is exact for every construction that happened before the measurement (JLS 17.4.5), under any
 *     number of threads. A construction whose probe itself runs out of stack is not counted.
 * <li><b>Live</b> is the JVM's own count where a measurement forces a collection ({@link io.weighbridge.runtime.registry.Census}), and
 *     all that is said of the objects (ages, threads, tags, sites) is scaled to it. Between those it is exact while every
 *     object of the class has a reference ({@code exact}): at most K / 4 were constructed between two collections. Beyond
 *     that one object in 2<sup>k</sup> is registered, at geometric gaps, and the references of a cycle share the exact
 *     number that was constructed in it ({@link io.weighbridge.runtime.registry.Sample}). The standard error is that of the part of
 *     each cohort that died ({@link io.weighbridge.runtime.registry.Shares}). A class is exact again when the JVM counts as many
 *     objects as have references.
 * <li><b>Live without a full collection right before</b> ({@code collected} false) contains what died since the last
 *     collection, and in the old generation since that was collected. Serial, Parallel and G1 keep the object of a weak
 *     reference that they promote, dead or not, until then (seen on JDK 11 to 25), with what it refers to. So references are
 *     renewed after the first collection that they survive, and are promoted after their objects. Where survivors do not
 *     fit, as in the first collections of a program, a tracked object can still be kept: one whose reference is promoted
 *     before it and that dies before the sweep.
 * <li><b>Shallow sizes</b> are the JVM's own with an agent. Without, from field offsets or layout rules: on 1,940 classes
 *     of java.base each missed at most 13 on JDK 11, 17, 21 and 25, with every layout flag: {@code @Contended} ones and
 *     those with fields that the VM injects.
 * <li><b>Deep sizes</b> count every object reached once. They are exact while the program does nothing; beside a running
 *     one each reference is seen before or after its change, and all sums still agree. For a sampled class they are
 *     lower bounds, because only the tracked objects are walked from.
 * <li><b>Own sizes</b> ({@link io.weighbridge.runtime.walk.OwnLabels}) are carried along in the same walk. Whose an object is, its class
 *     says, in the sample or not; so they are exact where all objects of all classes are tracked, or are reached from
 *     tracked ones. Otherwise they miss what only untracked objects lead to, and take for one's own what only those share.
 * <li><b>Ages</b> are collections seen between birth and now; one too many for an object born while the clock lags
 *     behind a collection (some milliseconds). With more than 4,096 collections that had registrations between them, the
 *     ages of the older half may be one too low ({@link io.weighbridge.runtime.registry.AgeRanges}).
 * <li><b>Allocated since the last collection</b> is exact; collections less than 100 ms apart may count as one.
 * <li><b>By thread</b> allocated is exact; a thread belongs to the group of the name it had at its first construction.
 *     <b>By tag</b> it is estimated without bias from the registered objects. Live figures are as exact as their classes.
 * <li><b>Tags</b> are inherited by new threads, virtual ones included, and carried by wrapped tasks. They are not carried
 *     to threads that exist already by anything else: parallel streams, {@code CompletableFuture}, timers, reactive
 *     libraries. A pool's thread that was started inside a scope keeps its tag.
 * <li><b>Peaks</b> ({@link io.weighbridge.runtime.control.MarkAndCount}) lie between the greatest count and a ceiling that follows
 *     from the bytes allocated, in every mode. JVMs that do not count those of ended threads ({@link
 *     io.weighbridge.runtime.jvm.AllocationVolume}) give a ceiling by their pools ({@link io.weighbridge.runtime.jvm.PoolPeaks}) or none.
 * <li><b>Sites</b> are those of the tracked objects, each standing for as many as its reference does.
 * </ul>
 *
 * <h2>Cost</h2>
 * Bytes of bytecode per constructor return: 7 to 10 (live), 10 to 13 (count). Nanoseconds of CPU over a construction of
 * 24 bytes that takes 1.7 to 1.8, medians of 13 batches of 2 x 10<sup>7</sup> after 12, G1 and Parallel, JMH on an
 * idle two-core virtual machine, 2026-11-22; in brackets on another, on which the construction takes 2.9 to 3.3
 * (benches/results has all values, docs/decisions/0017 what a count-only probe can cost):
 * <table>
 * <caption>Cost of a construction in the steady state</caption>
 * <tr><th></th><th>count, escaping</th><th>count, removed</th><th>live, escaping</th></tr>
 * <tr><td>JDK 17, one thread</td><td>+0.1 (+0.8 to +0.9)</td><td>+0.8 (+1.7 to +1.9)</td><td>+0.4 (+1.2)</td></tr>
 * <tr><td>JDK 25, one thread</td><td>+0.0 to +0.1 (0 to +1.1)</td><td>+0.7 to +0.8 (+1.4 to +1.5)</td><td>+0.4 (+0.7 to +1.3)</td></tr>
 * <tr><td>JDK 17, two threads</td><td>+0.0 to +0.2 (+0.7 to +0.9)</td><td>+0.8 (+1.5 to +2.1)</td><td>+0.4 (+0.9)</td></tr>
 * <tr><td>JDK 25, two threads</td><td>+0.1 (+1.0)</td><td>+0.7 to +0.8 (+1.5 to +1.8)</td><td>+0.4 (+1.1 to +1.3)</td></tr>
 * </table>
 * Count-only probes do not prevent allocation removal; live ones do, for they let the object escape. The
 * topmost instrumented superclass of a jar looks its object's class up in a table, some loads; those between compare it
 * with their own, and the JIT knows the answer where it knows the class ({@link
 * io.weighbridge.runtime.probe.NearestClass}). A class file older than 49.0 takes the slow path for every object. Virtual threads pay an atomic
 * increment instead of a plain one.
 *
 * <h2>Concurrency</h2>
 * The program's threads take no lock of the runtime, but: linking a jar, the first object of a class and that of an
 * unknown subclass take the class table's, which is held only while one table is read. They allocate only when they register an
 * object or first meet a class. No probe throws, and none calls into the program ({@code Thread.getId} apart, which a
 * subclass may override). A thread's first construction and each new scope take the lock of a small map or array. Measurements exclude each other; a request waits for another at most 30 seconds,
 * the shutdown for its measurement at most 25. The walk may load classes of field types (JVMS 5.3), as reflection does.
 *
 * <h2>Footprint</h2>
 * <pre>
 * references   52 bytes each (80 without compressed references), of all classes together at most 256 KB and 1/200 of
 *              the committed heap, of a class at most K; new ones the same again until the next collection
 * stripes      256 bytes and 17 x (highest class id often constructed + 1), for each live platform thread, all together
 *              at most 256 KB and a 256th of the largest heap ({@link io.weighbridge.runtime.probe.StripeMemory})
 * classes      20 to 30 bytes for each matched class; about 300 for each that was constructed
 * subclasses   80 KB of tables and 24 bytes for each class whose objects pass constructors of a matched superclass (twice
 *              that without compressed references)
 * sites        about 100 bytes for each method of the call tree, at most 20,000 of them; 0 unless asked for
 * ages         16 bytes for each collection with registrations before it, at most 64 KB
 * nodes        about 120 bytes for each object that the program named, at most 100,000 of them
 * tags         about 150 bytes for each combination, at most 1,100 of them
 * a walk       16 bytes for each object reached and 68 for each 256 bytes of heap in which one begins, together
 *              24 to 34 bytes an object where most of the heap is reached (with ZGC, Shenandoah, closed fields or more
 *              than 60 GB: 16 to 21 bytes an object); 20 + classes / 8 bytes for each combination of classes that reach
 *              an object, 40 + 4 n for each of n that hold one themselves;
 *              4 bytes more an object with the option {@code holders};
 *              it gives up at half of the free heap or an eighth of the largest, whichever is more
 * </pre>
 * K is the option {@code references}, 5,000 unless set. All classes together make K references a second, which may be
 * saved up, and at least K / 10 a cycle; each costs about half a microsecond ({@link io.weighbridge.runtime.probe.Budget}).
 *
 * <h2>Start and end</h2>
 * The runtime starts with the agent or with the first rewritten jar. Until it has measured once, its thread waits while the
 * heap is nearly full: JDK classes that it is the first to use would be lost to the program. Its one thread, {@code weighbridge}, is a daemon. With
 * {@code enabled=false} nothing starts, the bridges hold null and the JIT removes the probes. {@code Weighbridge.disable()}
 * and the bean's {@code disable} end it at any time: the recording is closed, the thread ends, the exit hook goes, references
 * and counters are dropped, and a probe returns after one look (some nanoseconds stay, for the bridges keep their fields). The measurement at exit
 * stops its walk after 15 seconds; one that then still waits, for a lock that the program holds while it exits, is left
 * behind after 25, and what was counted before it is written without sizes. SIGTERM is recognised without touching signal handlers ({@link
 * io.weighbridge.runtime.control.ExitHook}); other signals that end the JVM in order count as {@code exit}.
 */
package io.weighbridge.runtime;
