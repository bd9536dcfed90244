package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.status.fleet.SwitchActivity;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of a tree of switches. Helpers 1 and 2 have the disks; 3 to 6 are switches on four hosts in two zones, and each
 * host has clients.
 */
final class SwitchTreeIT {
    private static final long MIB = 1 << 20;
    private static final int FIRST = 3;
    private static final int LAST = 6;
    private static final double ONCE = 1.02;

    /**
     * The limit on bytes read from stores, in file sizes. The killed switch may have read some bytes that it did not
     * pass on.
     */
    private static final double HARDLY_AGAIN = 1.1;

    private static final String READ = "cloudmw_store_read_bytes_total";
    private static final String SENT = "cloudmw_switch_sent_bytes_total";
    private static final String RECEIVED = "cloudmw_switch_received_bytes_total";

    @TempDir
    private Path directory;

    private final List<CloudMw> clients = new ArrayList<>();

    @AfterEach
    void closeClients() {
        clients.forEach(CloudMw::close);
    }

    private static Location host(int helper) {
        return Location.parse("zone-" + helper % 2 + "/host-" + helper);
    }

    private Fleet fleet(int clientsPerHost, String throttle, String... processes) throws IOException {
        Fleet fleet = Fleet.hostedDisks(directory, 2, throttle, processes);
        fleet.startHelpers(
                FIRST,
                LAST,
                i -> Map.of(
                        "helper.switch.volumes",
                        "shared",
                        "helper.location",
                        host(i).toString(),
                        "helper.cache.memory",
                        "16MiB",
                        "helper.cache.disk.dir",
                        directory.resolve("cache-" + i).toString()));
        for (int i = FIRST; i <= LAST; i++) {
            for (int client = 0; client < clientsPerHost; client++) {
                clients.add(CloudMw.connect(fleet.readingOnce().withLocation(host(i))));
            }
        }
        return fleet;
    }

    private static FilePath file(Fleet fleet) {
        return new FilePath(fleet.volume("shared", new Chunking.BySize(16 * MIB), 2, Fleet.disks(1, 2)), "/f");
    }

    /** Starts reads by all clients at once, each as a stream, so that repeated bytes would be noticed. */
    private List<CompletableFuture<GetReceipt>> getAll(FilePath file) throws IOException {
        List<CompletableFuture<GetReceipt>> gets = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            FileChannel target = FileChannel.open(target(i), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            gets.add(clients.get(i)
                    .files()
                    .read(file, target, GetOptions.defaults())
                    .whenComplete((receipt, failure) -> close(target)));
        }
        return gets;
    }

    private static void close(FileChannel target) {
        try {
            target.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Path target(int client) {
        return directory.resolve("out-" + client);
    }

    private void assertAllGot(Path source) throws IOException {
        for (int i = 0; i < clients.size(); i++) {
            assertThat(Files.mismatch(source, target(i))).as("client " + i).isEqualTo(-1);
        }
    }

    private static double ofSwitches(Fleet fleet, String meter) throws Exception {
        double sum = 0;
        for (int i = FIRST; i <= LAST; i++) {
            sum += fleet.metric(i, meter);
        }
        return sum;
    }

    /**
     * Each switch receives every byte once, from a store or from the switch above it. Its clients read only from it.
     */
    @Test
    void clientsReadFromTheNearSwitchAndStoresAreReadOnce() throws Exception {
        long size = 48 * MIB + 12_345;
        try (Fleet fleet = fleet(2, "")) {
            FilePath file = file(fleet);
            Path source = fleet.file("source", size);
            fleet.put(source, file);
            double before = fleet.metricOfAll(2, READ);
            List<CompletableFuture<GetReceipt>> gets = getAll(file);
            for (int i = 0; i < gets.size(); i++) {
                String near = "helper-" + (FIRST + i / 2);
                assertThat(gets.get(i).join().winners()).containsOnlyKeys(near);
            }
            assertAllGot(source);
            assertThat(fleet.metricOfAll(2, READ) - before).isBetween((double) size, ONCE * size);
            for (int i = FIRST; i <= LAST; i++) {
                assertThat(fleet.metric(i, RECEIVED) + fleet.metric(i, "cloudmw_cache_fetched_bytes_total"))
                        .isBetween((double) size, ONCE * size);
            }
            // The meter counts bytes after they are sent, which may be after the client has read them.
            await().untilAsserted(() -> assertThat(ofSwitches(fleet, SENT)).isBetween(3.0 * size, 3 * ONCE * size));
            assertTheFleetIsShown(fleet, size);
        }
    }

    /** Waits for the fleet's figures, which come with heartbeats. */
    private static void assertTheFleetIsShown(Fleet fleet, long size) {
        await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
            List<SwitchActivity> switches = fleet.client().cluster().fleet().join().helpers().stream()
                    .flatMap(helper -> helper.activity().switching().stream())
                    .toList();
            assertThat(switches).hasSize(LAST - FIRST + 1).allSatisfy(one -> {
                assertThat(one.keptBytes()).isGreaterThanOrEqualTo(size);
                assertThat(one.servedBytes()).isGreaterThanOrEqualTo(2 * size);
                assertThat((double) one.storeBytes() + one.aboveBytes()).isBetween((double) size, ONCE * size);
                assertThat(one.hitRatio()).isBetween(0.4, 1.0);
                assertThat(one.above()).isZero();
                assertThat(one.below()).isZero();
            });
            assertThat(switches.stream().mapToLong(SwitchActivity::belowBytes).sum())
                    .isGreaterThanOrEqualTo(3 * size);
        });
    }

    /** Clients and switches that read through the dead switch continue through others, from the first missing leaf. */
    @Test
    void readsSurviveAKilledSwitchAndStoresAreHardlyReadAgain() throws Exception {
        long size = 192 * MIB + 12_345;
        try (Fleet fleet = fleet(1, "24MiB/s", "helper-" + FIRST)) {
            FilePath file = file(fleet);
            Path source = fleet.file("source", size);
            fleet.put(source, file);
            double before = fleet.metricOfAll(2, READ);
            List<CompletableFuture<GetReceipt>> gets = getAll(file);
            await().atMost(Duration.ofMinutes(2)).until(() -> fleet.metric(FIRST, SENT) > 16 * MIB);
            fleet.helper(FIRST).kill();
            gets.forEach(CompletableFuture::join);
            assertAllGot(source);
            double moved = 0;
            for (int i = FIRST + 1; i <= LAST; i++) {
                moved += fleet.metric(i, "cloudmw_switch_moved_total");
            }
            assertThat(moved).isPositive();
            assertThat(fleet.metricOfAll(2, READ) - before).isBetween((double) size, HARDLY_AGAIN * size);
        }
    }

    /**
     * A client without a location reads each block from the switch that the block is assigned to. Stores are still read
     * only once.
     */
    @Test
    void clientsWithAndWithoutALocationReadStoresOnceTogether() throws Exception {
        long size = 48 * MIB + 12_345;
        try (Fleet fleet = fleet(1, "")) {
            clients.add(CloudMw.connect(fleet.readingOnce()));
            clients.add(CloudMw.connect(fleet.readingOnce().withLocation(Location.parse("zone-9/host-9"))));
            FilePath file = file(fleet);
            Path source = fleet.file("source", size);
            fleet.put(source, file);
            double before = fleet.metricOfAll(2, READ);
            getAll(file).forEach(CompletableFuture::join);
            assertAllGot(source);
            assertThat(fleet.metricOfAll(2, READ) - before).isBetween((double) size, ONCE * size);
        }
    }
}
