package io.cloudmw.helper.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.metrics.ScheduleMetrics;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Priority;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.schedule.FairPool;
import io.cloudmw.core.schedule.ScheduleLimits;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.MemoryChunkStore;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.helper.testing.FakeBulkStream;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ServedReadTest {
    private static final int LENGTH = 4 * ReadTurns.TURN_BYTES;

    private final ScheduledExecutorService timer = Threads.timer("test-timer");
    private final FairPool pool = new FairPool(
            "test",
            1,
            ScheduleLimits.uncapped(100, 100),
            Ticker.system(),
            timer,
            new ScheduleMetrics(new SimpleMeterRegistry(), "test"));
    private final MemoryChunkStore store = new MemoryChunkStore(new StoreId("s"), 1L << 30);
    private final ChunkId chunk = Chunks.id();
    /** The sender of each frame. */
    private final List<String> frames = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        pool.close();
        timer.shutdownNow();
    }

    /** Begins a read whose reader takes everything; completes with the bytes. */
    private CompletableFuture<byte[]> read(String client) {
        return read(client, client, OptionalLong.empty());
    }

    /** @param name identifies its frames */
    private CompletableFuture<byte[]> read(String client, String name, OptionalLong deadlineNanos) {
        CompletableFuture<byte[]> whole = new CompletableFuture<>();
        FakeBulkStream stream = new FakeBulkStream() {
            @Override
            public long credit() {
                return LENGTH;
            }

            @Override
            public CompletableFuture<Void> send(ByteBuf payload, int crc32c) {
                frames.add(name);
                sent.writeBytes(io.netty.buffer.ByteBufUtil.getBytes(payload));
                payload.release();
                return CompletableFuture.completedFuture(null);
            }

            @Override
            public void end(byte[] trailer) {
                whole.complete(sent.toByteArray());
            }
        };
        BulkRequest.Read request = new BulkRequest.Read(
                TransferToken.of(new byte[1]), store.id(), chunk, new ByteRange(0, LENGTH), Urgency.of(Priority.BATCH));
        ReadTurns turns = new ReadTurns(pool, new Tenant(client, "v", Priority.BATCH), deadlineNanos);
        ReadHandler.Resources resources = new ReadHandler.Resources(
                PooledByteBufAllocator.DEFAULT, Duration.ofMinutes(1), Ticker.system(), timer);
        new ServedRead(store, request, stream, resources, turns, () -> {}).start();
        return whole;
    }

    /** The pool's only thread waits for this latch. */
    private CountDownLatch occupied() throws CloudMwException {
        CountDownLatch gate = new CountDownLatch(1);
        pool.submit(new Tenant("first", "v", Priority.INTERACTIVE), 1, OptionalLong.empty(), () -> {
            try {
                gate.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return 1;
        });
        return gate;
    }

    @Test
    void readWithTheEarliestDeadlineOfAClientHasTheTurns() throws Exception {
        byte[] bytes = Chunks.bytes(3, LENGTH);
        store.put(chunk, Chunks.source(bytes));
        CountDownLatch gate = occupied();
        long now = Ticker.system().nanos();
        List<CompletableFuture<byte[]>> all = List.of(
                read("client", "any", OptionalLong.empty()),
                read("client", "late", OptionalLong.of(now + TimeUnit.HOURS.toNanos(2))),
                read("client", "soon", OptionalLong.of(now + TimeUnit.HOURS.toNanos(1))));
        gate.countDown();

        for (CompletableFuture<byte[]> read : all) {
            assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo(bytes);
        }
        assertThat(frames.stream().distinct()).containsExactly("soon", "late", "any");
    }

    @Test
    void readEndsWhenThePoolIsClosed() throws Exception {
        byte[] bytes = Chunks.bytes(2, LENGTH);
        store.put(chunk, Chunks.source(bytes));
        pool.close();

        assertThat(read("any").get(30, TimeUnit.SECONDS)).isEqualTo(bytes);
    }

    @Test
    void afterEveryTurnOthersHaveTheirs_howeverManyReadsOneOpens() throws Exception {
        byte[] bytes = Chunks.bytes(1, LENGTH);
        store.put(chunk, Chunks.source(bytes));
        CountDownLatch gate = occupied();
        List<CompletableFuture<byte[]>> greedy = java.util.stream.IntStream.range(0, 16)
                .mapToObj(i -> read("greedy"))
                .toList();
        CompletableFuture<byte[]> small = read("small");
        gate.countDown();

        assertThat(small.get(30, TimeUnit.SECONDS)).isEqualTo(bytes);
        for (CompletableFuture<byte[]> read : greedy) {
            assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo(bytes);
        }
        // Each turn has four frames; the small reader has one for each of the greedy reader.
        String order = frames.stream().map(client -> client.substring(0, 1)).collect(Collectors.joining());
        assertThat(order).startsWith("ggggssssggggssssggggssssggggssssgggg");
    }
}
