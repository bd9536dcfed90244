package io.cloudmw.helper.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.store.LeafTarget;
import io.cloudmw.core.testing.FakeTicker;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.helper.testing.FakeBulkStream;
import io.cloudmw.helper.testing.Fetches;
import io.cloudmw.helper.testing.IgnoringListener;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of leaves that pass through a memory for two of them; the reader has taken the first of four. */
final class LeafMemoryTest {
    private final byte[] bytes = Chunks.bytes(1, 4 * Fetches.LEAF);
    private final ByteBudget memory = new ByteBudget(2 * Fetches.LEAF);
    private final ByteBudget spooled = new ByteBudget(bytes.length);
    private final FakeTicker time = new FakeTicker();
    private final AtomicBoolean threadsAreFree = new AtomicBoolean(true);
    private final LeavesBlock block = new LeavesBlock(Fetches.relayed(Chunks.id(), bytes), time);
    private final FakeBulkStream reader = new FakeBulkStream();

    @TempDir
    private Path directory;

    private Spool spool;
    private LeafMemory.LeafWriter writer;

    @BeforeEach
    void fillMemory() throws IOException {
        spool = Spool.open(directory.resolve("spool"), spooled);
        writer = new LeafMemory(
                        memory, Optional.of(threadsAreFree::get), spool, UnpooledByteBufAllocator.DEFAULT, 1, time)
                .writer(block);
        reader.open(new byte[0], new IgnoringListener());
        reader.allow(bytes.length);
        write(writer, 0);
        assertThat(block.send(reader, 0)).isCompleted();
        write(writer, 1);
        write(writer, 2);
        assertThat(memory.usedBytes()).isEqualTo(memory.limitBytes());
    }

    @AfterEach
    void stop() {
        writer.close();
        block.close();
        spool.close();
        assertThat(memory.usedBytes()).isZero();
    }

    private void write(LeafTarget target, int leaf) throws IOException {
        int offset = leaf * Fetches.LEAF;
        ByteBuffer buffer = target.buffer(offset, Fetches.LEAF);
        buffer.put(bytes, offset, Fetches.LEAF).flip();
        target.verified(offset, buffer);
        block.advance(offset + Fetches.LEAF);
    }

    /** Writes the last leaf in a thread of its own, which waits for room. */
    private FutureTask<Void> waitingWrite() {
        FutureTask<Void> written = new FutureTask<>(() -> {
            write(writer, 3);
            return null;
        });
        Thread thread = new Thread(written);
        thread.start();
        await().atMost(Fetches.PATIENCE).until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        return written;
    }

    private void assertLastIsSpooled() {
        assertThat(spooled.usedBytes()).isEqualTo(Fetches.LEAF);
        assertThat(memory.usedBytes()).isEqualTo(memory.limitBytes());
    }

    @Test
    void leafWaitsForAReaderThatTakesLeaves() throws Exception {
        FutureTask<Void> waiting = waitingWrite();
        assertThat(block.send(reader, 1)).isCompleted();
        waiting.get(1, TimeUnit.MINUTES);
        assertThat(spooled.usedBytes()).isZero();
        assertThat(memory.usedBytes()).isEqualTo(memory.limitBytes());
    }

    @Test
    void leafThatWaitsGoesToTheSpoolOnceItsReaderHasPaused() throws Exception {
        FutureTask<Void> waiting = waitingWrite();
        time.advance(Duration.ofMillis(51));
        waiting.get(1, TimeUnit.MINUTES);
        assertLastIsSpooled();
    }

    @Test
    void leafOfAReaderThatHasPausedGoesToTheSpoolAtOnce() throws Exception {
        time.advance(Duration.ofMillis(51));
        write(writer, 3);
        assertLastIsSpooled();
    }

    @Test
    void leafThatWaitsGoesToTheSpoolWhenAnotherAttemptNeedsTheThread() throws Exception {
        FutureTask<Void> waiting = waitingWrite();
        threadsAreFree.set(false);
        waiting.get(1, TimeUnit.MINUTES);
        assertLastIsSpooled();
    }

    @Test
    void cancelEndsTheWaitForTheReader() {
        FutureTask<Void> waiting = waitingWrite();
        writer.cancel();
        assertThat(waiting)
                .failsWithin(Fetches.PATIENCE)
                .withThrowableOfType(ExecutionException.class)
                .havingCause()
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
    }

    @Test
    void leafDoesNotWaitForAReaderThatHasTakenAll() throws Exception {
        assertThat(block.send(reader, 1)).isCompleted();
        assertThat(block.send(reader, 2)).isCompleted();
        assertThat(memory.tryTake(memory.limitBytes())).isTrue();
        write(writer, 3);
        assertLastIsSpooled();
        memory.giveBack(memory.limitBytes());
    }
}
