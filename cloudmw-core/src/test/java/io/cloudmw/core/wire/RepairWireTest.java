package io.cloudmw.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.status.MissingHelper;
import io.cloudmw.core.status.RepairObstacle;
import io.cloudmw.core.status.RepairProgress;
import io.cloudmw.proto.v1.RepairFare;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class RepairWireTest {
    private static final MissingHelper AWAITED =
            new MissingHelper(List.of(new StoreId("a")), List.of(new StoreId("b"), new StoreId("c")));

    private static RepairFare fare(Map<RepairObstacle, Long> obstacles, long waiting) {
        RepairProgress repair = new RepairProgress(
                new TreeMap<>(),
                obstacles,
                new TreeMap<>(),
                new TreeMap<>(),
                new TreeMap<>(Map.of(AWAITED, waiting)),
                0,
                false,
                0,
                0,
                0,
                0,
                RepairProgress.NOT_COUNTED);
        return RepairFare.newBuilder()
                .putAllObstacles(RepairWire.obstacles(repair))
                .setNoHelper(obstacles.getOrDefault(RepairObstacle.NO_HELPER, 0L))
                .addAllAwaitedHelpers(RepairWire.awaited(repair))
                .build();
    }

    @Test
    void awaitedHelpersComeThrough() throws CloudMwException {
        for (Map<RepairObstacle, Long> obstacles : List.of(
                Map.of(RepairObstacle.NO_HELPER, 3L),
                Map.of(RepairObstacle.NO_HELPER, 3L, RepairObstacle.NO_TARGET, 2L, RepairObstacle.AWAITED, 1L),
                Map.of(RepairObstacle.NO_TARGET, 2L))) {
            RepairFare message = fare(obstacles, 3);
            assertThat(RepairWire.obstacles(message)).isEqualTo(obstacles);
            assertThat(RepairWire.awaited(message)).isEqualTo(Map.of(AWAITED, 3L));
        }
        assertThat(AWAITED.describe()).isEqualTo("a helper that can use a and one of b, c");
    }

    @Test
    void aClientOfTheReleaseBeforeSeesOnlyObstaclesItKnows() {
        RepairFare message = fare(Map.of(RepairObstacle.NO_HELPER, 3L, RepairObstacle.NO_TARGET, 2L), 3);
        assertThat(message.getObstaclesMap()).isEqualTo(Map.of("NO_TARGET", 5L));
    }
}
