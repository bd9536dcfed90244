package io.cloudmw.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.bulk.message.WriteObstacle;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.RepairProgress;
import io.cloudmw.core.status.ScrubProgress;
import io.cloudmw.core.status.StoreCandidate;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.status.UpkeepStatus;
import io.cloudmw.core.status.collect.CollectProgress;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.thread.SerialExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The obstacles that a waiting put names for its stores. */
final class StoreObstaclesTest {
    private final FakeTicker ticker = new FakeTicker();
    private final List<CompletableFuture<UpkeepStatus>> calls = new ArrayList<>();
    private final StoreObstacles obstacles = new StoreObstacles(
            this::call,
            new SerialExecutor(Runnable::run, defect -> {
                throw new AssertionError(defect);
            }),
            ticker);

    private CompletableFuture<UpkeepStatus> call() {
        CompletableFuture<UpkeepStatus> call = new CompletableFuture<>();
        calls.add(call);
        return call;
    }

    private static StoreCondition store(String id, String obstacle, boolean available) {
        Store bucket = new Store(new StoreId(id), id, new Store.S3("b", "us-east-1", "", false, ""));
        Duration away = available ? Duration.ZERO : Duration.ofSeconds(12);
        return new StoreCondition(new StoreCandidate(bucket, obstacle, 1), 0, available, away, false, false);
    }

    @Test
    void storesAreNamedWithTheirObstaclesOnceKnown() {
        List<StoreId> stores = List.of(new StoreId("a"), new StoreId("b"), new StoreId("c"));
        obstacles.ask();
        obstacles.ask();
        assertThat(calls).hasSize(1);
        assertThat(obstacles.text(stores, List.of())).isEqualTo("a, b, c");

        calls.get(0)
                .complete(new UpkeepStatus(
                        List.of(store("a", "full: 10 bytes free", true), store("b", "", false), store("c", "", true)),
                        List.of(),
                        new RepairProgress(new TreeMap<>(), Map.of(), new TreeMap<>(), 0, false, 0, 0, 0, 0),
                        ScrubProgress.NONE,
                        CollectProgress.NONE,
                        0,
                        0));

        assertThat(obstacles.text(stores, List.of())).isEqualTo("a (full: 10 bytes free), b (away for 12 s), c");
        obstacles.ask();
        assertThat(calls).hasSize(1);
        ticker.advance(Duration.ofSeconds(5));
        obstacles.ask();
        assertThat(calls).hasSize(2);
        WriteObstacle slow = new WriteObstacle(new StoreId("c"), ErrorCode.OVERLOADED, "SlowDown", 3);
        assertThat(obstacles.text(stores, List.of(slow)))
                .isEqualTo("a (full: 10 bytes free), b (away for 12 s), c (OVERLOADED after 3 tries: SlowDown)");
        obstacles.close();
        assertThat(calls.get(1)).isCancelled();
    }
}
