package io.cloudmw.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.StoreMetrics;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.testing.store.ChunkStoreContract;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.FaultyChunkStore;
import io.cloudmw.core.testing.store.FaultyChunkStore.Fault;
import io.cloudmw.core.testing.store.FaultyChunkStore.Script;
import io.cloudmw.core.testing.store.MemoryChunkStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class MeteredChunkStoreTest extends ChunkStoreContract {
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final FakeTicker time = new FakeTicker();

    @Override
    protected ChunkStore create() {
        return metered(Script.none());
    }

    @Test
    void requestsAndBytesAreCounted() throws Exception {
        ChunkId chunk = seeded(new byte[500]);
        seed(store(), chunk, new byte[500]);
        Chunks.read(store(), chunk, 100, 300);
        store().length(chunk);
        store().list("", 1);
        store().delete(chunk);

        assertThat(requests("put")).isEqualTo(2);
        assertThat(requests("read")).isEqualTo(1);
        assertThat(requests("length")).isEqualTo(1);
        assertThat(requests("list")).isEqualTo(1);
        assertThat(requests("delete")).isEqualTo(1);
        assertThat(count(StoreMetrics.WRITTEN)).isEqualTo(500);
        assertThat(count(StoreMetrics.READ)).isEqualTo(300);
        assertThat(count(StoreMetrics.CANCELLED)).isZero();
    }

    @Test
    void theTimeToTheFirstByteIsMeasuredOnce() throws Exception {
        ChunkId chunk = seeded(new byte[500]);
        try (ChunkReader reader = store().read(chunk, new ByteRange(0, 500))) {
            time.advance(Duration.ofMillis(70));
            reader.read(ByteBuffer.allocate(10));
            time.advance(Duration.ofMillis(70));
            reader.read(ByteBuffer.allocate(10));
        }
        assertThat(meters.get(StoreMetrics.FIRST_BYTE).timer().count()).isEqualTo(1);
        assertThat(meters.get(StoreMetrics.FIRST_BYTE).timer().totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(70);
    }

    @Test
    void aReadClosedBeforeItsEndIsCancelledAndHasNotFailed() throws Exception {
        ChunkId chunk = seeded(new byte[500]);
        ChunkReader reader = store().read(chunk, new ByteRange(0, 500));
        reader.read(ByteBuffer.allocate(10));
        reader.close();
        reader.close();
        failure(() -> reader.read(ByteBuffer.allocate(10)));

        assertThat(count(StoreMetrics.CANCELLED)).isEqualTo(1);
        assertThat(meters.find(StoreMetrics.ERRORS).counters()).isEmpty();
    }

    @Test
    void failuresAreCountedByTheirCode() throws Exception {
        failure(() -> Chunks.read(store(), Chunks.id(), 0, 1));
        ChunkId chunk = Chunks.id();
        ChunkStore breaking = metered(Script.always(Fault.failAt(5, ErrorCode.STORE_UNAVAILABLE)));
        failure(() -> breaking.put(chunk, Chunks.source(new byte[10])));
        failure(() -> Chunks.read(breaking, chunk, 0, 10));

        assertThat(errors("read", ErrorCode.REPLICA_MISSING)).isEqualTo(1);
        assertThat(errors("put", ErrorCode.STORE_UNAVAILABLE)).isEqualTo(1);
        assertThat(errors("read", ErrorCode.STORE_UNAVAILABLE)).isEqualTo(1);
        assertThat(count(StoreMetrics.CANCELLED)).isZero();
    }

    private double requests(String operation) {
        return meters.get(StoreMetrics.REQUESTS)
                .tags(StoreMetrics.STORE, "metered", StoreMetrics.OPERATION, operation)
                .counter()
                .count();
    }

    private double errors(String operation, ErrorCode code) {
        return meters.get(StoreMetrics.ERRORS)
                .tags(StoreMetrics.OPERATION, operation, StoreMetrics.CODE, code.name())
                .counter()
                .count();
    }

    private double count(String name) {
        return meters.get(name).tag(StoreMetrics.STORE, "metered").counter().count();
    }

    private ChunkStore metered(Script script) {
        ChunkStore memory = new MemoryChunkStore(new StoreId("metered"), 64 << 20);
        return new MeteredChunkStore(new FaultyChunkStore(memory, script), meters, time);
    }
}
