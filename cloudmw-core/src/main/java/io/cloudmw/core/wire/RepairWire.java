package io.cloudmw.core.wire;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.status.MissingHelper;
import io.cloudmw.core.status.RepairObstacle;
import io.cloudmw.core.status.RepairProgress;
import io.cloudmw.proto.v1.AwaitedHelperFare;
import io.cloudmw.proto.v1.RepairFare;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The messages of obstacles to repair. Clients of the previous release do not know {@code NO_HELPER}: the map of
 * obstacles counts those chunks as {@code NO_TARGET}, and a field of its own has their number.
 */
final class RepairWire {
    private RepairWire() {}

    static Map<String, Long> obstacles(RepairProgress repair) {
        Map<String, Long> obstacles = new HashMap<>();
        repair.obstacles().forEach((obstacle, chunks) -> {
            RepairObstacle reported = obstacle == RepairObstacle.NO_HELPER ? RepairObstacle.NO_TARGET : obstacle;
            obstacles.merge(reported.name(), chunks, Long::sum);
        });
        return obstacles;
    }

    static Map<RepairObstacle, Long> obstacles(RepairFare message) throws CloudMwException {
        Map<RepairObstacle, Long> obstacles = new EnumMap<>(RepairObstacle.class);
        for (Map.Entry<String, Long> obstacle : message.getObstaclesMap().entrySet()) {
            obstacles.put(FromWire.valid(() -> RepairObstacle.valueOf(obstacle.getKey())), obstacle.getValue());
        }
        long noHelper = message.getNoHelper();
        if (noHelper > 0) {
            obstacles.put(RepairObstacle.NO_HELPER, noHelper);
            obstacles.computeIfPresent(
                    RepairObstacle.NO_TARGET, (obstacle, chunks) -> chunks > noHelper ? chunks - noHelper : null);
        }
        return obstacles;
    }

    static List<AwaitedHelperFare> awaited(RepairProgress repair) {
        return repair.awaited().entrySet().stream()
                .map(wait -> AwaitedHelperFare.newBuilder()
                        .addAllSourceStoreIds(texts(wait.getKey().sources()))
                        .addAllTargetStoreIds(texts(wait.getKey().targets()))
                        .setChunks(wait.getValue())
                        .build())
                .toList();
    }

    static SortedMap<MissingHelper, Long> awaited(RepairFare message) throws CloudMwException {
        SortedMap<MissingHelper, Long> awaited = new TreeMap<>();
        for (AwaitedHelperFare fare : message.getAwaitedHelpersList()) {
            awaited.put(
                    new MissingHelper(ids(fare.getSourceStoreIdsList()), ids(fare.getTargetStoreIdsList())),
                    fare.getChunks());
        }
        return awaited;
    }

    private static List<String> texts(List<StoreId> stores) {
        return stores.stream().map(StoreId::value).toList();
    }

    private static List<StoreId> ids(List<String> texts) throws CloudMwException {
        List<StoreId> ids = new ArrayList<>();
        for (String text : texts) {
            ids.add(FromWire.storeId(text));
        }
        return ids;
    }
}
