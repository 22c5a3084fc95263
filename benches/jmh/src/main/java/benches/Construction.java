package benches;

import com.google.monitoring.runtime.instrumentation.ConstructorInstrumenter;
import java.lang.management.ManagementFactory;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Constructs an object of 24 bytes that escapes ({@code escaping*}) or that the JIT may remove ({@code removed*}): plain,
 * counted, tracked, with a callback of the allocation instrumenter, or with a weak reference to each.
 *
 * <p>Each iteration is a batch of a known number of constructions, so that CPU time can be measured besides wall time, which
 * depends on other load.
 *
 * <p>The classes differ only in their names. The rewriter inserts the probes.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Construction {
    private int next;

    /** CPU time of the constructing thread in one iteration. */
    @AuxCounters(AuxCounters.Type.EVENTS)
    @State(Scope.Thread)
    public static class Cpu {
        public long cpuNs;
        private long start;

        @Setup(Level.Iteration)
        public void begin() {
            cpuNs = 0;
            start = now();
        }

        @TearDown(Level.Iteration)
        public void end() {
            cpuNs = now() - start;
        }

        private static long now() {
            return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        }
    }

    static final class Plain {
        final int a;
        final long b;

        Plain(int a) {
            this.a = a;
            this.b = a;
        }
    }

    static final class Counted {
        final int a;
        final long b;

        Counted(int a) {
            this.a = a;
            this.b = a;
        }
    }

    static final class Tracked {
        final int a;
        final long b;

        Tracked(int a) {
            this.a = a;
            this.b = a;
        }
    }

    static final class CalledBack {
        final int a;
        final long b;

        CalledBack(int a) {
            this.a = a;
            this.b = a;
        }
    }

    static final class Referenced {
        final int a;
        final long b;

        Referenced(int a) {
            this.a = a;
            this.b = a;
            Registry.register(this);
        }
    }

    /** As in S3: a weak reference to every object, removed when the object is collected. */
    private static final class Registry {
        private static final Set<WeakReference<Object>> LIVE = ConcurrentHashMap.newKeySet();
        private static final ReferenceQueue<Object> DEAD = new ReferenceQueue<>();

        static void register(Object o) {
            for (Object dead = DEAD.poll(); dead != null; dead = DEAD.poll()) {
                LIVE.remove(dead);
            }
            LIVE.add(new WeakReference<>(o, DEAD));
        }
    }

    /** The callback only counts. Needs the instrumenter's agent. */
    @State(Scope.Benchmark)
    public static class Callback {
        private static final LongAdder COUNT = new LongAdder();

        @Setup
        public void install() throws Exception {
            ConstructorInstrumenter.instrumentClass(CalledBack.class, object -> COUNT.increment());
            new CalledBack(1);
            if (COUNT.sum() == 0) {
                throw new IllegalStateException("the instrumenter calls nobody back");
            }
        }
    }

    @Benchmark
    public Object escapingPlain(Cpu cpu) {
        return new Plain(next++);
    }

    @Benchmark
    public Object escapingCounted(Cpu cpu) {
        return new Counted(next++);
    }

    @Benchmark
    public Object escapingTracked(Cpu cpu) {
        return new Tracked(next++);
    }

    @Benchmark
    public Object escapingCalledBack(Callback callback, Cpu cpu) {
        return new CalledBack(next++);
    }

    @Benchmark
    public Object escapingReferenced(Cpu cpu) {
        return new Referenced(next++);
    }

    @Benchmark
    public long removedPlain(Cpu cpu) {
        return new Plain(next++).b;
    }

    @Benchmark
    public long removedCounted(Cpu cpu) {
        return new Counted(next++).b;
    }
}
