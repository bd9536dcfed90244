package io.cloudmw.it;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.core.hedge.RedundancyBudget;
import io.cloudmw.core.model.Chunking;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Volume;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.placement.StoreStatus;
import io.cloudmw.lab.fleet.LocalFleet;
import io.cloudmw.lab.fleet.ServerProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;

/** Real processes and a client of them: what the tests of this module work on. */
final class Fleet implements AutoCloseable {
    private static final Path LAUNCHER =
            Path.of("..", "cloudmw").toAbsolutePath().normalize();

    /** The setting with which no copy is made anew while a test looks at the damage. */
    static final Map<String, String> NO_REPAIR = Map.of("coordinator.repair-interval", "1h");

    /** They live for seconds: the optimising compiler would take half of their processor time, and give little. */
    static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1";

    /** A helper that was killed and is started again, or loses its coordinator, waits for these times. */
    private static final Map<String, String> SHORT_LEASES =
            Map.of("coordinator.heartbeat-interval", "500ms", "coordinator.helper-ttl", "4s");

    private final Path directory;
    private final LocalFleet processes;
    private final CloudMw client;
    private Mode mode = Mode.ROUNDS;

    /** A coordinator only. */
    Fleet(Path directory, Map<String, String> environment) throws IOException {
        this(directory, environment, Map.of());
    }

    Fleet(Path directory, Map<String, String> environment, Map<String, String> coordinator) throws IOException {
        this.directory = directory;
        Map<String, String> processEnvironment = new HashMap<>(Map.of("CLOUDMW_JAVA_OPTS", SHORT_LIVED));
        processEnvironment.putAll(environment);
        this.processes = new LocalFleet(directory, LAUNCHER, processEnvironment);
        Map<String, String> settings = new HashMap<>(SHORT_LEASES);
        settings.putAll(coordinator);
        processes.startCoordinator(settings);
        this.client = CloudMw.connect(CloudMwOptions.of(processes.coordinatorAddress()));
    }

    /** A coordinator and helpers 1 to {@code helpers}, each with one disk read at {@code throttle} ("" unlimited). */
    static Fleet ofDisks(Path directory, int helpers, String throttle) throws IOException {
        return ofDisks(directory, helpers, throttle, Map.of());
    }

    /** As the other, with settings of the coordinator. */
    static Fleet ofDisks(Path directory, int helpers, String throttle, Map<String, String> settings)
            throws IOException {
        Fleet fleet = new Fleet(directory, Map.of(), settings);
        fleet.startDiskHelpers(helpers, throttle);
        return fleet;
    }

    /** Short-lived processes without servers yet, which look for credentials where this environment says, and nowhere else. */
    static LocalFleet withCredentials(Path directory, Map<String, String> environment) throws IOException {
        Map<String, String> all = new HashMap<>(environment);
        all.put("CLOUDMW_JAVA_OPTS", SHORT_LIVED);
        all.put("AWS_EC2_METADATA_DISABLED", "true");
        return new LocalFleet(directory, LAUNCHER, all);
    }

    /** Of clients without second attempts, which a busy machine would make: what they cause to be read is read once. */
    CloudMwOptions readingOnce() {
        return CloudMwOptions.of(coordinatorAddress()).withRedundancy(RedundancyBudget.Limits.ofShare(0));
    }

    /** Helpers 1 to {@code helpers}, all at once, each with one disk read at {@code throttle} ("" unlimited). */
    void startDiskHelpers(int helpers, String throttle) throws IOException {
        startHelpers(1, helpers, i -> diskOf(i, throttle));
    }

    /** Helpers {@code first} to {@code last}, all at once; each is told its settings by its number. */
    void startHelpers(int first, int last, IntFunction<Map<String, String>> settings) throws IOException {
        ExecutorService starting = Executors.newCachedThreadPool();
        try {
            List<Future<ServerProcess>> started = IntStream.rangeClosed(first, last)
                    .mapToObj(i -> starting.submit(() -> startHelper(i, settings.apply(i))))
                    .toList();
            for (Future<ServerProcess> helper : started) {
                helper.get();
            }
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            starting.shutdown();
        }
    }

    /** Volumes made from now on are read in this mode; otherwise by rounds. */
    Fleet in(Mode wanted) {
        mode = wanted;
        return this;
    }

    /** What the metrics endpoints of helpers 1 to {@code helpers} together say of one meter. */
    double metricOfAll(int helpers, String name) throws IOException, InterruptedException {
        double sum = 0;
        for (int i = 1; i <= helpers; i++) {
            sum += metric(i, name);
        }
        return sum;
    }

