package io.cloudmw.lab.torture;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.model.volume.VolumeChange;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.status.UpkeepStatus;
import io.cloudmw.core.status.collect.CollectRound;
import io.cloudmw.core.status.collect.OrderedRound;
import io.cloudmw.lab.fleet.CloseStack;
import io.cloudmw.lab.fleet.LocalFleet;
import io.cloudmw.lab.fleet.ServerProcess;
import io.cloudmw.lab.fleet.WorkingDirectory;
import io.cloudmw.lab.s3.BucketServer;
import io.cloudmw.lab.torture.fault.DiskMounts;
import io.cloudmw.lab.torture.fault.SecretRotation;
import io.cloudmw.lab.torture.network.CutKind;
import io.cloudmw.lab.torture.network.Network;
import io.cloudmw.lab.torture.network.Pair;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fleet under test: coordinators and helpers with a disk each, as processes, and two volumes on them. On Linux all
 * connections pass through a {@link Network}, and only its own helper can open a disk, as if each process had its own
 * machine. Safe for any thread; the given {@link CloseStack} closes all that this opens.
 */
final class TortureFleet {
    private static final Logger log = LoggerFactory.getLogger(TortureFleet.class);

    /** The name of a single coordinator, and the prefix of the names of several. */
    static final String COORDINATOR = "coordinator";
    /** The network's name for this process, which runs all clients. */
    static final String CLIENTS = "clients";

    static final VolumeName BY_SIZE = new VolumeName("by-size");
    static final VolumeName BY_COUNT = new VolumeName("by-count");
    static final Map<VolumeName, Chunking> VOLUMES =
            Map.of(BY_SIZE, new Chunking.BySize(512 << 10), BY_COUNT, new Chunking.ByCount(3));

    /** The life of transfer tokens, and of each key that signs them. */
    static final Duration TOKEN_LIFE = Duration.ofSeconds(20);

    /**
     * Intervals that are seconds here and minutes by default. An upload stays open when its client gives up, and keeps
     * its stores in use until it is abandoned. The limit for that exceeds every pause of a live upload.
     */
    private static final Map<String, String> HURRIED = Map.ofEntries(
            Map.entry("coordinator.heartbeat-interval", "1s"),
            Map.entry("coordinator.helper-ttl", "5s"),
            Map.entry("coordinator.repair-interval", "500ms"),
            Map.entry("coordinator.repair-after", "6s"),
            Map.entry("coordinator.owed-after", "5s"),
            Map.entry("coordinator.task-life", "10s"),
            Map.entry("coordinator.upkeep-ttl", "5s"),
            Map.entry("coordinator.token-ttl", TOKEN_LIFE.toSeconds() + "s"),
            Map.entry("coordinator.clock-skew", "1s"),
            Map.entry("coordinator.abandoned-after", "60s"),
            Map.entry("coordinator.abandoned-check", "2s"));

    /**
     * The life of certificates. A third of it remains when they are renewed, which is longer than any fault that keeps a
     * process from that.
     */
    static final Duration CERTIFICATE_LIFE = Duration.ofSeconds(45);

    /** The time in which all certificates are renewed after the file of the authority has changed. */
    static final Duration RENEWAL = CERTIFICATE_LIFE.plusSeconds(5);

    /** The settings of coordinators and helpers by which open connections meet each new key soon. */
    private static final Map<String, String> SHORT_LIVED =
            Map.of("tls.token-key-life", TOKEN_LIFE.toSeconds() + "s", "tls.connection-age", "20s");

    private static final Duration OBSERVING = Duration.ofSeconds(5);
    /** The number of tries of an administrative call; each waits for the coordinator. */
    private static final int ORDERS = 24;
    /** The time limit for the start of a process, generous because the machine may be busy. */
    private static final Duration STARTING = Duration.ofSeconds(60);
    /** A reserve larger than any disk, which makes the helper treat its disk as full. */
    private static final String ALL = "1024TiB";

    private static final String RESERVE = "64MiB";
    /** The only manifest segment of each file, since the test's files are small. */
    private static final int ONLY_SEGMENT = 0;

