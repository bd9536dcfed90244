package io.cloudmw.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.cloudmw.cli.cluster.StatusReport;
import io.cloudmw.cli.command.ExitCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.RepairProgress;
import io.cloudmw.core.status.ScrubProgress;
import io.cloudmw.core.status.StoreCandidate;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.status.UpkeepStatus;
import io.cloudmw.core.status.collect.CollectProgress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreCommandsTest {
    @TempDir
    private Path directory;

    private CommandFixture commands;

    @BeforeEach
    void start() throws IOException {
        commands = new CommandFixture(1 << 20, 64 << 10, directory.resolve("nowhere"));
    }

    @AfterEach
    void stop() {
        commands.close();
    }

    @Test
    void listedStoreHasItsConditionAndFreeBytes() throws IOException {
        assertThat(commands.run("store", "ls")).isZero();
        assertThat(commands.out()).contains(" available ").doesNotContain("free=");
        commands.coordinator().full(List.of(new StoreId("s")));
        assertThat(commands.run("store", "ls")).isZero();
        assertThat(commands.out()).contains(" full ").endsWith(" free=0B reserve=0B\n");
        assertThat(commands.run("store", "ls", "--json")).isZero();
        JsonNode store = commands.json().get("stores").get(0);
        assertThat(store.get("available").asBoolean()).isTrue();
        assertThat(store.get("draining").asBoolean()).isFalse();
        assertThat(store.get("free_bytes").asLong(-1)).isZero();
    }

    @Test
    void checkOfADiskShowsItsHelperPathAndFreeBytes() throws IOException {
        assertThat(commands.run("store", "check")).isZero();
        assertThat(commands.out())
                .containsPattern("s +helper h +ok +- +- +" + directory.resolve("nowhere") + ", free space not known");
        commands.coordinator().full(List.of(new StoreId("s")));
        assertThat(commands.run("store", "check", "s")).isZero();
        assertThat(commands.out()).containsPattern("s +helper h +full .* 0 B free besides the reserve of 0 B");
        assertThat(commands.run("store", "check", "--json")).isZero();
        JsonNode check = commands.json().get("checks").get(0);
        assertThat(check.get("path").asText())
                .isEqualTo(directory.resolve("nowhere").toString());
        assertThat(check.get("condition").asText()).isEqualTo("full");
    }

    @Test
    void checkOfADiskWhoseHelperIsGoneFailsAsUnavailable() {
        commands.coordinator().unavailable(List.of(new StoreId("s")));
        assertThat(commands.run("store", "check")).isEqualTo(ExitCode.UNAVAILABLE.value());
        assertThat(commands.out()).containsPattern("s +helper h +unavailable .*is not running or cannot use it");
    }

    @Test
    void statusShowsFreeBytes() {
        StoreCondition disk =
                new StoreCondition(candidate("d1"), 3L << 30, true, Duration.ZERO, false, false, 1L << 30);
        StoreCondition bucket = new StoreCondition(candidate("d2"), Long.MAX_VALUE, true, Duration.ZERO, false, false);
        RepairProgress repair = new RepairProgress(new TreeMap<>(), Map.of(), new TreeMap<>(), 0, false, 0, 0, 0, 0);
        UpkeepStatus status = new UpkeepStatus(
                List.of(disk, bucket), List.of(), repair, ScrubProgress.NONE, CollectProgress.NONE, 0, 0);
        assertThat(StatusReport.lines(status).subList(0, 2))
                .satisfiesExactly(
                        line -> assertThat(line).endsWith(" up, 3.0 GiB free besides the reserve of 1.0 GiB"),
                        line -> assertThat(line).endsWith(" up"));
    }

    @Test
    void statusTellsTheAgeOfItsCountsAndOfStoresThatAreNotCountedYet() {
        StoreCondition disk = new StoreCondition(candidate("d1"), 1, true, Duration.ZERO, false, true, 0);
        StoreCondition next = new StoreCondition(candidate("d2"), 1, true, Duration.ZERO, false, true, 0);
        RepairProgress repair = new RepairProgress(
                new TreeMap<>(Map.of(1, 3L)),
                Map.of(),
                new TreeMap<>(Map.of(new StoreId("d1"), 74L)),
                new TreeMap<>(),
                new TreeMap<>(),
                1,
                false,
                0,
                0,
                0,
                0,
                23_400);
        UpkeepStatus status = new UpkeepStatus(
                List.of(disk, next), List.of(), repair, ScrubProgress.NONE, CollectProgress.NONE, 0, 0);
        assertThat(StatusReport.lines(status))
                .satisfiesOnlyOnce(line -> assertThat(line).endsWith("; draining: 74 copies left (counted 23 s ago)"))
                .satisfiesOnlyOnce(line -> assertThat(line).endsWith("; draining: counting its copies"))
                .contains("under-replicated chunks: 3 (counted 23 s ago)", "scrub: no periodic round has begun yet");
    }

    private static StoreCandidate candidate(String id) {
        Store store = new Store(new StoreId(id), "x", new Store.Disk(new HelperId("h"), Path.of("/d")));
        return new StoreCandidate(store, "", 1);
    }
}
