package io.weighbridge.runtime.control;

import io.weighbridge.runtime.Recorded;
import io.weighbridge.runtime.TestJar;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A program that holds much for a while, until the recording shows that its peak was counted, and then little. */
final class PeakProgram {
    static final int BLOCKS = 60;
    static final int BLOCK = 1 << 20;

    static final class Block {
        final byte[] bytes = new byte[BLOCK];
    }

    private PeakProgram() {
    }

    public static void main(String[] arguments) throws Exception {
        TestJar jar = new TestJar().component("store").type(Block.class, "live", "store", "").link();
        List<Block> blocks = new ArrayList<>();
        fill(jar, blocks);
        Path recording = Path.of(arguments[0]);
        for (int i = 0; i < 600 && !peakCounted(recording); i++) {
            Thread.sleep(50);
        }
        blocks.subList(1, blocks.size()).clear();
        System.out.println(blocks.size());
    }

    private static void fill(TestJar jar, List<Block> blocks) {
        for (int i = 0; i < BLOCKS; i++) {
            Block block = new Block();
            jar.live(block, Block.class, 0);
            blocks.add(block);
        }
    }

    private static boolean peakCounted(Path recording) throws Exception {
        return Files.exists(recording) && Recorded.lines(recording, "live_count").stream()
                .anyMatch(line -> line.get("live_bytes").getAsLong() >= (long) BLOCKS * BLOCK);
    }
}
