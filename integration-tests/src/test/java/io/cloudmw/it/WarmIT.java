package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.CloudMw;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.WarmOptions;
import io.cloudmw.client.progress.WarmReceipt;
import io.cloudmw.client.progress.WarmedSwitch;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.volume.Chunking;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of warming caches. Helpers 1 and 2 have the disks; 3 to 6 are switches on four hosts in two zones. */
final class WarmIT {
    private static final long MIB = 1 << 20;
    /** The size of the blocks that are assigned to switches. */
    private static final long BLOCK = 4 * MIB;

    private static final long SIZE = 48 * MIB + 12_345;
    private static final int FIRST = 3;
    private static final int LAST = 6;
    private static final double ONCE = 1.02;
    private static final String READ = "cloudmw_store_read_bytes_total";
    private static final String RECEIVED = "cloudmw_switch_received_bytes_total";

    @TempDir
    private Path directory;

    private static Location host(int helper) {
        return Location.parse("zone-" + helper % 2 + "/host-" + helper);
    }

    private Fleet fleet(String throttle, String... processes) throws IOException {
        return fleet(throttle, Map.of(), processes);
    }

    private Fleet fleet(String throttle, Map<String, String> coordinator, String... processes) throws IOException {
        Fleet fleet = Fleet.hostedDisks(directory, 2, throttle, coordinator, processes);
        fleet.startHelpers(FIRST, LAST, i -> switchOf(i, true));
        return fleet;
    }

    private Map<String, String> switchOf(int i, boolean onDisk) {
        Map<String, String> settings = new HashMap<>();
        settings.put("helper.switch.volumes", "shared");
        settings.put("helper.location", host(i).toString());
        settings.put("helper.cache.memory", "16MiB");
        if (onDisk) {
            settings.put(
                    "helper.cache.disk.dir", directory.resolve("cache-" + i).toString());
        }
        return settings;
    }

    private static FilePath file(Fleet fleet) {
        return new FilePath(fleet.volume("shared", new Chunking.BySize(16 * MIB), 2, Fleet.disks(1, 2)), "/f");
    }

    private static WarmReceipt warm(Fleet fleet, FilePath file, WarmOptions how) {
        return fleet.client().files().warm(file, how).join();
    }

