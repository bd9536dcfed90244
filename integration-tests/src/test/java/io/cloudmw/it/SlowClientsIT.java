package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.model.Chunking;
import io.cloudmw.core.model.FilePath;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that stops reading costs its credit and nothing else. */
final class SlowClientsIT {
    private static final long MIB = 1 << 20;
    private static final int CLIENTS = 1000;
    private static final String USED = "cloudmw_bulk_memory_used_bytes";
    private static final String HELD = "cloudmw_cache_held_bytes";

    @TempDir
    private Path directory;

    /** As much heap as is promised, no more direct memory than any helper has, and a word of every buffer that is lost. */
    private Fleet fleet() throws Exception {
        Map<String, String> small = Map.of(
                "CLOUDMW_JAVA_OPTS", "-Xmx256m -XX:MaxDirectMemorySize=128m -Dio.netty.leakDetection.level=paranoid");
        Fleet fleet = new Fleet(directory, small);
        fleet.startDiskHelpers(1, "");
        Map<String, String> settings = new HashMap<>();
        settings.put("helper.switch.volumes", "*");
        settings.put("helper.cache.memory", "32MiB");
        settings.put("helper.transfers.limit", "1100");
        fleet.startHelper(2, settings);
        return fleet;
    }

    @Test
    void aThousandThatReadNothingHoldUpNobody() throws Exception {
        try (Fleet fleet = fleet()) {
            FilePath file = new FilePath(fleet.volume("v", new Chunking.BySize(16 * MIB), 1, Fleet.disks(1)), "/f");
            Path source = fleet.file("source", 128 * MIB);
            fleet.put(source, file);
            try (SilentClients silent = new SilentClients(fleet.coordinatorAddress(), fleet.client(), file)) {
                silent.add(CLIENTS);
                fleet.get(file, fleet.target("back"));
                assertThat(Files.mismatch(source, fleet.target("back"))).isEqualTo(-1);
                assertThat(silent.failures()).isEmpty();
                // What leaves may use, and frames and scratch buffers beside them.
                assertThat(fleet.metric(2, USED)).isLessThan(64.0 * MIB);
            }
            // Nothing stays behind them but what is kept for others.
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThat(fleet.metric(2, USED)).isLessThan(fleet.metric(2, HELD) + MIB));
        }
        assertThat(directory.resolve("helper-2.log")).content().doesNotContain("LEAK", "OutOfMemory");
    }
}
