/**
 * The runtime inside the program's JVM: counts, samples, measures, records.
 *
 * <h2>The way of an object</h2>
 * A rewritten constructor calls its jar's bridge. The bridge calls a probe ({@link io.weighbridge.runtime.probe.LiveProbe},
 * {@link io.weighbridge.runtime.probe.CountProbe}), which it got from {@link io.weighbridge.runtime.Linker}
 * (docs/probe-contract.md). The probe counts in its thread's {@link io.weighbridge.runtime.probe.Stripe}. If the object is
 * sampled, it puts a weak reference into the class's {@link io.weighbridge.runtime.probe.ClassEntry}. After a collection the
 * {@link io.weighbridge.runtime.control.Ticker} calls the {@link io.weighbridge.runtime.registry.Registry} to sweep. A {@link
 * io.weighbridge.runtime.walk.Measurement} takes every class's {@link io.weighbridge.runtime.registry.Population}, {@link
 * io.weighbridge.runtime.walk.Walk}s over what it holds, and becomes a line of the recording (docs/recording-format.md).
 *
 * <h2>Packages</h2>
 * This one has the three classes that are called from outside, by name: {@link io.weighbridge.runtime.Agent} by the JVM,
 * {@link io.weighbridge.runtime.Linker} by the bridges of rewritten jars, {@link io.weighbridge.runtime.Measuring} by the
 * API in {@code io.weighbridge}. Their names cannot change, for rewritten jars rely on them. Everything else is internal,
 * public or not: it may change with any version, and the jar's packages are sealed. What a package may use:
 * <pre>
 * control   starts, measures, ends; options              record, walk, registry, probe, link, jvm
 * record    writes the recording and heap dumps          walk, registry, probe, link, jvm
 * walk      what the registered objects hold             registry, probe, jvm
 * registry  the sweep: from counters to figures          probe, jvm
 * probe     counts and registers; what it looks up       link, jvm
 * link      reads the tables of rewritten jars           nothing of ours
 * jvm       asks the JVM                                 nothing of ours
 * </pre>
 * {@code control.Statics} lists the classes with static state, and says why.
 *
 * <h2>Heap dumps</h2>
 * A {@link io.weighbridge.runtime.record.HeapDump}, at a peak or on request, has {@link io.weighbridge.runtime.record.ComponentNode}s
 * in it: what the program said of its own structure ({@link io.weighbridge.runtime.record.ComponentNodes}). They refer weakly,
 * so they do not change retained sizes. Descriptions run on threads named {@code weighbridge-nodes}, all of a dump two seconds
 * at most.
 *
 * <h2>Accuracy</h2>
 * <ul>
 * <li><b>Allocated</b> is exact for every construction that happened before the measurement (JLS 17.4.5), under any
 *     number of threads. A construction whose probe itself runs out of stack is not counted.
 * <li><b>Live</b> is the JVM's own count where a measurement forces a collection ({@link io.weighbridge.runtime.registry.Census}),
 *     and ages, threads, tags and sites are scaled to it. Otherwise it is exact while every object of the class has a
 *     reference ({@code exact}): at most K / 4 were constructed between two collections. Of more, one object in 2<sup>k</sup>
 *     is registered, at geometric gaps, and the references of a cycle share the exact number that was constructed in it
 *     ({@link io.weighbridge.runtime.registry.Sample}). The standard error is that of the part of each cohort that died ({@link
 *     io.weighbridge.runtime.registry.Shares}). A class is exact again when the JVM counts as many objects as have references.
 * <li><b>Live without a full collection right before</b> ({@code collected} false) includes what died since the last
 *     collection, and in the old generation since that was collected. Serial, Parallel and G1 keep the object of a promoted
 *     weak reference until then, dead or not, with what it refers to (seen on JDK 11 to 25). So references are renewed after
 *     the first collection that they survive, and are promoted after their objects. Where survivors do not fit, as in the
 *     first collections of a program, an object can still be kept, if its reference is promoted before it and it dies before
 *     the sweep.
 * <li><b>Shallow sizes</b> are the JVM's own with an agent, else from field offsets or layout rules. Of 1,940 classes of
 *     java.base each was wrong for at most 13 on JDK 11, 17, 21 and 25, with every layout flag: {@code @Contended} classes and
 *     those with fields that the VM injects.
 * <li><b>Deep sizes</b> count every object reached once. They are exact while the program does nothing. If it runs, each
 *     reference is seen before or after its change, and all sums still agree. For a sampled class they are lower bounds,
 *     because the walk starts from tracked objects only.
 * <li><b>Own sizes</b> ({@link io.weighbridge.runtime.walk.OwnLabels}) come from the same walk. An object's class decides to whom it
 *     belongs, in the sample or not. So they are exact where all objects of all classes are tracked, or are reached from
 *     tracked ones. Otherwise they miss what only untracked objects lead to, and count as own what only those share.
 * <li><b>Ages</b> are collections seen between birth and now; one too many for an object born while the clock lags
 *     behind a collection (some milliseconds). After more than 4,096 collections with registrations between them, the
 *     ages of the older half may be one too low ({@link io.weighbridge.runtime.registry.AgeRanges}).
 * <li><b>Allocated since the last collection</b> is exact; collections less than 100 ms apart may count as one.
 * <li><b>By thread</b> allocated is exact; a thread belongs to the group of the name it had at its first construction.
 *     <b>By tag</b> it is estimated without bias from the registered objects. Live figures are as exact as their classes.
 * <li><b>Tags</b> are inherited by new threads, virtual ones included, and carried by wrapped tasks. Nothing else carries
 *     them to threads that exist already: not parallel streams, {@code CompletableFuture}, timers or reactive libraries. A
 *     pool's thread that was started inside a scope keeps its tag.
 * <li><b>Peaks</b> ({@link io.weighbridge.runtime.control.MarkAndCount}) are between the greatest count and a ceiling that follows
 *     from the bytes allocated, in every mode. Where the JVM does not count the bytes of ended threads ({@link
 *     io.weighbridge.runtime.jvm.AllocationVolume}), its pools give a ceiling ({@link io.weighbridge.runtime.jvm.PoolPeaks}) or none.
 * <li><b>Sites</b> are those of the tracked objects, each standing for as many as its reference does.
 * </ul>
 *
 * <h2>Cost</h2>
 * Bytes of bytecode per constructor return: 7 to 10 (live), 10 to 13 (count). The table has nanoseconds of CPU, on top of a
 * construction of 24 bytes that takes 1.7 to 1.8: medians of 13 batches of 2 x 10<sup>7</sup> after 12, G1 and Parallel, JMH
 * on an idle two-core virtual machine, 2026-11-22. In brackets: another machine, on which the construction takes 2.9 to 3.3.
 * All values are in benches/results; docs/decisions/0017 says what a count-only probe can cost.
 * <table>
 * <caption>Cost of a construction in the steady state</caption>
 * <tr><th></th><th>count, escaping</th><th>count, removed</th><th>live, escaping</th></tr>
 * <tr><td>JDK 17, one thread</td><td>+0.1 (+0.8 to +0.9)</td><td>+0.8 (+1.7 to +1.9)</td><td>+0.4 (+1.2)</td></tr>
 * <tr><td>JDK 25, one thread</td><td>+0.0 to +0.1 (0 to +1.1)</td><td>+0.7 to +0.8 (+1.4 to +1.5)</td><td>+0.4 (+0.7 to +1.3)</td></tr>
 * <tr><td>JDK 17, two threads</td><td>+0.0 to +0.2 (+0.7 to +0.9)</td><td>+0.8 (+1.5 to +2.1)</td><td>+0.4 (+0.9)</td></tr>
 * <tr><td>JDK 25, two threads</td><td>+0.1 (+1.0)</td><td>+0.7 to +0.8 (+1.5 to +1.8)</td><td>+0.4 (+1.1 to +1.3)</td></tr>
 * </table>
 * Count-only probes do not prevent allocation removal; live ones do, for they let the object escape. The topmost instrumented
 * superclass of a jar looks its object's class up in a table, some loads. Those between compare it with their own, and the
 * JIT knows the answer where it knows the class ({@link io.weighbridge.runtime.probe.NearestClass}). A class file older than
 * 49.0 takes the slow path for every object. Virtual threads pay an atomic increment instead of a plain one.
 *
 * <h2>Concurrency</h2>
 * The program's threads take few locks of the runtime. Linking a jar, the first object of a class and that of an unknown
 * subclass take the class table's, which is held only while one table is read. A thread's first construction and each new
 * scope take the lock of a small map or array. Threads allocate only when they register an object or first meet a class. No
 * probe throws, and none calls into the program ({@code Thread.getId} apart, which a subclass may override). Measurements
 * exclude each other; a request waits for another at most 30 seconds, the shutdown for its measurement at most 25. The walk
 * may load classes of field types (JVMS 5.3), as reflection does.
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
 * The runtime starts with the agent or with the first rewritten jar. Its one thread, {@code weighbridge}, is a daemon. Until
 * the first measurement the thread waits while the heap is nearly full: a JDK class whose first use fails there would be lost
 * to the program. With {@code enabled=false} nothing starts, the bridges hold null and the JIT removes the probes. {@code
 * Weighbridge.disable()} and the bean's {@code disable} end it at any time: the recording is closed, the thread ends, the
 * exit hook is removed, references and counters are dropped, and a probe returns after one look (some nanoseconds, for the
 * bridges keep their fields). The measurement at exit stops its walk after 15 seconds. If it still waits after 25, for a lock
 * that the program holds while it exits, what was counted before the walk is written without sizes. SIGTERM is recognised
 * without a signal handler ({@link io.weighbridge.runtime.control.ExitHook}); other signals that end the JVM in order count
 * as {@code exit}.
 */
package io.weighbridge.runtime;
