package io.weighbridge.runtime.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weighbridge.runtime.walk.Walked;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OffHeapTest {
    @TempDir
    Path folder;

    @Test
    void theMemoryOfADirectBufferIsCountedOnceHoweverManyViewsThereAre() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(10_000);
        Object[] views = {buffer.slice(), buffer.duplicate().asReadOnlyBuffer(), buffer.asLongBuffer(), buffer};
        Walked walked = Walked.from(Walked.shapes(), views, new Object[] {buffer.slice()}, new Object[] {new byte[5]});
        assertEquals(10_000, walked.held.measuredOffHeap);
        assertEquals(10_000, walked.held.offHeapBytes[0]);
        assertEquals(10_000, walked.held.componentOffHeap[1], "a slice keeps the buffer that it was cut from");
        assertEquals(0, walked.held.offHeapBytes[2]);
    }

    @Test
    void itIsInNoSumOfTheHeapAndLeadsToNoOtherBuffer() {
        ByteBuffer other = ByteBuffer.allocateDirect(5_000_000);
        Walked walked = Walked.from(Walked.shapes(), new Object[] {ByteBuffer.allocateDirect(1_000_000)});
        assertEquals(1_000_000, walked.held.measuredOffHeap);
        assertTrue(walked.held.measuredBytes < 1000, "heap bytes: " + walked.held.measuredBytes);
        assertEquals(5_000_000, other.capacity());
    }

    @Test
    void filesMappedIntoMemoryAndBuffersOnTheHeapAreNotCounted() throws Exception {
        Path file = Files.write(folder.resolve("file"), new byte[4096]);
        try (FileChannel channel = FileChannel.open(file)) {
            Object[] roots = {channel.map(FileChannel.MapMode.READ_ONLY, 0, 4096), ByteBuffer.allocate(100)};
            assertEquals(0, Walked.from(Walked.shapes(), roots).held.measuredOffHeap);
        }
    }
}
