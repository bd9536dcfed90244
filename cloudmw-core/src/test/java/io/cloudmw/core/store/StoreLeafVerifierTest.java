package io.cloudmw.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.chunk.ChunkDigester;
import io.cloudmw.core.chunk.Leaves;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.MemoryChunkStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreLeafVerifierTest {
    private static final int LEAF = Leaves.MIN_SIZE_BYTES;
    private static final int SIZE = 3 * LEAF + 100;

    private final byte[] content = Chunks.bytes(9, SIZE);
    private final int[] crcs =
            ChunkDigester.digest(ByteBuffer.wrap(content), LEAF).crc32c();
    private final ChunkId chunk = Chunks.id();
    private final MemoryChunkStore store = new MemoryChunkStore(new StoreId("s"), 1 << 20);
    private final ByteBuffer scratch = ByteBuffer.allocate(LEAF);
    private final List<Long> progress = new ArrayList<>();

    @BeforeEach
    void putChunk() throws IOException {
        store.put(chunk, Chunks.source(content));
    }

    @Test
    void verificationWithoutATargetReportsProgressAfterEveryLeaf() throws Exception {
        verifier(whole()).run(LeafTarget.discarding(scratch), progress::add);

        assertThat(progress).containsExactly((long) LEAF, 2L * LEAF, 3L * LEAF, (long) SIZE);
    }

    @Test
    void rangeIsReadIntoMemoryAtItsPosition() throws Exception {
        LeafRange range = new LeafRange(chunk, new ByteRange(LEAF, 2 * LEAF), LEAF, Arrays.copyOfRange(crcs, 1, 3));
        ByteBuffer memory = ByteBuffer.allocateDirect(3 * LEAF).position(7);

        verifier(range).run(LeafTarget.memory(memory), progress::add);

        assertThat(memory.position()).isEqualTo(7);
        byte[] got = new byte[2 * LEAF];
        memory.get(got);
        assertThat(got).isEqualTo(Arrays.copyOfRange(content, LEAF, 3 * LEAF));
    }

    @Test
    void rangeIsWrittenToAFileAtAPosition(@TempDir Path directory) throws Exception {
        Path spool = directory.resolve("spool");
        try (FileChannel file =
                FileChannel.open(spool, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ)) {
            verifier(whole()).run(LeafTarget.file(file, 11, scratch), progress::add);
            ByteBuffer got = ByteBuffer.allocate(SIZE);
            assertThat(file.read(got, 11)).isEqualTo(SIZE);
            assertThat(got.array()).isEqualTo(content);
        }
    }

    @Test
    void aWrongByteNamesChunkStoreAndLeafAndIsNeverPassedOn() {
        int[] wrong = crcs.clone();
        wrong[2]++;
        LeafRange range = new LeafRange(chunk, new ByteRange(LEAF, 2 * LEAF), LEAF, Arrays.copyOfRange(wrong, 1, 3));

        CloudMwException failure = failure(verifier(range), LeafTarget.discarding(scratch));

        assertThat(failure.code()).isEqualTo(ErrorCode.REPLICA_CORRUPT);
        assertThat(failure)
                .hasMessageContaining(chunk.toString())
                .hasMessageContaining("store=s")
                .hasMessageContaining("leaf=2");
        assertThat(progress).containsExactly((long) LEAF);
    }

    @Test
    void uncheckedVerifierAcceptsWrongBytesButNotMissingOnes() throws Exception {
        int[] wrong = crcs.clone();
        wrong[2]++;
        LeafRange range = new LeafRange(chunk, new ByteRange(0, SIZE), LEAF, wrong);
        StoreLeafVerifier.unchecked(store, range).run(LeafTarget.discarding(scratch), progress::add);
        assertThat(progress).endsWith((long) SIZE);

        ChunkId truncated = Chunks.id();
        store.put(truncated, Chunks.source(Arrays.copyOf(content, SIZE - 1)));
        LeafRange more = new LeafRange(truncated, new ByteRange(0, SIZE), LEAF, crcs);
        assertThat(failure(StoreLeafVerifier.unchecked(store, more), LeafTarget.discarding(scratch))
                        .code())
                .isEqualTo(ErrorCode.REPLICA_CORRUPT);
    }

    @Test
    void aReplicaThatIsTooShortIsCorrupt() throws Exception {
        ChunkId truncated = Chunks.id();
        store.put(truncated, Chunks.source(Arrays.copyOf(content, SIZE - 1)));
        LeafRange range = new LeafRange(truncated, new ByteRange(0, SIZE), LEAF, crcs);

        CloudMwException failure = failure(verifier(range), LeafTarget.discarding(scratch));

        assertThat(failure.code()).isEqualTo(ErrorCode.REPLICA_CORRUPT);
        assertThat(failure).hasMessageContaining("shorter than its manifest says");
    }

    @Test
    void aStreamThatEndsEarlyIsUnavailable() {
        ChunkStore shortStore = new ForwardingChunkStore(store) {
            @Override
            protected ChunkReader opened(ChunkId id, ByteRange range, Opening opening) throws CloudMwException {
                return store.read(id, new ByteRange(range.offset(), range.length() - 1));
            }
        };
        CloudMwException failure = failure(new StoreLeafVerifier(shortStore, whole()), LeafTarget.discarding(scratch));

        assertThat(failure.code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
        assertThat(failure).hasMessageContaining("1 bytes before the end of the leaf at " + 3 * LEAF);
    }

    @Test
    void cancellingBeforeOrWhileItRunsEndsIt() {
        StoreLeafVerifier before = verifier(whole());
        before.cancel();
        assertThat(failure(before, LeafTarget.discarding(scratch)).code()).isEqualTo(ErrorCode.CANCELLED);

        StoreLeafVerifier during = verifier(whole());
        LeafTarget cancels = new LeafTarget.Scratch(scratch) {
            @Override
            public void verified(long offset, ByteBuffer leaf) {
                during.cancel();
            }
        };
        assertThat(failure(during, cancels).code()).isEqualTo(ErrorCode.CANCELLED);
        assertThat(progress).containsExactly((long) LEAF);
    }

    @Test
    void aTargetThatFailsIsNotTheStoresFault() {
        LeafTarget full = new LeafTarget.Scratch(scratch) {
            @Override
            public void verified(long offset, ByteBuffer leaf) throws IOException {
                throw new IOException("spool full");
            }
        };
        CloudMwException failure = failure(verifier(whole()), full);

        assertThat(failure.code()).isEqualTo(ErrorCode.LOCAL_IO);
        assertThat(failure).hasMessageContaining("spool full");
    }

    private LeafRange whole() {
        return new LeafRange(chunk, new ByteRange(0, SIZE), LEAF, crcs);
    }

    private StoreLeafVerifier verifier(LeafRange range) {
        return new StoreLeafVerifier(store, range);
    }

    private CloudMwException failure(StoreLeafVerifier verifier, LeafTarget target) {
        return catchThrowableOfType(CloudMwException.class, () -> verifier.run(target, progress::add));
    }
}
