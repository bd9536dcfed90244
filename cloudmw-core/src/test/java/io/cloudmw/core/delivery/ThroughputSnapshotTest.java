package io.cloudmw.core.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.race.Block;
import io.cloudmw.core.race.BlockId;
import io.cloudmw.core.race.BlockRule;
import io.cloudmw.core.race.Entrant;
import io.cloudmw.core.race.RacerId;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ThroughputSnapshotTest {
    private static final StoreId STORE = new StoreId("s");
    private static final long NOW = 1_000_000_000;

    @Test
    void attemptIsBehindBelowHalfTheMedianRate() {
        for (long seed = 0; seed < 1000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<BlockProgress> blocks = IntStream.range(0, random.nextInt(1, 12))
                    .mapToObj(id -> block(id, 0, random.nextInt(6)))
                    .toList();
            ThroughputSnapshot snapshot = new ThroughputSnapshot(blocks, List.of(), NOW);
            for (BlockProgress block : blocks) {
                assertThat(snapshot.isBehindOthers(block.attempt().rate(NOW)))
                        .as("seed %d", seed)
                        .isEqualTo(isBehind(block, blocks));
            }
        }
    }

    private static boolean isBehind(BlockProgress block, List<BlockProgress> blocks) {
        double[] others = blocks.stream()
                .filter(other -> other != block)
                .mapToDouble(other -> other.attempt().rate(NOW))
                .sorted()
                .toArray();
        return others.length == 0 || block.attempt().rate(NOW) < others[others.length / 2] / 2;
    }

    @Test
    void rateAtStoreIsTheMeanOfAttemptsOlderThanHalfASecond() {
        BlockProgress old = block(0, 0, 300);
        BlockProgress other = block(1, 0, 100);
        BlockProgress young = block(2, NOW - 500_000_000, 900);

        assertThat(new ThroughputSnapshot(List.of(young), List.of(), NOW).rateAt(STORE, 7))
                .isEqualTo(7);
        assertThat(new ThroughputSnapshot(List.of(old, other, young), List.of(), NOW).rateAt(STORE, 7))
                .isCloseTo(200.0 / NOW, within(1e-12));
    }

    private static BlockProgress block(int id, long startedAtNanos, int bytes) {
        ChunkPlan plan = new ChunkPlan(
                0,
                new ByteRange(0, 1000),
                1000,
                100,
                List.of(STORE),
                Set.of(),
                List.of(new Entrant(new RacerId(id), 0)));
        WantedRange range = new WantedRange(new ChunkRoutes(plan), id, 0, plan.range());
        Block block = new Block(new BlockId(id), 0, plan.range(), 1, plan.entrants(), BlockRule.SOLE);
        BlockProgress progress = new BlockProgress(range, block, IssueReason.PLANNED, 0, startedAtNanos);
        progress.attempt().started(new RacerId(id), startedAtNanos);
        progress.attempt().reached(1, startedAtNanos);
        progress.attempt().reached(1 + bytes, NOW);
        return progress;
    }
}