    private static final String LOOPBACK = "127.0.0.1";
    private static final int FIRST_HOST = 11;

    /** The file systems of the disks; empty where none can be mounted. */
    private final Optional<DiskMounts> mounts;

    private final LocalFleet processes;
    private final BucketServer buckets;

    /** The number of buckets made so far, including lost ones. */
    private final AtomicInteger bucketCount = new AtomicInteger();

    private final Network network;
    private final boolean connected;
    private final Path directory;
    private final List<String> coordinators;
    private final List<String> helpers;
    private final Map<Long, String> names = new ConcurrentHashMap<>();
    private final String coordinator;
    private final CloudMw observer;

    /** Starts all processes, with their files below a directory. */
    TortureFleet(TortureSettings settings, Path directory, CloseStack closing) throws Exception {
        this.directory = directory;
        connected = Network.isAvailable();
        names.put(ProcessHandle.current().pid(), CLIENTS);
        network = closing.open(() -> new Network(() -> names));
        DiskMounts disks = closing.open(() -> new DiskMounts(settings.diskBytes()));
        mounts = disks.isPossible(directory, TortureSettings.REPLICAS * settings.bytes())
                ? Optional.of(disks)
                : Optional.empty();
        processes = closing.open(() -> new LocalFleet(directory, settings.launcher(), credentials()));
        buckets = closing.open(() -> new BucketServer(directory.resolve("buckets"), InetAddress.getLoopbackAddress()));
        helpers = IntStream.rangeClosed(1, settings.helpers())
                .mapToObj(i -> "helper-" + i)
                .toList();
        coordinators = settings.coordinators().names();
        Map<String, String> own = new HashMap<>(HURRIED);
        own.putAll(SHORT_LIVED);
        own.put("tls.certificate-life", CERTIFICATE_LIFE.toSeconds() + "s");
        own.putAll(settings.coordinators().settings());
        List<String> direct = new ArrayList<>();
        List<String> forwarded = new ArrayList<>();
        for (String name : coordinators) {
            String address = named(processes.startCoordinator(name, own))
                    .ready()
                    .path("address")
                    .asText();
            direct.add(address);
            forwarded.add(forwardedCoordinator(name, address));
        }
        coordinator = String.join(",", forwarded);
        for (int i = 0; i < helpers.size(); i++) {
            startHelper(helpers.get(i), "127.0.0." + (FIRST_HOST + i));
        }
        CloudMwOptions observing = processes.clientOptions(String.join(",", direct));
        observer = closing.last(CloudMw.connect(observing.withCoordinatorTimeout(OBSERVING)));
        try (CloudMw patient = closing.last(CloudMw.connect(observing.withCoordinatorTimeout(STARTING)))) {
            createVolumes(patient);
            addBucket(patient);
        }
    }

    /**
     * Returns credentials that let processes use the bucket server, which does not check signatures. Credentials of the
     * environment are kept.
     */
    private static Map<String, String> credentials() {
        return System.getenv().containsKey("AWS_ACCESS_KEY_ID")
                ? Map.of()
                : Map.of("AWS_ACCESS_KEY_ID", "torture", "AWS_SECRET_ACCESS_KEY", "torture");
    }

    boolean isPlainText() {
        return processes.isPlainText();
    }

    /** Does a step of the replacement of the authority. */
    void replaceAuthority(String step) throws IOException, InterruptedException {
        processes.replaceAuthority(step);
    }

    /** Changes the file of the cluster's secret as in a round of its rotation; processes read it at their start. */
    void rotateSecret(SecretRotation.Round round) throws IOException {
        List<String> keys = processes.secretKeys();
        switch (round) {
            case ADD -> processes.replaceSecret(List.of(keys.get(0), newKey()));
            case EXCHANGE -> processes.replaceSecret(List.of(keys.get(1), keys.get(0)));
            case REMOVE -> processes.replaceSecret(List.of(keys.get(0)));
        }
    }

