package io.cloudmw.coordinator.upkeep;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.StoreCandidate;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.upkeep.Task;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Sample chunks, stores and tasks for tests. */
public final class UpkeepSamples {
    public static final FilePath FILE = FilePath.parse("v:/f");

    private UpkeepSamples() {}

    public static StoreId id(String name) {
        return new StoreId(name);
    }

    /** Returns a chunk of two leaves. */
    public static Chunk chunk(String... stores) {
        return new Chunk(
                0,
                new ChunkId(VersionId.random(), 0),
                new ByteRange(0, 8),
                4,
                new LeafDigests(new int[2], new byte[2 * LeafDigests.SHA256_BYTES]),
                Arrays.stream(stores).map(StoreId::new).toList());
    }

    /** Returns the disk of a helper of the same name, in its own failure domain. */
    public static Store disk(String name) {
        return new Store(id(name), "domain-" + name, new Store.Disk(new HelperId(name), Path.of("/" + name)));
    }

    public static Store bucket(String name) {
        return new Store(id(name), "domain-" + name, new Store.S3(name, "r", "", false, ""));
    }

    public static StoreCondition up(Store store) {
        return new StoreCondition(new StoreCandidate(store, "", 1), Long.MAX_VALUE, true, Duration.ZERO, false, false);
    }

    public static StoreCondition full(Store store) {
        return new StoreCondition(new StoreCandidate(store, "full", 1), 0, true, Duration.ZERO, false, false);
    }

    public static StoreCondition away(Store store) {
        return new StoreCondition(
                new StoreCandidate(store, "away", 1), Long.MAX_VALUE, false, Duration.ofSeconds(1), false, false);
    }

    public static StoreCondition lost(Store store) {
        return new StoreCondition(
                new StoreCandidate(store, "away", 1), Long.MAX_VALUE, false, Duration.ofDays(1), true, false);
    }

    public static StoreCondition draining(StoreCondition store) {
        return new StoreCondition(
                store.candidate(), store.roomBytes(), store.available(), store.away(), store.lost(), true);
    }

    public static Map<StoreId, StoreCondition> stores(StoreCondition... conditions) {
        Map<StoreId, StoreCondition> byId = new LinkedHashMap<>();
        for (StoreCondition condition : conditions) {
            byId.put(condition.id(), condition);
        }
        return byId;
    }

    public static ReplicaRecord record(Chunk chunk, String store, ReplicaState state) {
        return new ReplicaRecord(chunk.id(), id(store), state, 0);
    }

    public static Task.Copy copy(Store target, int good) {
        return new Task.Copy(chunk("x"), target, FILE, List.of(), good);
    }
}
