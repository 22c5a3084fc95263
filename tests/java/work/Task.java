/** Methods of an interface with code. */
public interface Task {
    default int described(int number) {
        Worker.allocate();
        return number * 2;
    }

    static long counted(long number) {
        long count = 0;
        while (count < number) {
            count++;
        }
        return count;
    }
}