    private static String newKey() {
        byte[] random = new byte[ClusterSecret.MIN_BYTES];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    /**
     * Returns how many certificates the coordinators signed, by their audit trails: the first ones of processes and
     * clients, and renewals.
     */
    long certificates() throws IOException {
        long count = 0;
        for (String name : coordinators) {
            Path trail = directory.resolve(name).resolve("audit.jsonl");
            if (Files.exists(trail)) {
                try (Stream<String> lines = Files.lines(trail)) {
                    count +=
                            lines.filter(line -> line.contains("\"certified\"")).count();
                }
            }
        }
        return count;
    }

    /** Returns the options of a client, whose connections may be cut. */
    CloudMwOptions clientOptions() {
        return processes.clientOptions(coordinatorAddress());
    }

    /** Returns the bucket that the volumes currently use. */
    String bucket() {
        return "bucket-" + bucketCount.get();
    }

    /** Makes a bucket and adds it to all volumes. */
    private void addBucket(CloudMw client) throws InterruptedException, ExecutionException {
        String name = "bucket-" + (bucketCount.get() + 1);
        Store.S3 place = new Store.S3(name, "us-east-1", buckets.endpoint(), true, "");
        client.stores().add(new Store(new StoreId(name), name, place), true).get();
        for (VolumeName volume : VOLUMES.keySet()) {
            client.volumes()
                    .change(VolumeChange.of(volume).addStore(new StoreId(name)).build())
                    .get();
        }
        bucketCount.incrementAndGet();
    }

    /** Makes another bucket and adds it to all volumes; retries until a coordinator answers. */
    void addBucket() throws InterruptedException {
        insist("add a bucket", () -> addBucket(observer));
    }

    /** Makes the same change to all volumes. */
    void change(UnaryOperator<VolumeChange.Builder> change) throws InterruptedException {
        for (VolumeName volume : VOLUMES.keySet()) {
            insist(
                    "change volume " + volume,
                    () -> observer.volumes()
                            .change(change.apply(VolumeChange.of(volume)).build())
                            .get());
        }
    }

    /** Declares a store lost. */
    void lose(String store) throws InterruptedException {
        insist(
                "declare " + store + " lost",
                () -> observer.stores().declareLost(new StoreId(store)).get());
    }

    /** Removes a store that no volume uses from the cluster. */
    void remove(String store) throws InterruptedException {
        insist("remove " + store, () -> {
            try {
                observer.stores().remove(new StoreId(store)).get();
            } catch (ExecutionException e) {
                // An earlier try took effect, but its answer was lost.
                if (!(e.getCause() instanceof CloudMwException known) || known.code() != ErrorCode.NOT_FOUND) {
                    throw e;
                }
            }
        });
    }

    /** Returns whether a volume still uses a store; true when no coordinator answers. */
    boolean isUsed(String store) throws InterruptedException {
        return said(observer.volumes().list())
                .map(volumes ->
                        volumes.stream().anyMatch(volume -> volume.storesInUse().contains(new StoreId(store))))
                .orElse(true);
    }

    /** Returns the cluster's reasons why volumes still use a store. */
    String kept(String store) throws InterruptedException {
        return status().map(status -> status.reshape().volumes().stream()
                        .flatMap(volume -> volume.leaving().stream()
                                .filter(leaving -> leaving.store().value().equals(store))
                                .map(leaving -> volume.name() + ": " + leaving))
                        .collect(Collectors.joining(", ")))
                .orElse("no coordinator gave a reason");
    }

    /** An administrative call. */
    private interface Order {
        void give() throws InterruptedException, ExecutionException;
    }

    /** Makes a call until a coordinator answers, since faults kill coordinators at any time. */
    private static void insist(String what, Order order) throws InterruptedException {
        for (int tries = 1; ; tries++) {
            try {
                order.give();
                return;
            } catch (ExecutionException e) {
                if (tries >= ORDERS) {
                    throw new IllegalStateException("cannot " + what + ": " + e.getCause(), e);
                }
                log.debug("cannot {}; retrying", what, e);
            }
        }
    }

    private String forwardedCoordinator(String name, String address) throws IOException {
        if (!connected) {
            return address;
        }
        InetSocketAddress front =
                network.forward(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), loopback(address), name);
        return LOOPBACK + ":" + front.getPort();
    }

