package io.cloudmw.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.RedundancyLimits;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.testing.TestPorts;
import io.cloudmw.helper.disk.DiskOpener;
import io.cloudmw.helper.standalone.HostedCoordinator;
import io.cloudmw.helper.standalone.HostedHelper;
import io.cloudmw.it.localstack.LocalStack;
import io.cloudmw.lab.fleet.LocalFleet;
import io.cloudmw.lab.fleet.ServerProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A fleet for tests: servers and a client. Each server is a process or runs in the JVM of the test ({@link #hosted}),
 * which needs a hundredth of the processor time to start.
 */
final class Fleet implements AutoCloseable {
    private static final Path LAUNCHER =
            Path.of("..", "cloudmw").toAbsolutePath().normalize();

    /** The setting that disables repair while a test inspects damage. */
    static final Map<String, String> NO_REPAIR = Map.of("coordinator.repair-interval", "1h");

    /**
     * The JVM option for short-lived processes. The optimising compiler would take half of their processor time with
     * little benefit.
     */
    static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1";

    /** Settings that shorten a helper's wait when it was killed and restarts, or loses its coordinator. */
    private static final Map<String, String> SHORT_LEASES =
            Map.of("coordinator.heartbeat-interval", "500ms", "coordinator.helper-ttl", "4s");

    private static final Duration REGISTRATION = Duration.ofSeconds(15);

    private final Path directory;
    private final LocalFleet processes;
    private final Map<String, HostedHelper> hostedHelpers = new ConcurrentHashMap<>();
    private final Map<String, String> coordinatorSettings;
    private @Nullable HostedCoordinator hostedCoordinator;
    private final Predicate<String> isProcess;
    private final CloudMw client;
    private Mode mode = Mode.ROUNDS;

    /** Starts a fleet with a coordinator only, as a process. */
    Fleet(Path directory, Map<String, String> environment) throws IOException {
        this(directory, environment, Map.of());
    }

    Fleet(Path directory, Map<String, String> environment, Map<String, String> coordinator) throws IOException {
        this(directory, environment, coordinator, name -> true);
    }

    private Fleet(
            Path directory,
            Map<String, String> environment,
            Map<String, String> coordinator,
            Predicate<String> isProcess)
            throws IOException {
        this.directory = directory;
        this.isProcess = isProcess;
        Map<String, String> processEnvironment = new HashMap<>(Map.of("CLOUDMW_JAVA_OPTS", SHORT_LIVED));
        processEnvironment.putAll(environment);
        this.processes = new LocalFleet(directory, LAUNCHER, processEnvironment);
        Map<String, String> settings = new HashMap<>(SHORT_LEASES);
        settings.putAll(coordinator);
        this.coordinatorSettings = coordinatorSettings(settings);
        if (isProcess.test("coordinator")) {
            processes.startCoordinator(settings);
        } else {
            hostedCoordinator = HostedCoordinator.start(coordinatorSettings);
        }
        this.client = CloudMw.connect(CloudMwOptions.of(coordinatorAddress()));
    }

    /**
     * Starts a fleet with a coordinator in the JVM of the test, where its helpers will run, too.
     *
     * @param processes servers that are processes nonetheless, since the test kills or pauses them
     */
    static Fleet hosted(Path directory, Map<String, String> coordinator, String... processes) throws IOException {
        return new Fleet(directory, Map.of(), coordinator, Set.of(processes)::contains);
    }

    /**
     * Starts a fleet in the JVM of the test, on buckets of LocalStack. The whole JVM has LocalStack's keys from then
     * on.
     */
    static Fleet hostedOnBuckets(
            LocalStack localStack, Path directory, Map<String, String> coordinator, String... processes)
            throws IOException {
        System.setProperty("aws.accessKeyId", LocalStack.ACCESS_KEY_ID);
        System.setProperty("aws.secretAccessKey", LocalStack.SECRET_ACCESS_KEY);
        return new Fleet(directory, localStack.environment(), coordinator, Set.of(processes)::contains);
    }

    /** Starts a fleet as {@link #ofDisks(Path, int, String)}, in the JVM of the test. */
    static Fleet hostedDisks(
            Path directory, int helpers, String throttle, Map<String, String> settings, String... processes)
            throws IOException {
        Fleet fleet = hosted(directory, settings, processes);
        fleet.startDiskHelpers(helpers, throttle);
        return fleet;
    }

    /** Starts a fleet in the JVM of the test, with the coordinator's default settings. */
    static Fleet hostedDisks(Path directory, int helpers, String throttle, String... processes) throws IOException {
        return hostedDisks(directory, helpers, throttle, Map.of(), processes);
    }

    private Map<String, String> coordinatorSettings(Map<String, String> more) {
        Map<String, String> own = new HashMap<>();
        own.put("tls.insecure", "true");
        own.put("coordinator.listen", "127.0.0.1:" + TestPorts.free());
        own.put("coordinator.data-dir", directory.resolve("coordinator").toString());
        own.put("cluster.secret-file", directory.resolve("cluster.secret").toString());
        own.putAll(more);
        return own;
    }

    private Map<String, String> helperSettings(int i, Map<String, String> more) {
        String id = "helper-" + i;
        Map<String, String> own = new HashMap<>();
        own.put("tls.insecure", "true");
        own.put("helper.id", id);
        own.put("helper.coordinator", coordinatorAddress());
        own.put("helper.control.listen", "127.0.0.1:0");
        own.put("helper.bulk.listen", "127.0.0.1:0");
        own.put("helper.spool.dir", directory.resolve(id + "-spool").toString());
        own.put("cluster.secret-file", directory.resolve("cluster.secret").toString());
        own.putAll(more);
        return own;
    }

    /**
     * Starts a coordinator and helpers 1 to {@code helpers}, each with one disk read at {@code throttle} (""
     * unlimited).
     */
    static Fleet ofDisks(Path directory, int helpers, String throttle) throws IOException {
        return ofDisks(directory, helpers, throttle, Map.of());
    }

    /** Starts a fleet of processes, with settings of the coordinator. */
    static Fleet ofDisks(Path directory, int helpers, String throttle, Map<String, String> settings)
            throws IOException {
        Fleet fleet = new Fleet(directory, Map.of(), settings);
        fleet.startDiskHelpers(helpers, throttle);
        return fleet;
    }

    /**
     * Returns a fleet of short-lived processes without servers yet. They find credentials only where this environment
     * points.
     */
    static LocalFleet withCredentials(Path directory, Map<String, String> environment) throws IOException {
        Map<String, String> all = new HashMap<>(environment);
        all.put("CLOUDMW_JAVA_OPTS", SHORT_LIVED);
        all.put("AWS_EC2_METADATA_DISABLED", "true");
        return new LocalFleet(directory, LAUNCHER, all);
    }

    /**
     * Returns options of clients without hedges. A busy machine would cause hedges, and then stores would be read more
     * than once.
     */
    CloudMwOptions readingOnce() {
        return CloudMwOptions.of(coordinatorAddress()).withRedundancy(RedundancyLimits.ofShare(0));
    }

    /** Starts helpers 1 to {@code helpers} in parallel, each with one disk read at {@code throttle} ("" unlimited). */
    void startDiskHelpers(int helpers, String throttle) throws IOException {
        startHelpers(1, helpers, i -> diskOf(i, throttle));
    }

    /**
     * Starts helpers {@code first} to {@code last} in parallel; {@code settings} gives the settings by a helper's
     * number.
     */
    void startHelpers(int first, int last, IntFunction<Map<String, String>> settings) throws IOException {
        ExecutorService starting = Executors.newCachedThreadPool();
        try {
            List<Future<JsonNode>> started = IntStream.rangeClosed(first, last)
                    .mapToObj(i -> starting.submit(() -> startHelper(i, settings.apply(i))))
                    .toList();
            for (Future<JsonNode> helper : started) {
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

    /** Sets the read mode of volumes made from now on; the default is rounds. */
    Fleet in(Mode wanted) {
        mode = wanted;
        return this;
    }

    /** Returns the sum of a meter over the metrics endpoints of helpers 1 to {@code helpers}. */
    double metricOfAll(int helpers, String name) throws IOException, InterruptedException {
        double sum = 0;
        for (int i = 1; i <= helpers; i++) {
            sum += metric(i, name);
        }
        return sum;
    }

    /** Returns the sum of a meter over all its tags, from a helper's metrics endpoint. */
    double metric(int i, String name) throws IOException, InterruptedException {
        URI metrics = URI.create("http://" + helperHttp(i) + "/metrics");
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

    /** Returns the settings of a helper with one disk. */
    private Map<String, String> diskOf(int i, String throttle) {
        Map<String, String> own = new HashMap<>(processes.disk("disk-" + i));
        if (!throttle.isEmpty()) {
            own.put("helper.disk.disk-" + i + ".throttle", throttle);
        }
        return own;
    }

    /** Starts a helper with these settings and a metrics endpoint; returns the line that it prints when it is ready. */
    JsonNode startHelper(int i, Map<String, String> settings) throws IOException {
        String id = "helper-" + i;
        Map<String, String> own = new HashMap<>(settings);
        own.put("helper.http.listen", "127.0.0.1:0");
        if (isProcess.test(id)) {
            own.putIfAbsent("helper.coordinator", coordinatorAddress());
            return processes.startHelper(id, own).ready();
        }
        HostedHelper helper = HostedHelper.start(helperSettings(i, own), List.of(), DiskOpener.throttling());
        hostedHelpers.put(id, helper);
        // A helper that cannot register yet serves nonetheless, as a process does.
        boolean unused = helper.awaitRegistration(REGISTRATION);
        return ready(id);
    }

    /** Returns the line that a process prints when it is ready; of a helper in this JVM only its HTTP address. */
    private JsonNode ready(String name) {
        HostedHelper here = hostedHelpers.get(name);
        return here == null
                ? processes.process(name).ready()
                : JsonNodeFactory.instance
                        .objectNode()
                        .put("http", here.http().map(HostPort::toString).orElse(""));
    }

    /** The address of the pages of helper {@code i}. */
    String helperHttp(int i) {
        return ready("helper-" + i).path("http").asText();
    }

    /** The address of the pages of a coordinator in this JVM, which {@code coordinator.http.listen} gives it. */
    String coordinatorHttp() {
        return Objects.requireNonNull(hostedCoordinator).http().orElseThrow().toString();
    }

    /**
     * Waits for the first repair pass, which follows the coordinator's start regardless of the interval. Copies found
     * bad afterwards count as missing until the next pass.
     */
    void awaitTheFirstLookOfRepair() {
        Awaitility.await()
                .ignoreException(CompletionException.class)
                .until(() -> client.cluster().status().join().repair().passes() > 0);
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

    /** Closes the coordinator in the JVM of the test and starts it again at the same address. */
    void restartHostedCoordinator() throws IOException {
        HostedCoordinator before = Objects.requireNonNull(hostedCoordinator);
        before.close();
        Map<String, String> same = new HashMap<>(coordinatorSettings);
        same.put("coordinator.listen", before.address().toString());
        hostedCoordinator = HostedCoordinator.start(same);
    }

    /** Restarts a process with additional arguments for this start only. */
    ServerProcess restart(String name, List<String> once) throws IOException {
        return processes.restart(name, Map.of(), once);
    }

    String coordinatorAddress() {
        HostedCoordinator here = hostedCoordinator;
        return here == null
                ? processes.process("coordinator").ready().path("address").asText()
                : here.address().toString();
    }

    /** Starts a client command that keeps running and prints its progress as lines of JSON. */
    ServerProcess startClient(String name, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(arguments));
        command.addAll(List.of("--json", "--coordinator", coordinatorAddress()));
        return processes.startTalking(name, command);
    }

    /** Returns the directory of a disk's chunks. */
    Path disk(int i) {
        return directory.resolve("disk-" + i);
    }

    /**
     * Creates a volume of three chunks per file. Each chunk has as many replicas as there are stores, all durable
     * before the commit.
     */
    VolumeName volume(String name, StoreId... stores) {
        return volume(name, new Chunking.ByCount(3), stores.length, stores);
    }

    VolumeName volume(String name, Chunking chunking, int replicas, StoreId... stores) {
        VolumeName volume = new VolumeName(name);
        client.volumes()
                .create(new Volume(volume, chunking, replicas, List.of(stores), replicas, mode, false, 0))
                .join();
        return volume;
    }

    /** Creates a volume whose clients may serve each other. */
    VolumeName peersVolume(String name, Chunking chunking, int replicas, StoreId... stores) {
        VolumeName volume = new VolumeName(name);
        client.volumes()
                .create(new Volume(
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
        return client.stores()
                .add(new Store(new StoreId(id), region, s3), true)
                .join()
                .id();
    }

    List<StoreStatus> stores() {
        return client.stores().list().join();
    }

    /** Creates a file of {@code size} random bytes. */
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
        client.files().put(source, target, PutOptions.defaults()).join();
    }

    GetReceipt get(FilePath source, Path target) {
        return client.files().get(source, target, GetOptions.defaults()).join();
    }

    /** Returns the path of a target for reads. */
    Path target(String name) {
        return directory.resolve(name + ".out");
    }

    @Override
    public void close() {
        client.close();
        hostedHelpers.values().forEach(HostedHelper::close);
        processes.close();
        if (hostedCoordinator != null) {
            hostedCoordinator.close();
        }
    }
}
