package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.volume.Chunking;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a client that stops reading holds only its credit. */
final class SlowClientsIT {
    private static final long MIB = 1 << 20;
    private static final int CLIENTS = 1000;
    private static final String USED = "cloudmw_bulk_memory_used_bytes";
    private static final String RECLAIMED = "cloudmw_relay_reclaimed_bytes_total";
    private static final String HELD = "cloudmw_cache_held_bytes";

    @TempDir
    private Path directory;

    /** Starts a fleet with the documented heap and default direct memory, and with reports of leaked buffers. */
    private Fleet fleet(Map<String, String> settings) throws Exception {
        Map<String, String> small = Map.of(
                "CLOUDMW_JAVA_OPTS", "-Xmx256m -XX:MaxDirectMemorySize=128m -Dio.netty.leakDetection.level=paranoid");
        Fleet fleet = new Fleet(directory, small);
        fleet.startDiskHelpers(1, "");
        Map<String, String> all = new HashMap<>(settings);
        all.put("helper.switch.volumes", "*");
        all.put("helper.cache.memory", "32MiB");
        fleet.startHelper(2, all);
        return fleet;
    }

    private static FilePath put(Fleet fleet, String name, long bytes) throws Exception {
        FilePath file = new FilePath(fleet.volume(name, new Chunking.BySize(16 * MIB), 1, Fleet.disks(1)), "/f");
        fleet.put(fleet.file(name, bytes), file);
        return file;
    }

    private void assertNothingWasLost() {
        assertThat(directory.resolve("helper-2.log")).content().doesNotContain("LEAK", "OutOfMemory");
    }

    @Test
    void thousandIdleReadersDelayNoOtherClient() throws Exception {
        try (Fleet fleet = fleet(Map.of())) {
            FilePath file = put(fleet, "v", 128 * MIB);
            try (SilentClients silent = new SilentClients(fleet.coordinatorAddress(), fleet.client(), file)) {
                silent.add(CLIENTS);
                fleet.get(file, fleet.target("back"));
                assertThat(Files.mismatch(directory.resolve("v"), fleet.target("back")))
                        .isEqualTo(-1);
                assertThat(silent.failures()).isEmpty();
                // The limit covers leaves, frames and scratch buffers.
                assertThat(fleet.metric(2, USED)).isLessThan(64.0 * MIB);
            }
            // Only cached bytes remain.
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(fleet.metric(2, USED)).isLessThan(fleet.metric(2, HELD) + MIB));
        }
        assertNothingWasLost();
    }

    /**
     * Each client asks for a different block. The blocks together have eight times the size of the spool and of the
     * memory beside the cache.
     */
    @Test
    void blocksOfIdleReadersAreDroppedAndFetchedAgainWhenTheyResume() throws Exception {
        Map<String, String> settings = Map.of("helper.spool.limit", "48MiB", "helper.relay.idle", "200ms");
        try (Fleet fleet = fleet(settings)) {
            FilePath cold = put(fleet, "cold", 512 * MIB);
            FilePath hot = put(fleet, "hot", 8 * MIB);
            try (SilentClients silent = new SilentClients(fleet.coordinatorAddress(), fleet.client(), cold)) {
                silent.add(128);
                assertThat(fleet.metric(2, RECLAIMED)).isGreaterThan(64.0 * MIB);
                fleet.get(hot, fleet.target("back"));
                assertThat(Files.mismatch(directory.resolve("hot"), fleet.target("back")))
                        .isEqualTo(-1);
                assertThat(silent.failures()).isEmpty();
                silent.goOn();
                assertThat(silent.failures()).isEmpty();
            }
        }
        assertNothingWasLost();
    }
}
