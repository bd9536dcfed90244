package io.cloudmw.lab.fanout;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.PutOptions;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.lab.fleet.CloseStack;
import io.cloudmw.lab.fleet.GeneratedFile;
import io.cloudmw.lab.fleet.Host;
import io.cloudmw.lab.fleet.LocalFleet;
import io.cloudmw.lab.fleet.ServerProcess;
import io.cloudmw.lab.fleet.WorkingDirectory;
import io.cloudmw.lab.s3.BucketServer;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A fleet of a coordinator, switches, reading processes and one store. The store runs in this process and counts the
 * requests to it. Used by one thread; the given {@link CloseStack} closes all that this opens.
 */
public final class FanOutTestbed {
    private static final VolumeName VOLUME = new VolumeName("lab");
    private static final StoreId STORE = new StoreId("store");
    private static final String BUCKET = "sets";
    private static final long CHUNK_BYTES = 64L << 20;
    private static final String LOADER = "loader";
    /** Memory of a switch for bytes in flight, in addition to its cache. */
    private static final long OTHER_MEMORY_BYTES = 256L << 20;

    /** Memory for a client's bytes in flight, in pools that grow by 16 MiB. */
    private static final long CLIENT_MEMORY_BYTES = 96L << 20;

    private static final long USUAL_CACHE_BYTES = 32L << 20;
    private static final long USUAL_DISK_BYTES = 10L << 30;

    private final FanOutSettings settings;
    private final Path directory;
    private final BucketServer store;
    private final LocalFleet fleet;
    private final List<String> switches = new ArrayList<>();
    private final List<ServerProcess> readers = new ArrayList<>();
    private final List<ServerProcess> neighbours = new ArrayList<>();

    private FanOutTestbed(FanOutSettings settings, Path directory, BucketServer store, LocalFleet fleet) {
        this.settings = settings;
        this.directory = directory;
        this.store = store;
        this.fleet = fleet;
    }

    /**
     * Writes the sets, then starts switches and clients.
     *
     * @param options of all JVMs, added to the required ones
     * @param closing closes all that this opens, also when this fails or is interrupted
     */
    public static FanOutTestbed open(
            FanOutSettings settings, Path launcher, String options, LabSteps steps, CloseStack closing)
            throws Exception {
        WorkingDirectory directory = closing.open(() -> WorkingDirectory.create("cloudmw-lab-"));
        InetAddress own = InetAddress.getByName(settings.hosts().host(0).address());
        BucketServer store =
                closing.open(() -> new BucketServer(directory.path().resolve("buckets"), own));
        Map<String, String> environment = Map.of(
                "AWS_ACCESS_KEY_ID",
                "lab",
                "AWS_SECRET_ACCESS_KEY",
                "laboratory",
                "CLOUDMW_JAVA_OPTS",
                options + " -XX:MaxDirectMemorySize=" + directBytes(settings));
        LocalFleet fleet = closing.open(() -> new LocalFleet(directory.path().resolve("fleet"), launcher, environment));
        FanOutTestbed testbed = new FanOutTestbed(settings, directory.path(), store, fleet);
        testbed.fill(steps);
        steps.say("starting " + settings.switches() + " switch(es) and " + settings.clients() + " client(s)");
        testbed.startSwitches();
        testbed.startClients();
        return testbed;
    }

    /** Returns a memory limit that suffices for a switch and for a process with all clients. */
    private static long directBytes(FanOutSettings settings) {
        int most = Math.max(
                settings.clients(),
                settings.small().map(FanOutSettings.SmallReads::neighbours).orElse(0));
        return OTHER_MEMORY_BYTES + Math.max(cacheBytes(settings), most * CLIENT_MEMORY_BYTES);
    }

    /** Returns the size of a switch's cache in memory. A quarter of it is for bytes in flight. */
    private static long cacheBytes(FanOutSettings settings) {
        return settings.hot() == FanOutSettings.Hot.MEMORY
                ? settings.setBytes() / 2 * 3 + USUAL_CACHE_BYTES
                : USUAL_CACHE_BYTES;
    }

