import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.model.FilePath;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;

/** A program that uses a client, closes it, and prints the threads that do not end. */
public final class ThreadsLeft {
    /** The time limit; shared threads of Netty and gRPC end a second or two after their last use. */
    private static final long LIMIT_MILLIS = 60_000;

    private ThreadsLeft() {}

    public static void main(String[] args) throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        Set<Thread> during;
        try (CloudMw cloudMw = CloudMw.connect(args[0])) {
            FilePath file = FilePath.parse(args[1]);
            cloudMw.files().put(Path.of(args[2]), file, PutOptions.defaults()).join();
            cloudMw.files().get(file, Path.of(args[3]), GetOptions.defaults()).join();
            cloudMw.stores().list().join();
            try (var open = cloudMw.files().open(file).join()) {
                open.read(ByteBuffer.allocate(4096), 12345).join();
            }
            during = since(before);
        }
        System.out.println("there were " + during.size() + " threads of the client");
        for (Thread thread : during) {
            thread.join(LIMIT_MILLIS);
        }
        for (Thread thread : since(before)) {
            thread.join(LIMIT_MILLIS);
        }
        System.out.println("left: " + since(before).stream().map(Thread::getName).collect(Collectors.toList()));
    }

    private static Set<Thread> since(Set<Thread> before) {
        Set<Thread> now = new HashSet<>(Thread.getAllStackTraces().keySet());
        now.removeAll(before);
        return now;
    }
}
