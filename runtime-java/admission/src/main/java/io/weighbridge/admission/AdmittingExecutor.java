package io.weighbridge.admission;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Hands tasks on to another executor, each when it is admitted by its tag; there it runs in a scope, which may be cancelled.
 *
 * <p>While memory is short, the thread that gives a task waits. A task that is refused throws
 * {@link RejectedExecutionException}, as the other executor does for tasks that it refuses. To shut this one down shuts down the
 * other.
 */
public final class AdmittingExecutor extends AbstractExecutorService {
    private final ExecutorService executor;
    private final String key;
    private final Function<Object, String> value;
    private final Gate gate;

    /** Tasks of one kind. */
    public AdmittingExecutor(ExecutorService executor, String key, String value) {
        this(executor, key, task -> value);
    }

    /** Tasks whose kind is asked of the {@code Runnable} or {@code Callable}. It is to name a kind, never an id. */
    public AdmittingExecutor(ExecutorService executor, String key, Function<Object, String> value) {
        this(executor, key, value, Gate.OF_PROCESS);
    }

    AdmittingExecutor(ExecutorService executor, String key, Function<Object, String> value, Gate gate) {
        this.executor = Objects.requireNonNull(executor);
        this.key = Objects.requireNonNull(key);
        this.value = Objects.requireNonNull(value);
        this.gate = gate;
    }

    /** A task with a result, and its kind. */
    private static final class Kept<T> extends FutureTask<T> {
        private final String kind;

        Kept(Callable<T> task, String kind) {
            super(task);
            this.kind = kind;
        }

        Kept(Runnable task, T result, String kind) {
            super(task, result);
            this.kind = kind;
        }
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Callable<T> task) {
        return new Kept<>(task, value.apply(task));
    }

    @Override
    protected <T> RunnableFuture<T> newTaskFor(Runnable task, T result) {
        return new Kept<>(task, result, value.apply(task));
    }

    /** Throws {@link RejectedExecutionException} if memory stays short, or the other executor refuses. */
    @Override
    public void execute(Runnable task) {
        Objects.requireNonNull(task);
        String kind = task instanceof Kept ? ((Kept<?>) task).kind : value.apply(task);
        if (!gate.admit(key, kind)) {
            throw new RejectedExecutionException(key + "=" + kind + " is refused by weighbridge: memory is short");
        }
        executor.execute(() -> {
            try (Gate.Open scope = gate.scope(key, kind)) {
                task.run();
            }
        });
    }

    @Override
    public void shutdown() {
        executor.shutdown();
    }

    /** The tasks as they were handed on. */
    @Override
    public List<Runnable> shutdownNow() {
        return executor.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return executor.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return executor.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return executor.awaitTermination(timeout, unit);
    }
}
