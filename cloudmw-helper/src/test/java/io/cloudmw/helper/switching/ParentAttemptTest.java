package io.cloudmw.helper.switching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.helper.block.FetchedBlock;
import io.cloudmw.helper.block.LeafMemory;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.block.WantedBlock;
import io.cloudmw.helper.remote.HelperConnections;
import io.cloudmw.helper.testing.FakeBulkStream;
import io.cloudmw.helper.testing.Fetches;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An allocator without memory, so that all leaves go through the spool. */
final class ParentAttemptTest {
    private static final int LEAVES = 9;
    private static final long AN_HOUR = Duration.ofHours(1).toNanos();
    private static final int LENGTH = LEAVES * Fetches.LEAF;

    @TempDir
    private Path directory;

    private final byte[] bytes = Chunks.bytes(1, LENGTH);
    private final WantedBlock block = Fetches.whole(Chunks.id(), bytes);
    private final ByteBudget windows = new ByteBudget(LENGTH);
    private final FakeBulkStream stream = new FakeBulkStream();
    private final Fetches.Ending ending = new Fetches.Ending();
    private Spool spool;
    private ParentAttempt attempt;

    @BeforeEach
    void open() throws IOException {
        spool = Spool.open(directory.resolve("spool"), new ByteBudget(1 << 20));
        LeafMemory room = new LeafMemory(new ByteBudget(0), spool, PooledByteBufAllocator.DEFAULT, AN_HOUR);
        attempt = new ParentAttempt("above", block, ending, room, windows, Runnable::run);
    }

    @AfterEach
    void close() {
        assertThat(spool.budget().usedBytes()).isZero();
        spool.close();
    }

    private void comes(int leaf) {
        attempt.data(
                Unpooled.copiedBuffer(bytes, leaf * Fetches.LEAF, Fetches.LEAF),
                block.leaves().crc32c(leaf));
    }

    /** The first leaf takes room for all, so that thousands of leaves need one descriptor. */
    @Test
    void leavesWithoutMemoryShareOneSpoolFile() throws Exception {
        for (int leaf = 0; leaf < LEAVES; leaf++) {
            comes(leaf);
            assertThat(spool.budget().usedBytes()).isEqualTo(LENGTH);
        }
        try (FetchedBlock fetched = ending.block()) {
            assertThat(Fetches.sent(fetched)).isEqualTo(bytes);
        }
    }

    private void connected() {
        attempt.ask(CompletableFuture.completedFuture(new HelperConnections.Lease(stream, () -> {})), new byte[0]);
    }

    @Test
    void wholeSmallBlockIsRequestedWhenTheWindowHasRoom() {
        connected();
        assertThat(stream.granted).isEqualTo(LENGTH);
        assertThat(windows.usedBytes()).isEqualTo(LENGTH - Fetches.LEAF);
        attempt.cancel();
        assertThat(windows.usedBytes()).isZero();
    }

    @Test
    void leavesAreRequestedOneByOneWhenTheWindowIsFull() throws Exception {
        assertThat(windows.tryTake(2L * Fetches.LEAF)).isTrue();
        connected();
        for (int leaf = 0; leaf < LEAVES; leaf++) {
            assertThat(stream.granted).isEqualTo((leaf + 1L) * Fetches.LEAF);
            comes(leaf);
        }
        ending.block().close();
        windows.giveBack(2L * Fetches.LEAF);
        assertThat(windows.usedBytes()).isZero();
    }

    /** Waiting would hold a thread that others need, for an hour here. */
    @Test
    void leafWithoutRoomFailsTheAttemptAtOnce() throws Exception {
        try (Spool.SpoolFile others = spool.create(1 << 20, 1)) {
            assertThat(others.channel().isOpen()).isTrue();
            comes(0);
            assertThat(ending.failure()).isEqualTo(ErrorCode.OVERLOADED);
        }
    }

    @Test
    void overloadedParentFailsTheAttemptWithARetryAfter() {
        attempt.failed(CloudMwException.overloaded("no room", Duration.ofSeconds(7)));
        assertThatThrownBy(ending::block)
                .hasRootCauseMessage("no room")
                .cause()
                .hasMessageContaining("from switch above: no room")
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.retryAfter()).contains(Duration.ofSeconds(7)));
    }

    @Test
    void cancelledAttemptLeavesNoFile() {
        comes(0);
        attempt.cancel();
        assertThat(ending.failure()).isEqualTo(ErrorCode.CANCELLED);
        comes(1);
    }
}
