package io.cloudmw.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.MonitorMetrics;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.monitor.Speed;
import io.cloudmw.core.monitor.SpeedMonitor;
import io.cloudmw.core.status.fleet.SizeClass;
import io.cloudmw.core.status.fleet.SpeedKey;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.testing.store.ChunkStoreContract;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.MemoryChunkStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

final class MonitoredChunkStoreTest extends ChunkStoreContract {
    private final FakeTicker time = new FakeTicker();
    private final SpeedMonitor monitor = new SpeedMonitor(time, 8, new MonitorMetrics(new SimpleMeterRegistry()));

    @Override
    protected ChunkStore create() {
        return new MonitoredChunkStore(new MemoryChunkStore(new StoreId("memory"), 64 << 20), monitor);
    }

    @Test
    void aWholeReadIsOneWaitThatEnded() throws Exception {
        ChunkId chunk = seeded(new byte[500]);
        Chunks.read(store(), chunk, 100, 300);
        assertThat(speed().baseline().ended().samples()).isEqualTo(1);
        assertThat(speed().baseline().cut().samples()).isZero();
    }

    @Test
    void aReadClosedBeforeItsFirstByteIsCut() throws Exception {
        ChunkId chunk = seeded(new byte[500]);
        try (ChunkReader reader = store().read(chunk, new ByteRange(0, 500))) {
            time.advance(Duration.ofMillis(50));
            assertThat(reader).isNotNull();
        }
        assertThat(speed().baseline().ended().samples()).isZero();
        assertThat(speed().baseline().cut().samples()).isEqualTo(1);
        assertThat(speed().errorShare()).isZero();
    }

    @Test
    void aReadThatFailsCountsByItsCode() {
        Assertions.assertThatThrownBy(
                        () -> store().read(Chunks.id(), new ByteRange(0, 500)).read(ByteBuffer.allocate(500)))
                .isNotNull();
        assertThat(speed().errors()).containsOnlyKeys(ErrorCode.REPLICA_MISSING);
    }

    private Speed speed() {
        return monitor.speeds().getOrDefault(new SpeedKey(new StoreId("memory"), SizeClass.TINY), Speed.UNKNOWN);
    }
}
