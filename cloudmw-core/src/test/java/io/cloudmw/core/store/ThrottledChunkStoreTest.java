package io.cloudmw.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.cloudmw.core.emulation.ReadSpeed;
import io.cloudmw.core.emulation.StoreLaw;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.testing.store.ChunkStoreContract;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.MemoryChunkStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ThrottledChunkStoreTest extends ChunkStoreContract {
    private final FakeTicker time = new FakeTicker();

    @Override
    protected ChunkStore create() {
        return throttled("1MiB/s");
    }

    @Test
    void aReadTakesAsLongAsItsSpeedSays() throws Exception {
        ChunkId chunk = seeded(new byte[5 << 20]);

        Chunks.read(store(), chunk, 0, 5 << 20);

        assertThat(seconds()).isCloseTo(5.0, within(0.1));
    }

    @Test
    void readersShareTheSpeed() throws Exception {
        ChunkId chunk = seeded(new byte[1 << 20]);
        ByteBuffer target = ByteBuffer.allocate(1 << 20);
        try (ChunkReader one = store().read(chunk, new ByteRange(0, 1 << 20));
                ChunkReader two = store().read(chunk, new ByteRange(0, 1 << 20))) {
            while (one.read(target.clear()) >= 0) {
                assertThat(two.read(target.clear())).isPositive();
            }
        }
        assertThat(seconds()).isCloseTo(2.0, within(0.1));
    }

    @Test
    void aVaryingSpeedTakesTheTimeOfItsDraws() throws Exception {
        ReadSpeed speed = ReadSpeed.parse("1..4MiB/s,redraw=1s,seed=5");
        double possible = 0;
        for (int second = 0; second < 4; second++) {
            possible += speed.bytesPerSecondAt(Duration.ofSeconds(second).toNanos());
        }
        ChunkStore varying = throttled(speed.toString());
        ChunkId chunk = Chunks.id();
        varying.put(chunk, Chunks.source(new byte[(int) possible]));

        Chunks.read(varying, chunk, 0, (long) possible);

        assertThat(seconds()).isCloseTo(4.0, within(0.2));
    }

    /** A law that gives every reader a speed of its own. */
    private record Each(long bytesPerSecond) implements StoreLaw {
        @Override
        public long bytesPerSecondAt(long sinceStartNanos) {
            return bytesPerSecond;
        }

        @Override
        public boolean shared() {
            return false;
        }

        @Override
        public StoreLaw withSeed(long seed) {
            return this;
        }
    }

    @Test
    void aLawThatIsNotSharedGivesEachReaderTheWholeSpeed() throws Exception {
        ChunkStore store = new ThrottledChunkStore(memory(), new Each(10_000_000), time, time);
        ChunkId chunk = Chunks.id();
        store.put(chunk, Chunks.source(new byte[8 << 20]));
        double alone = (8 << 20) / 1e7;

        ByteBuffer target = ByteBuffer.allocate(1 << 20);
        try (ChunkReader one = store.read(chunk, new ByteRange(0, 8 << 20));
                ChunkReader two = store.read(chunk, new ByteRange(0, 8 << 20))) {
            while (one.read(target.clear()) >= 0) {
                assertThat(two.read(target.clear())).isPositive();
            }
        }

        assertThat(seconds()).isCloseTo(alone, within(0.05));
    }

    @Test
    void theFirstByteTakesAsLongAsItWasDrawn() throws Exception {
        StoreLaw law = StoreLaw.parse("s3-tail,seed=4");
        ChunkStore store = new ThrottledChunkStore(memory(), law, time, time);
        ChunkId chunk = Chunks.id();
        store.put(chunk, Chunks.source(new byte[1]));

        for (int request = 0; request < 50; request++) {
            double before = seconds();
            Chunks.read(store, chunk, 0, 1);
            double drawn = law.answer(request, 0).firstByteNanos()
                    + law.answer(request, 0).stallNanos();
            assertThat(seconds() - before).isCloseTo(drawn / 1e9, within(0.001));
        }
    }

    @Test
    void aPauseIsNotCaughtUp() throws Exception {
        ChunkId chunk = seeded(new byte[1 << 20]);
        Chunks.read(store(), chunk, 0, 1000);
        time.advance(Duration.ofSeconds(100));

        Chunks.read(store(), chunk, 0, 1 << 20);

        assertThat(seconds()).isCloseTo(101.0, within(0.1));
    }

    @Test
    void closingEndsTheWaitForASlowStore() throws Exception {
        ChunkReader[] reader = new ChunkReader[1];
        int[] naps = new int[1];
        ChunkStore slow = new ThrottledChunkStore(memory(), ReadSpeed.parse("1KiB/s"), time, nanos -> {
            naps[0]++;
            time.sleep(nanos);
            reader[0].close();
        });
        ChunkId chunk = Chunks.id();
        slow.put(chunk, Chunks.source(new byte[1024]));
        reader[0] = slow.read(chunk, new ByteRange(0, 1024));

        assertThat(failure(() -> reader[0].read(ByteBuffer.allocate(1024))).code())
                .isEqualTo(ErrorCode.CANCELLED);
        assertThat(naps[0]).isEqualTo(1);
    }

    @Test
    void anInterruptEndsTheWaitForASlowStore() throws Exception {
        ChunkId chunk = seeded(new byte[1 << 20]);
        try (ChunkReader reader = store().read(chunk, new ByteRange(0, 1 << 20))) {
            Thread.currentThread().interrupt();
            assertThat(failure(() -> Chunks.readAll(reader)).code()).isEqualTo(ErrorCode.CANCELLED);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    private double seconds() {
        return time.nanos() / 1e9;
    }

    private ChunkStore throttled(String speed) {
        return new ThrottledChunkStore(memory(), ReadSpeed.parse(speed), time, time);
    }

    private static ChunkStore memory() {
        return new MemoryChunkStore(new StoreId("throttled"), 64 << 20);
    }
}