    /** Writes the sets through a helper that stops before switches start, so that no switch has seen any bytes. */
    private void fill(LabSteps steps) throws Exception {
        fleet.place("coordinator", settings.hosts().host(0));
        fleet.startCoordinator(Map.of());
        fleet.place(LOADER, settings.hosts().host(0));
        ServerProcess loader = fleet.startHelper(LOADER, Map.of());
        try (CloudMw client = CloudMw.connect(fleet.clientOptions())) {
            Store.S3 bucket = new Store.S3(BUCKET, "us-east-1", store.endpoint(), true, "");
            client.stores().add(new Store(STORE, STORE.value(), bucket), true).get();
            client.volumes()
                    .create(new Volume(VOLUME, chunking(), 1, List.of(STORE), 1, Mode.DEFAULT, false, 0))
                    .get();
            for (int i = 0; i < settings.sets(); i++) {
                steps.say("writing set " + (i + 1) + " of " + settings.sets());
                write(client, i);
            }
        }
        loader.close();
    }

    private Chunking chunking() {
        int leaf = settings.leafBytes();
        return new Chunking.BySize(Math.min(CHUNK_BYTES, Chunking.maxChunkBytes(leaf)), leaf);
    }

    private void write(CloudMw client, int set) throws Exception {
        Path source = directory.resolve("source");
        GeneratedFile.generate(source, settings.setBytes(), settings.seed() + set);
        client.files().put(source, set(set), PutOptions.defaults()).get();
        Files.delete(source);
    }

    private void startSwitches() throws IOException {
        for (int i = 1; i <= settings.switches(); i++) {
            String name = "switch-" + i;
            Map<String, String> own = new HashMap<>();
            own.put("helper.switch.volumes", VOLUME.value());
            own.put("helper.cache.memory", Long.toString(cacheBytes(settings)));
            if (settings.hot() != FanOutSettings.Hot.MEMORY) {
                own.put("helper.cache.disk.dir", directory.resolve("cache-" + i).toString());
                own.put(
                        "helper.cache.disk.limit",
                        Long.toString(Math.max(USUAL_DISK_BYTES, 2L * settings.sets() * settings.setBytes())));
            }
            if (isTree()) {
                own.put("helper.location", ReadingClients.near(i - 1, settings.switches()));
            }
            fleet.place(name, settings.hosts().host(i));
            fleet.startHelper(name, own);
            switches.add(name);
        }
    }

    /**
     * Starts the reading clients. On many hosts each client is a process, since each host has its own network
     * interface. On one machine one process has all clients, each with its own connections: sixteen JVMs on two
     * processors would mostly measure JIT compilation.
     */
    private void startClients() throws IOException {
        int processes = settings.hosts().areMany() ? settings.clients() : 1;
        for (int i = 1; i <= processes; i++) {
            Host host = settings.hosts().host(isTree() ? 1 + (i - 1) % settings.switches() : settings.switches() + i);
            readers.add(startReaders("client-" + i, host, settings.clients() / processes, i - 1));
        }
        Optional<FanOutSettings.SmallReads> busy = settings.small().filter(small -> small.neighbours() > 0);
        if (busy.isPresent()) {
            Host host = settings.hosts().host(settings.switches() + processes + 1);
            neighbours.add(startReaders(
                    "neighbours",
                    host.with(busy.get().neighbourCommand()),
                    busy.get().neighbours(),
                    0));
        }
        for (ServerProcess process : readers) {
            process.answer();
        }
        for (ServerProcess process : neighbours) {
            process.answer();
        }
    }

    private boolean isTree() {
        return settings.fanOut() == FanOutSettings.FanOut.TREE;
    }

    /**
     * Starts a reading process.
     *
     * @param first the number, from 0, of its first client among all clients, which determines the switch near it
     */
    private ServerProcess startReaders(String name, Host host, int count, int first) throws IOException {
        fleet.place(name, host);
        List<String> command = new ArrayList<>(
                List.of("bench", "switch-clients", fleet.coordinatorAddress(), "--clients", Integer.toString(count)));
        if (isTree()) {
            command.addAll(
                    List.of("--first", Integer.toString(first), "--near", Integer.toString(settings.switches())));
        }
        return fleet.startTalking(name, command);
    }

    FilePath set(int number) {
        return new FilePath(VOLUME, "/set-" + number);
    }

    BucketServer store() {
        return store;
    }

    /** Returns the reading processes. The first process has only one client, unless it has them all. */
    List<ServerProcess> readers() {
        return List.copyOf(readers);
    }

    /** Returns the processes whose clients keep switches busy. */
    List<ServerProcess> neighbours() {
        return List.copyOf(neighbours);
    }

    /** Returns the current processes of the switches; a restarted switch is a new process. */
    List<ServerProcess> switches() {
        return switches.stream().map(fleet::process).toList();
    }

    /** Restarts the switches that were killed. */
    void reviveSwitches() throws IOException {
        for (String name : switches) {
            if (!fleet.process(name).isAlive()) {
                fleet.restart(name);
            }
        }
    }
}
