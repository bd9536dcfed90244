package io.cloudmw.helper.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.MemoryChunkStore;
import io.cloudmw.core.thread.Threads;
import io.cloudmw.helper.block.FetchedBlock;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.fetch.StoreFetcher;
import io.cloudmw.helper.testing.FakeBulkStream;
import io.cloudmw.helper.testing.Fetches;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RelaySenderTest implements RelaySender.Listener {
    @TempDir
    private Path directory;

    private final byte[] bytes = Chunks.bytes(1, 2 * Fetches.LEAF + 1);
    private final FakeBulkStream stream = new FakeBulkStream();
    private final List<String> heard = new ArrayList<>();
    private final ScheduledExecutorService timer = Threads.timer("test-timer");
    private Spool spool;
    private StoreFetcher fetcher;
    private FetchedBlock block;

    @BeforeEach
    void fetch() throws Exception {
        spool = Spool.open(directory.resolve("spool"), new ByteBudget(1));
        fetcher = new StoreFetcher(
                Fetches.pools(timer),
                new StoreFetcher.Limits(1 << 20, 1),
                new ByteBudget(1 << 20),
                spool,
                PooledByteBufAllocator.DEFAULT);
        ChunkId chunk = Chunks.id();
        MemoryChunkStore store = new MemoryChunkStore(Fetches.STORE, 1 << 20);
        store.put(chunk, Chunks.source(bytes));
        Fetches.Ending ending = new Fetches.Ending();
        fetcher.start(Fetches.requester(id -> store), Fetches.whole(chunk, bytes), Fetches.STORE, ending);
        block = ending.block();
    }

    @AfterEach
    void stop() {
        block.close();
        fetcher.close();
        timer.shutdownNow();
        spool.close();
    }

    @Override
    public void sent() {
        heard.add("sent");
    }

    @Override
    public void failed(CloudMwException cause) {
        heard.add(cause.code().name());
    }

    @Test
    void leavesAreSentWithinTheCredit() {
        RelaySender.start(stream, new byte[0], block, this);
        assertThat(stream.sent.size()).isZero();
        stream.allow(Fetches.LEAF - 1);
        assertThat(stream.sent.size()).isZero();
        stream.allow(2);
        assertThat(stream.sent.toByteArray()).isEqualTo(Arrays.copyOf(bytes, Fetches.LEAF));
        stream.allow(Fetches.LEAF);
        assertThat(stream.sent.toByteArray()).isEqualTo(bytes);
        assertThat(stream.ends).isEqualTo(1);
        assertThat(heard).containsExactly("sent");
    }

    @Test
    void refusedRelaySendsNothingMore() {
        RelaySender relay = RelaySender.start(stream, new byte[0], block, this);
        stream.listener().failed(new CloudMwException(ErrorCode.CANCELLED, "not wanted"));
        stream.allow(bytes.length);
        relay.cancel();
        assertThat(stream.sent.size()).isZero();
        assertThat(heard).containsExactly("CANCELLED");
        assertThat(stream.resets).isEmpty();
    }

    @Test
    void cancelledRelayResetsItsStreamWithoutAnEvent() {
        RelaySender relay = RelaySender.start(stream, new byte[0], block, this);
        stream.allow(Fetches.LEAF);
        relay.cancel();
        stream.allow(bytes.length);
        assertThat(stream.sent.size()).isEqualTo(Fetches.LEAF);
        assertThat(stream.resets).containsExactly(ErrorCode.CANCELLED);
        assertThat(heard).isEmpty();
    }

    @Test
    void dataFromTheDestinationFailsTheRelayAsProtocolViolation() {
        RelaySender.start(stream, new byte[0], block, this);
        stream.listener().data(Unpooled.buffer(1), 0);
        assertThat(stream.resets).containsExactly(ErrorCode.PROTOCOL_VIOLATION);
        assertThat(heard).containsExactly("PROTOCOL_VIOLATION");
    }

    @Test
    void relayFailsWhenItsBlockIsClosed() {
        RelaySender.start(stream, new byte[0], block, this);
        block.close();
        stream.allow(bytes.length);
        assertThat(heard).containsExactly("STORE_UNAVAILABLE");
    }
}
