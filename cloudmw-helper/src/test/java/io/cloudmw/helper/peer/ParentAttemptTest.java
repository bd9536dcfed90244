package io.cloudmw.helper.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.helper.fetch.ByteBudget;
import io.cloudmw.helper.fetch.FetchedBlock;
import io.cloudmw.helper.fetch.LeafRoom;
import io.cloudmw.helper.fetch.Spool;
import io.cloudmw.helper.fetch.WantedBlock;
import io.cloudmw.helper.testing.Fetches;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Without memory, so that all leaves go through the spool. */
final class ParentAttemptTest {
    private static final int LEAVES = 9;
    private static final int LENGTH = LEAVES * Fetches.LEAF;

    @TempDir
    private Path directory;

    private final byte[] bytes = Chunks.bytes(1, LENGTH);
    private final WantedBlock block = Fetches.whole(Chunks.id(), bytes);
    private final Fetches.Ending ending = new Fetches.Ending();
    private Spool spool;
    private ParentAttempt attempt;

    @BeforeEach
    void open() throws IOException {
        spool = Spool.open(directory.resolve("spool"), 1 << 20);
        LeafRoom room = new LeafRoom(new ByteBudget(0), spool, PooledByteBufAllocator.DEFAULT, 1);
        attempt = new ParentAttempt("above", block, ending, room, Runnable::run);
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

    /** Room for all that may come is taken with the first: thousands of leaves need no thousands of descriptors. */
    @Test
    void whatFindsNoMemoryNeedsOneFileForAllOfABlock() throws Exception {
        for (int leaf = 0; leaf < LEAVES; leaf++) {
            comes(leaf);
            assertThat(spool.budget().usedBytes()).isEqualTo(LENGTH);
        }
        try (FetchedBlock fetched = ending.block()) {
            assertThat(Fetches.sent(fetched)).isEqualTo(bytes);
        }
    }

    @Test
    void whatTheParentHasNoRoomForIsRefusedWithWhenToComeAgain() {
        attempt.failed(CloudMwException.overloaded("no room", Duration.ofSeconds(7)));
        assertThatThrownBy(ending::block)
                .hasRootCauseMessage("no room")
                .cause()
                .hasMessageContaining("from switch above: no room")
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.retryAfter()).contains(Duration.ofSeconds(7)));
    }

    @Test
    void whoGoesAwayLeavesNoFile() {
        comes(0);
        attempt.cancel();
        assertThat(ending.failure()).isEqualTo(ErrorCode.CANCELLED);
        comes(1);
    }
}