    private static WarmedSwitch of(WarmReceipt receipt, int helper) {
        HelperId id = new HelperId("helper-" + helper);
        return receipt.switches().stream()
                .filter(one -> one.helper().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static boolean isReached(WarmReceipt look, int helper) {
        HelperId id = new HelperId("helper-" + helper);
        return look.switches().stream()
                .anyMatch(one -> one.helper().equals(id) && one.failure().isEmpty());
    }

    /** Reads the whole file by a client on each switch's host. */
    private void readEverywhere(Fleet fleet, FilePath file, Path source) throws IOException {
        for (int i = FIRST; i <= LAST; i++) {
            try (CloudMw client = CloudMw.connect(
                    CloudMwOptions.of(fleet.coordinatorAddress()).withLocation(host(i)))) {
                Path target = fleet.target("out-" + i);
                client.files()
                        .get(file, target, GetOptions.defaults().withDurable(false))
                        .join();
                assertThat(Files.mismatch(source, target)).isEqualTo(-1);
            }
        }
    }

    /**
     * Each switch receives every byte once, and stores are read once altogether. Later reads cause no reads from
     * stores.
     */
    @Test
    void allSwitchesCacheAFileThatStoresServeOnce() throws Exception {
        // The file has enough consecutive blocks that each switch is assigned at least one.
        long size = 24 * BLOCK + 12_345;
        try (Fleet fleet = fleet("")) {
            FilePath file = file(fleet);
            Path source = fleet.file("source", size);
            fleet.put(source, file);
            double before = fleet.metricOfAll(2, READ);
            WarmReceipt receipt = warm(fleet, file, WarmOptions.defaults());
            assertThat(receipt.isComplete()).isTrue();
            assertThat(receipt.switches()).hasSize(4).allSatisfy(one -> {
                assertThat(one.hadBytes()).isZero();
                assertThat(one.parentBytes() + one.storeBytes()).isEqualTo(size);
                assertThat(one.keptBytes()).hasValue(size);
                assertThat(one.storeBytes()).isPositive();
            });
            assertThat(receipt.cost().total().readBytes()).isEqualTo(size);
            double after = fleet.metricOfAll(2, READ);
            assertThat(after - before).isBetween((double) size, ONCE * size);

            readEverywhere(fleet, file, source);
            assertThat(fleet.metricOfAll(2, READ)).isEqualTo(after);

            WarmReceipt again = warm(fleet, file, WarmOptions.defaults());
            assertThat(again.switches())
                    .allSatisfy(one -> assertThat(one.hadBytes()).isEqualTo(size));
            assertThat(again.cost().usage()).isEmpty();
        }
    }

    /**
     * The receipt names the killed switch, and the other switches are warmed. After a restart the switch fetches its
     * missing bytes from the others.
     */
    @Test
    void killedSwitchIsNamedAndASecondRunFetchesItsMissingBytes() throws Exception {
        long size = 96 * MIB + 12_345;
        try (Fleet fleet = fleet("16MiB/s", "helper-" + LAST)) {
            FilePath file = file(fleet);
            fleet.put(fleet.file("source", size), file);
            CompletableFuture<WarmReceipt> first = fleet.client().files().warm(file, WarmOptions.defaults());
            await().atMost(Duration.ofMinutes(1)).until(() -> fleet.metric(LAST, RECEIVED) > 8 * MIB);
            fleet.helper(LAST).kill();
            WarmReceipt receipt = first.join();
            assertThat(receipt.isComplete()).isFalse();
            assertThat(of(receipt, LAST).failure())
                    .hasValueSatisfying(why -> assertThat(why.getMessage()).contains("helper-" + LAST));
            assertThat(of(receipt, LAST).isComplete()).isFalse();
            for (int i = FIRST; i < LAST; i++) {
                assertThat(of(receipt, i).isComplete()).isTrue();
            }

            fleet.restart("helper-" + LAST);
            await().atMost(Duration.ofMinutes(1))
                    .until(() ->
                            isReached(warm(fleet, file, WarmOptions.defaults().onlyLooking()), LAST));
            double before = fleet.metricOfAll(2, READ);
            WarmReceipt second = warm(fleet, file, WarmOptions.defaults());
            assertThat(second.isComplete()).isTrue();
            assertThat(of(second, LAST).hadBytes()).isBetween(4 * MIB, size - 1);
            for (int i = FIRST; i < LAST; i++) {
                assertThat(of(second, i).hadBytes()).isEqualTo(size);
            }
            double lacked = size - of(second, LAST).hadBytes();
            assertThat(fleet.metric(LAST, RECEIVED) + fleet.metric(LAST, "cloudmw_cache_fetched_bytes_total"))
                    .isEqualTo(lacked);
            assertThat(fleet.metricOfAll(2, READ) - before).isLessThanOrEqualTo(lacked);
        }
    }

    /** At the disks' speed the warm-up takes seven seconds; tokens last five. */
    @Test
    void aFileThatTakesLongerThanATokenLastsIsWarmedByOneCommand() throws Exception {
        try (Fleet fleet = fleet("3MiB/s", Map.of("coordinator.token-ttl", "5s"))) {
            FilePath file = file(fleet);
            fleet.put(fleet.file("source", SIZE), file);
            WarmReceipt receipt = warm(fleet, file, WarmOptions.defaults());
            assertThat(receipt.elapsed()).isGreaterThan(Duration.ofSeconds(5));
            assertThat(receipt.switches()).hasSize(4).allSatisfy(one -> {
                assertThat(one.failure()).isEmpty();
                assertThat(one.keptBytes()).hasValue(SIZE);
            });
        }
    }

    @Test
    void warmUpWithALocationWarmsOnlyTheSwitchesThere() throws Exception {
        try (Fleet fleet = fleet("")) {
            FilePath file = file(fleet);
            fleet.put(fleet.file("source", SIZE), file);
            double before = fleet.metricOfAll(2, READ);
            WarmReceipt receipt = warm(fleet, file, WarmOptions.defaults().withTo(Location.parse("zone-1")));
            assertThat(receipt.switches().stream().map(one -> one.helper().value()))
                    .containsExactly("helper-3", "helper-5");
            assertThat(receipt.isComplete()).isTrue();
            assertThat(fleet.metricOfAll(2, READ) - before).isBetween((double) SIZE, ONCE * SIZE);
            WarmReceipt look = warm(fleet, file, WarmOptions.defaults().onlyLooking());
            assertThat(of(look, 4).keptBytes()).hasValue(0);
            assertThat(of(look, 6).keptBytes()).hasValue(0);
            assertThat(of(look, 3).isComplete()).isTrue();
            assertThatThrownBy(() -> warm(fleet, file, WarmOptions.defaults().withTo(Location.parse("zone-7"))))
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .isInstanceOfSatisfying(
                            CloudMwException.class,
                            why -> assertThat(why.code()).isEqualTo(ErrorCode.NOT_FOUND))
                    .hasMessageContaining("zone-7")
                    .hasMessageContaining("zone-0/host-4")
                    .hasMessageContaining("zone-1/host-3");
        }
    }

    @Test
    void switchWithTooSmallACacheGetsNothingWhileOthersAreWarmed() throws Exception {
        try (Fleet fleet = Fleet.hostedDisks(directory, 2, "")) {
            fleet.startHelpers(3, 4, i -> switchOf(i, i == 3));
            FilePath file = file(fleet);
            fleet.put(fleet.file("source", SIZE), file);
            WarmReceipt receipt = warm(fleet, file, WarmOptions.defaults());
            assertThat(of(receipt, 3).isComplete()).isTrue();
            assertThat(of(receipt, 4).missingBytes()).isEqualTo(SIZE);
            assertThat(of(receipt, 4).failure())
                    .hasValueSatisfying(why -> assertThat(why.code()).isEqualTo(ErrorCode.STORE_FULL));
            assertThat(fleet.metric(4, RECEIVED)).isZero();
        }
    }

    /** Tests the command on a directory, for all switches: its output, and exit code 0 only when all are warm. */
    @Test
    void commandWarmsADirectoryAndReportsItsCost() throws Exception {
        try (Fleet fleet = fleet("")) {
            FilePath one = file(fleet);
            Path source = fleet.file("source", 5 * MIB);
            List<FilePath> files =
                    List.of(new FilePath(one.volume(), "/d/a"), new FilePath(one.volume(), "/d/b/c"), one);
            files.forEach(path -> fleet.put(source, path));
            CommandLine command = new CommandLine(fleet.coordinatorAddress());
            CommandLine.Result checked = command.run("warm", "-r", "shared:/d", "--check", "--json");
            assertThat(checked.exitCode()).isEqualTo(5);
            assertThat(checked.json().path("missing_bytes").asLong()).isEqualTo(4 * 10 * MIB);
            CommandLine.Result warmed = command.run("warm", "-r", "shared:/d", "--json");
            assertThat(warmed.exitCode()).isZero();
            assertThat(warmed.json().path("files").asLong()).isEqualTo(2);
            assertThat(warmed.json().path("complete").asBoolean()).isTrue();
            assertThat(warmed.json().path("failed").asLong(-1)).isZero();
            assertThat(warmed.json().path("store_bytes").asLong()).isEqualTo(10 * MIB);
            assertThat(warmed.json().path("missing_bytes").asLong()).isZero();
            CommandLine.Result nowhere = command.run("warm", "shared:/f", "--to", "zone-7");
            assertThat(nowhere.exitCode()).isEqualTo(3);
            assertThat(nowhere.err()).contains("zone-0/host-4");
        }
    }
}
