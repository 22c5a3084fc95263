package io.weighbridge.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.Cancelled;
import io.weighbridge.Weighbridge;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class AdmittingExecutorTest {
    private final ExecutorService pool = Executors.newSingleThreadExecutor();
    private final ExecutorService executor = new AdmittingExecutor(pool, "job", "report");

    @BeforeEach
    void reset() {
        Weighbridge.reset();
    }

    @AfterEach
    void shutDown() throws InterruptedException {
        executor.shutdown();
        assertTrue(executor.awaitTermination(10, TimeUnit.SECONDS) && pool.isShutdown() && executor.isTerminated());
    }

    @Test
    void aTaskIsAdmittedAndThenRunsInAScope() throws Exception {
        assertEquals(7, executor.submit(() -> {
            Weighbridge.TOLD.add("task");
            return 7;
        }).get());
        shutDown();
        assertEquals(List.of("admit job=report", "open job=report", "task", "close job=report"), Weighbridge.TOLD);
    }

    @Test
    void aTaskThatIsRefusedIsNotHandedOn() {
        Weighbridge.admits = false;
        Runnable task = () -> Weighbridge.TOLD.add("task");
        String told = assertThrows(RejectedExecutionException.class, () -> executor.execute(task)).getMessage();
        assertEquals("job=report is refused by weighbridge: memory is short", told);
        assertThrows(RejectedExecutionException.class, () -> executor.submit(task));
        assertThrows(RejectedExecutionException.class, () -> executor.invokeAll(List.of(Executors.callable(task))));
        assertEquals(List.of("admit job=report", "admit job=report", "admit job=report"), Weighbridge.TOLD);
    }

    @Test
    void theKindIsAskedOfTheTaskItself() throws Exception {
        Callable<String> task = () -> "done";
        ExecutorService asking = new AdmittingExecutor(pool, "job", given -> given == task ? "known" : "other");
        assertEquals("done", asking.submit(task).get());
        asking.submit(() -> {
        }).get();
        shutDown();
        assertTrue(Weighbridge.TOLD.containsAll(List.of("admit job=known", "close job=known", "admit job=other")),
                Weighbridge.TOLD::toString);
    }

    @Test
    void aTaskThatIsCancelledClosesItsScopeAndItsFutureTells() {
        Cancelled cancelled = new Cancelled();
        Throwable cause = assertThrows(ExecutionException.class, () -> executor.submit(() -> {
            throw cancelled;
        }).get()).getCause();
        assertSame(cancelled, cause);
    }
}