    /** What the metrics endpoint of a helper that has one says of one meter, all tags together. */
    double metric(int i, String name) throws IOException, InterruptedException {
        URI metrics = URI.create("http://" + helper(i).ready().path("http").asText() + "/metrics");
        String answer = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(metrics).build(), HttpResponse.BodyHandlers.ofString())
                .body();
        List<String> lines =
                answer.lines().filter(line -> line.matches(name + "[ {].*")).toList();
        if (lines.isEmpty()) {
            throw new AssertionError("no " + name + " in\n" + answer);
        }
        return lines.stream()
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** The settings of a helper with one disk. */
    private Map<String, String> diskOf(int i, String throttle) {
        Map<String, String> own = new HashMap<>(processes.disk("disk-" + i));
        if (!throttle.isEmpty()) {
            own.put("helper.disk.disk-" + i + ".throttle", throttle);
        }
        return own;
    }

    /** A helper with these settings, and a metrics endpoint. */
    ServerProcess startHelper(int i, Map<String, String> settings) throws IOException {
        Map<String, String> own = new HashMap<>(settings);
        own.put("helper.http.listen", "127.0.0.1:0");
        return processes.startHelper("helper-" + i, own);
    }

    /**
     * Waits until repair has looked once, as it does soon after the coordinator's start whatever its interval. A copy that is found to
     * be bad afterwards counts as missing until repair looks again.
     */
    void awaitTheFirstLookOfRepair() {
        Awaitility.await()
                .ignoreException(CompletionException.class)
                .until(() -> client.status().join().repair().passes() > 0);
    }

    CloudMw client() {
        return client;
    }

    ServerProcess coordinator() {
        return processes.process("coordinator");
    }

    ServerProcess helper(int i) {
        return processes.process("helper-" + i);
    }

    ServerProcess restart(String name) throws IOException {
        return processes.restart(name);
    }

    /** With more arguments of this start only. */
    ServerProcess restart(String name, List<String> once) throws IOException {
        return processes.restart(name, Map.of(), once);
    }

    String coordinatorAddress() {
        return processes.coordinatorAddress();
    }

    /** A command of a client that goes on, and says what it does in lines of JSON. */
    ServerProcess startClient(String name, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(arguments));
        command.addAll(List.of("--json", "--coordinator", coordinatorAddress()));
        return processes.startTalking(name, command);
    }

    /** Where a disk keeps its chunks. */
    Path disk(int i) {
        return directory.resolve("disk-" + i);
    }

    /** A volume of three chunks with as many replicas as there are stores, all of them durable before the commit. */
    VolumeName volume(String name, StoreId... stores) {
        return volume(name, new Chunking.ByCount(3), stores.length, stores);
    }

    VolumeName volume(String name, Chunking chunking, int replicas, StoreId... stores) {
        VolumeName volume = new VolumeName(name);
        client.createVolume(new Volume(volume, chunking, replicas, List.of(stores), replicas, mode, false, 0))
                .join();
        return volume;
    }

    /** One whose clients may serve each other. */
    VolumeName peersVolume(String name, Chunking chunking, int replicas, StoreId... stores) {
        VolumeName volume = new VolumeName(name);
        client.createVolume(new Volume(
                        volume, chunking, replicas, List.of(stores), replicas, mode, false, 0, Optional.empty(), true))
                .join();
        return volume;
    }

    static StoreId[] disks(int... numbers) {
        return java.util.Arrays.stream(numbers)
                .mapToObj(i -> new StoreId("disk-" + i))
                .toArray(StoreId[]::new);
    }

    StoreId bucket(String id, String region, String endpoint) {
        Store.S3 s3 = new Store.S3(id, region, endpoint, true, "");
        return client.addStore(new Store(new StoreId(id), region, s3), true)
                .join()
                .id();
    }

    List<StoreStatus> stores() {
        return client.stores().join();
    }

    /** A file of {@code size} random bytes. */
    Path file(String name, long size) throws IOException {
        Path file = directory.resolve(name);
        SplittableRandom random = new SplittableRandom(size);
        byte[] piece = new byte[1 << 16];
        try (var out = Files.newOutputStream(file)) {
            for (long left = size; left > 0; left -= piece.length) {
                random.nextBytes(piece);
                out.write(piece, 0, (int) Math.min(left, piece.length));
            }
        }
        return file;
    }

    void put(Path source, FilePath target) {
        client.put(source, target, PutOptions.defaults()).join();
    }

    GetReceipt get(FilePath source, Path target) {
        return client.get(source, target, GetOptions.defaults()).join();
    }

    /** Somewhere to read into. */
    Path target(String name) {
        return directory.resolve(name + ".out");
    }

    @Override
    public void close() {
        client.close();
        processes.close();
    }
}
