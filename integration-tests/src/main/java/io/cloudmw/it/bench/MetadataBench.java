package io.cloudmw.it.bench;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.lab.fleet.LocalFleet;
import io.cloudmw.lab.fleet.ServerProcess;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A benchmark of metadata operations and small files through a real coordinator, by one client and by several. Measures
 * operations per second, latency, and the bytes that the processes write to disk. Prints Markdown tables.
 *
 * <p>Arguments: {@code <launcher> <work directory> <operations> <clients> <small files> [setting=value ...]}, where the
 * settings are the coordinator's, for instance another catalog. Every client is a {@link CloudMw} of its own with one
 * call at a time. All clients run in this process: start it with {@code -Xmx256m -XX:MaxDirectMemorySize=1g}. Each kind
 * of operation is warmed up with a fifth of its number.
 */
public final class MetadataBench {
    private static final VolumeName VOLUME = new VolumeName("bench");
    private static final int PAGE = 1000;
    private static final int FILE_BYTES = 4096;

    private final List<Row> rows = new ArrayList<>();
    private final ServerProcess coordinator;
    private final ServerProcess helper;
    private final List<CloudMw> clients;
    private final byte[] content = new byte[FILE_BYTES];

    private MetadataBench(ServerProcess coordinator, ServerProcess helper, List<CloudMw> clients) {
        this.coordinator = coordinator;
        this.helper = helper;
        this.clients = clients;
        new SplittableRandom(1).nextBytes(content);
    }

