package io.cloudmw.it.bench;

import io.cloudmw.client.ClientSecurity;
import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.file.Watch;
import io.cloudmw.client.file.WatchListener;
import io.cloudmw.coordinator.server.CoordinatorConfig;
import io.cloudmw.coordinator.server.CoordinatorServer;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.time.Sleeper;
import io.cloudmw.core.time.Ticker;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A benchmark of the delay until a watching client receives a change, on the loopback. One client makes changes at an
 * even rate, others watch them. The coordinator, with a catalog on disk, and all clients run in this process, each with
 * its own connections.
 *
 * <p>Arguments: directory of the catalog, changes (5000), changes per second (100), watching clients (4).
 */
public final class WatchBench {
    private static final VolumeName VOLUME = new VolumeName("bench");
    private static final FilePath FILE = new FilePath(VOLUME, "/dir/file");
    private static final double NANOS_PER_MILLI = 1e6;
    /** The number of unmeasured changes, until the JIT compilers are done. */
    private static final int WARM_UP = 500;

    private final PrintStream out;
    private final int changes;
    private final long pauseNanos;
    private final Ticker ticker = Ticker.system();
    private final long[] called;
    private final long[] acknowledged;
    private final List<AtomicLongArray> told = new ArrayList<>();

    private WatchBench(PrintStream out, int changes, int perSecond) {
        this.out = out;
        this.changes = WARM_UP + changes;
        this.pauseNanos = 1_000_000_000L / perSecond;
        this.called = new long[this.changes];
        this.acknowledged = new long[this.changes];
    }

    /** Runs the benchmark. */
    @SuppressWarnings("SystemOut") // a command
    public static void main(String... args) throws Exception {
        Path directory = args.length > 0 ? Path.of(args[0]) : Files.createTempDirectory("cloudmw-watch-bench");
        int changes = args.length > 1 ? Integer.parseInt(args[1]) : 5000;
        int perSecond = args.length > 2 ? Integer.parseInt(args[2]) : 100;
        int watchers = args.length > 3 ? Integer.parseInt(args[3]) : 4;
        new WatchBench(System.out, changes, perSecond).run(directory, watchers);
    }

    private static CloudMwOptions options(CoordinatorServer coordinator) {
        return CloudMwOptions.of(coordinator.address().toString()).withSecurity(ClientSecurity.insecure());
    }

    private void run(Path directory, int watchers) throws Exception {
        Settings settings = Settings.of(Map.of(
                "tls.insecure",
                "true",
                "coordinator.listen",
                "127.0.0.1:0",
                "coordinator.data-dir",
                directory.resolve("data").toString(),
                "cluster.secret-file",
                directory.resolve("secret").toString()));
        List<CloudMw> clients = new ArrayList<>();
        try (CoordinatorServer coordinator = CoordinatorServer.start(CoordinatorConfig.read(settings));
                CloudMw writer = CloudMw.connect(options(coordinator))) {
            prepare(writer);
            List<Watch> watches = new ArrayList<>();
            for (int i = 0; i < watchers; i++) {
                CloudMw client = CloudMw.connect(options(coordinator));
                clients.add(client);
                watches.add(watch(client));
            }
            for (Watch watch : watches) {
                watch.started().join();
            }
            write(writer);
            for (Watch watch : watches) {
                while (watch.position().orElse(0) <= changes) {
                    Sleeper.system().sleep(pauseNanos);
                }
            }
        } finally {
            clients.forEach(CloudMw::close);
        }
        report(watchers);
    }

    private static void prepare(CloudMw writer) {
        StoreId store = new StoreId("bucket");
        writer.stores()
                .add(new Store(store, "domain", new Store.S3("bucket", "eu-west-1", "", false, "")), false)
                .join();
        writer.volumes()
                .create(new Volume(VOLUME, new Chunking.ByCount(1), 1, List.of(store), 1, Mode.ROUNDS, false, 0))
                .join();
        var unused = writer.files()
                .put(InputStream.nullInputStream(), 0, FILE, PutOptions.defaults())
                .join();
    }

    /** Opens a watch. The put of the file has position 1, the first measured change position 2. */
    private Watch watch(CloudMw client) {
        AtomicLongArray times = new AtomicLongArray(changes);
        told.add(times);
        return client.files().watch(VOLUME, "/dir", OptionalLong.of(1), new WatchListener() {
            @Override
            public void changed(Change change) {
                times.set((int) change.position() - 2, ticker.nanos());
            }

            @Override
            public void lost(long position) {
                throw new IllegalStateException("lost up to " + position);
            }
        });
    }

    private void write(CloudMw writer) throws InterruptedException {
        long startedNanos = ticker.nanos();
        for (int i = 0; i < changes; i++) {
            Sleeper.system().sleep(startedNanos + i * pauseNanos - ticker.nanos());
            called[i] = ticker.nanos();
            var unused = writer.files()
                    .setAttributes(FILE, Map.of("change", Integer.toString(i)), Set.of())
                    .join();
            acknowledged[i] = ticker.nanos();
        }
    }

    private void report(int watchers) {
        out.printf(
                "%d changes at %.0f/s, %d watching clients, load %.1f%n",
                changes - WARM_UP,
                1e9 / pauseNanos,
                watchers,
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        long[] calls = new long[changes - WARM_UP];
        long[] fromCall = new long[calls.length * watchers];
        long[] fromAcknowledgment = new long[calls.length * watchers];
        for (int i = 0; i < calls.length; i++) {
            int change = WARM_UP + i;
            calls[i] = acknowledged[change] - called[change];
            for (int w = 0; w < watchers; w++) {
                long at = told.get(w).get(change);
                fromCall[i * watchers + w] = at - called[change];
                fromAcknowledgment[i * watchers + w] = Math.max(0, at - acknowledged[change]);
            }
        }
        print("call to its acknowledgment", calls);
        print("call to notified client", fromCall);
        print("acknowledgment to notified client", fromAcknowledgment);
    }

    private void print(String what, long[] nanos) {
        Arrays.sort(nanos);
        out.printf(
                "%-34s p50 %7.3f ms  p99 %7.3f ms  max %7.3f ms%n",
                what,
                nanos[nanos.length / 2] / NANOS_PER_MILLI,
                nanos[(int) Math.min(nanos.length - 1L, nanos.length * 99L / 100)] / NANOS_PER_MILLI,
                nanos[nanos.length - 1] / NANOS_PER_MILLI);
    }
}