    private void startHelper(String name, String host) throws IOException {
        String store = store(name);
        Map<String, String> own = new HashMap<>(processes.disk(store));
        own.putAll(SHORT_LIVED);
        own.put("helper.coordinator", coordinator);
        own.put(reserve(name), mounts.isPresent() ? "0" : RESERVE);
        own.put("helper.disk." + store + ".path", disk(store).toString());
        if (mounts.isPresent()) {
            mounts.get().mount(mountPoint(store));
        }
        if (connected) {
            own.put("helper.advertise-host", host);
            // The path leads to the disk only in the helper's own process: other processes have another working
            // directory.
            own.put("helper.disk." + store + ".path", "/proc/self/cwd/" + directory.relativize(disk(store)));
        }
        ServerProcess helper = named(processes.startHelper(name, own));
        for (String address : List.of("control", "bulk")) {
            if (connected) {
                InetSocketAddress target = loopback(helper.ready().path(address).asText());
                InetSocketAddress unused = network.forward(new InetSocketAddress(host, target.getPort()), target, name);
            }
        }
    }

    private static InetSocketAddress loopback(String address) {
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private void createVolumes(CloudMw patient) throws InterruptedException, ExecutionException {
        List<StoreId> stores =
                helpers.stream().map(name -> new StoreId(store(name))).toList();
        for (Map.Entry<VolumeName, Chunking> volume : VOLUMES.entrySet()) {
            Mode mode = volume.getKey().equals(BY_SIZE) ? Mode.DEFAULT : Mode.HEDGED;
            patient.volumes()
                    .create(new Volume(
                            volume.getKey(),
                            volume.getValue(),
                            TortureSettings.REPLICAS,
                            stores,
                            TortureSettings.WRITE_QUORUM,
                            mode,
                            false,
                            0))
                    .get();
        }
    }

    private ServerProcess named(ServerProcess process) {
        names.put(process.pid(), process.name());
        return process;
    }

    private static String reserve(String helper) {
        return "helper.disk." + store(helper) + ".reserve";
    }

    List<String> helpers() {
        return helpers;
    }

    List<String> coordinators() {
        return coordinators;
    }

    /** Returns the name of a helper's only store. */
    static String store(String helper) {
        return helper.replace("helper-", "disk-");
    }

    List<String> stores() {
        return helpers.stream().map(TortureFleet::store).toList();
    }

    /**
     * Deletes all files of a store; its helper must not run.
     *
     * @return the number of deleted copies
     */
    long wipe(String store) throws IOException {
        long copies;
        try (Stream<Path> files = Files.walk(disk(store).resolve("chunks"))) {
            copies = files.filter(Files::isRegularFile).count();
        }
        WorkingDirectory.delete(disk(store));
        return copies;
    }

    /**
     * Deletes a bucket with all its objects.
     *
     * @return the number of deleted copies
     */
    long wipeBucket(String store) throws IOException {
        Path objects = bucketPath(store);
        long copies;
        try (Stream<Path> files = Files.list(objects)) {
            copies = files.filter(file -> file.getFileName().toString().startsWith("chunks%2F"))
                    .count();
        }
        // The rename makes puts in progress fail, since the bucket no longer exists for them.
        Path gone = Files.move(objects, objects.resolveSibling(".lost-" + store));
        WorkingDirectory.delete(gone);
        return copies;
    }

    private Path bucketPath(String store) {
        return directory.resolve("buckets").resolve(store);
    }

    /** Returns the path of a chunk's file in a store, whether or not the file exists. */
    Path replica(String store, ChunkId chunk) {
        if (store.startsWith("bucket-")) {
            return bucketPath(store)
                    .resolve("chunks%2F" + chunk.version().value().substring(0, 2) + "%2F" + chunk);
        }
        return disk(store)
                .resolve("chunks")
                .resolve(chunk.version().value().substring(0, 2))
                .resolve(chunk.toString());
    }

    /** Returns the directory of a store. */
    Path disk(String store) {
        return mounts.isPresent() ? mountPoint(store).resolve("data") : directory.resolve(store);
    }

    private Path mountPoint(String store) {
        return directory.resolve(store);
    }

    /** Returns the coordinators' addresses for clients. */
    String coordinatorAddress() {
        return coordinator;
    }

    /** Returns whether connections can be cut on this system. */
    boolean canCut() {
        return connected;
    }

    void cut(Pair pair, CutKind cut) {
        network.cut(pair, cut);
    }

    ServerProcess process(String name) {
        return processes.process(name);
    }

    void restart(String name) throws IOException {
        named(processes.restart(name));
    }

    /** Restarts a helper with its empty disk, which the cluster is told to accept as new. */
    void restartReplaced(String helper) throws IOException {
        named(processes.restart(helper, Map.of(), List.of("--replace-disk", store(helper))));
    }

    /** Returns whether disks can be filled while their helpers run, up to the last byte or file. */
    boolean fillsInPlace() {
        return mounts.isPresent();
    }

    /**
     * Makes a helper's disk full. A disk without its own file system is made full by restarting its helper with a huge
     * reserve.
     *
     * @param files whether files rather than bytes are exhausted
     */
    void fill(String helper, boolean files) throws IOException {
        if (mounts.isPresent()) {
            mounts.get().fill(mountPoint(store(helper)), files);
        } else {
            named(processes.restart(helper, Map.of(reserve(helper), ALL)));
        }
    }

    /** Makes room on a full disk again. */
    void relieve(String helper) throws IOException {
        if (mounts.isPresent()) {
            mounts.get().relieve(mountPoint(store(helper)));
        } else {
            named(processes.restart(helper, Map.of(reserve(helper), RESERVE)));
        }
    }

    /** Returns the stores that are available now; none when the coordinator does not answer. */
    Set<String> available() throws InterruptedException {
        return said(observer.stores().list()).orElse(List.of()).stream()
                .filter(StoreStatus::available)
                .map(status -> status.store().id().value())
                .collect(Collectors.toSet());
    }

    /** Returns the status of the coordinator's upkeep; empty when it does not answer. */
    Optional<UpkeepStatus> status() throws InterruptedException {
        return said(observer.cluster().status());
    }

    /** Orders a garbage collection; returns false when the coordinator does not answer. */
    boolean collect(UUID order) throws InterruptedException {
        return said(observer.cluster().collect(order, false)).isPresent();
    }

    /**
     * Returns the progress of an ordered garbage collection; empty when the coordinator does not answer. A coordinator
     * that was started since knows no order of before: its round was given up.
     */
    Optional<OrderedRound> collection(UUID order) throws InterruptedException {
        return said(observer.cluster().collection(order).exceptionally(failure -> {
            if (Reasons.unwrapped(failure) instanceof CloudMwException known && known.code() == ErrorCode.NOT_FOUND) {
                return new OrderedRound(0, OrderedRound.State.CANCELLED, CollectRound.NONE);
            }
            throw new CompletionException(failure);
        }));
    }

    /** Returns the chunks of a version with their current placement; empty when the coordinator does not answer. */
    Optional<List<Chunk>> locate(FilePath file, VersionId version) throws InterruptedException {
        return said(observer.files().locate(file, version, ONLY_SEGMENT));
    }

    private static <T> Optional<T> said(CompletableFuture<T> asked) throws InterruptedException {
        try {
            return Optional.of(asked.get());
        } catch (ExecutionException e) {
            log.debug("the coordinator does not answer", e);
            return Optional.empty();
        }
    }

    /** Resumes all paused processes. */
    void resumeAll() {
        for (String name :
                Stream.concat(coordinators.stream(), helpers.stream()).toList()) {
            try {
                processes.process(name).resume();
            } catch (RuntimeException e) {
                log.debug("cannot resume {}", name, e);
            }
        }
    }
}