    /** A result: one kind of operation by a number of clients. Bytes are those that the processes wrote to storage. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Row(
            String what, int clients, long[] sortedNanos, double seconds, long coordinatorBytes, long helperBytes) {
        double perSecond() {
            return sortedNanos.length / seconds;
        }

        double millis(double quantile) {
            int index = (int) Math.ceil(quantile * sortedNanos.length) - 1;
            return sortedNanos[Math.max(0, index)] / 1e6;
        }
    }

    private interface Operation {
        /** Performs operation {@code index} of client {@code caller}. */
        void run(CloudMw client, int caller, int index);
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 5) {
            System.err.println("usage: MetadataBench <launcher> <work directory> <operations> <clients> <small files>"
                    + " [setting=value ...]");
            System.exit(2);
        }
        Path directory = Files.createDirectories(Path.of(arguments[1])).toAbsolutePath();
        Map<String, String> settings = new HashMap<>();
        for (String setting : Arrays.asList(arguments).subList(5, arguments.length)) {
            int equals = setting.indexOf('=');
            settings.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        Path launcher = Path.of(arguments[0]).toAbsolutePath();
        try (LocalFleet fleet = new LocalFleet(directory.resolve("fleet"), launcher, Map.of())) {
            ServerProcess coordinator = fleet.startCoordinator(settings);
            ServerProcess helper = fleet.startHelper("helper-1", fleet.disk("disk-1"));
            List<CloudMw> clients = new ArrayList<>();
            for (int i = 0; i < Integer.parseInt(arguments[3]); i++) {
                clients.add(CloudMw.connect(fleet.clientOptions()));
            }
            new MetadataBench(coordinator, helper, clients)
                    .run(Integer.parseInt(arguments[2]), Integer.parseInt(arguments[4]));
        }
        System.exit(0);
    }

    private void run(int operations, int files) throws Exception {
        createVolume();
        String before = load();
        for (int count : clients.size() == 1 ? List.of(1) : List.of(1, clients.size())) {
            names(operations, count);
        }
        for (int count : clients.size() == 1 ? List.of(1) : List.of(1, clients.size())) {
            smallFiles(count == 1 ? Math.min(operations, files) : files, count);
        }
        print(before);
    }

    private void createVolume() {
        StoreId store = new StoreId("disk-1");
        clients.get(0)
                .volumes()
                .create(new Volume(
                        VOLUME, new Chunking.BySize(64L << 20), 1, List.of(store), 1, Mode.COOPERATIVE, false, 0))
                .join();
        for (int i = 0; i < PAGE; i++) {
            put(clients.get(0), file("listed", 0, i), new byte[0]);
        }
    }

    private void names(int operations, int count) throws Exception {
        measure("create", operations, count, (client, caller, i) -> put(client, file("a", caller, i), new byte[0]));
        measure(
                "stat",
                operations,
                count,
                (client, caller, i) -> client.files().stat(file("a", caller, i)).join());
        measure("list 10 names", operations, count, (client, caller, i) -> list(client, 10));
        measure("list 1000 names", Math.max(1, operations / 10), count, (client, caller, i) -> list(client, PAGE));
        measure(
                "rename",
                operations,
                count,
                (client, caller, i) -> client.files()
                        .rename(file("a", caller, i), file("b", caller, i), false)
                        .join());
        measure(
                "remove",
                operations,
                count,
                (client, caller, i) ->
                        client.files().remove(file("b", caller, i)).join());
    }

    private void smallFiles(int files, int count) throws Exception {
        String directory = "small-" + count;
        measure("put 4 KiB", files, count, (client, caller, i) -> put(client, file(directory, caller, i), content));
        measure("get 4 KiB", files, count, (client, caller, i) -> get(client, file(directory, caller, i)));
    }

    /** Returns the path for an operation; warm-ups have negative numbers. */
    private static FilePath file(String directory, int caller, int index) {
        return new FilePath(VOLUME, "/" + directory + "/" + caller + "/file-" + index);
    }

    private static void put(CloudMw client, FilePath file, byte[] bytes) {
        InputStream source = new ByteArrayInputStream(bytes);
        client.files().put(source, bytes.length, file, PutOptions.defaults()).join();
    }

    private static void get(CloudMw client, FilePath file) {
        client.files()
                .read(file, Channels.newChannel(OutputStream.nullOutputStream()), GetOptions.defaults())
                .join();
    }

    private static void list(CloudMw client, int limit) {
        int found = client.files()
                .list(VOLUME, "/listed/0", "", limit)
                .join()
                .items()
                .size();
        if (found != limit) {
            throw new IllegalStateException(found + " names (expected: " + limit + ")");
        }
    }

    private void measure(String what, int operations, int count, Operation operation) throws Exception {
        int each = Math.max(1, operations / count);
        int warmUp = Math.max(1, each / 5);
        perform(-warmUp, 0, count, operation);
        long coordinatorBefore = ProcessUsage.writtenBytes(coordinator.pid());
        long helperBefore = ProcessUsage.writtenBytes(helper.pid());
        long start = System.nanoTime();
        long[] nanos = perform(0, each, count, operation);
        double seconds = (System.nanoTime() - start) / 1e9;
        rows.add(new Row(
                what,
                count,
                nanos,
                seconds,
                ProcessUsage.writtenBytes(coordinator.pid()) - coordinatorBefore,
                ProcessUsage.writtenBytes(helper.pid()) - helperBefore));
        System.err.printf(
                Locale.ROOT,
                "%s by %d: %.0f/s%n",
                what,
                count,
                rows.get(rows.size() - 1).perSecond());
    }

    /** Performs operations; returns their times in ascending order. */
    private long[] perform(int from, int to, int count, Operation operation) throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(count);
        CountDownLatch ready = new CountDownLatch(count);
        List<Future<long[]>> taken = new ArrayList<>();
        for (int caller = 0; caller < count; caller++) {
            int number = caller;
            taken.add(callers.submit(() -> {
                ready.countDown();
                ready.await();
                return perform(from, to, number, clients.get(number), operation);
            }));
        }
        long[] all = new long[(to - from) * count];
        for (int caller = 0; caller < count; caller++) {
            System.arraycopy(taken.get(caller).get(), 0, all, caller * (to - from), to - from);
        }
        callers.shutdown();
        Arrays.sort(all);
        return all;
    }

    private static long[] perform(int from, int to, int caller, CloudMw client, Operation operation) {
        long[] nanos = new long[to - from];
        for (int i = from; i < to; i++) {
            long start = System.nanoTime();
            operation.run(client, caller, i);
            nanos[i - from] = System.nanoTime() - start;
        }
        return nanos;
    }

    private static String load() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).strip();
    }

    private void print(String loadBefore) throws IOException {
        System.out.printf(
                Locale.ROOT,
                "JDK %s, %d processors, load average %s before, %s after%n%n",
                Runtime.version(),
                Runtime.getRuntime().availableProcessors(),
                loadBefore,
                load());
        System.out.println(
                "| | clients | a second | p50 ms | p99 ms | coordinator writes KiB each | helper writes KiB each |");
        System.out.println("|---|---|---|---|---|---|---|");
        for (Row row : rows) {
            double each = 1024.0 * row.sortedNanos().length;
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %d | %.0f | %.2f | %.2f | %.1f | %.1f |%n",
                    row.what(),
                    row.clients(),
                    row.perSecond(),
                    row.millis(0.5),
                    row.millis(0.99),
                    row.coordinatorBytes() / each,
                    row.helperBytes() / each);
        }
    }
}
