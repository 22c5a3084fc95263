import java.io.BufferedWriter;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import org.netbeans.lib.profiler.heap.Heap;
import org.netbeans.lib.profiler.heap.HeapFactory;
import org.netbeans.lib.profiler.heap.Instance;

/** What the heap library of NetBeans and VisualVM says of each object of a dump: address, size, retained size. */
public final class Retained {
    private Retained() {
    }

    public static void main(String[] args) throws Exception {
        Heap heap = HeapFactory.createHeap(new File(args[0]));
        try (BufferedWriter out = Files.newBufferedWriter(Path.of(args[1]))) {
            for (Iterator<Instance> all = heap.getAllInstancesIterator(); all.hasNext();) {
                Instance instance = all.next();
                out.write(Long.toUnsignedString(instance.getInstanceId(), 16) + " " + instance.getSize() + " "
                        + instance.getRetainedSize() + "\n");
            }
        }
    }
}
