package io.cloudmw.helper.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.MemoryChunkStore;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ChunkDeleterTest {
    private final MemoryChunkStore store = new MemoryChunkStore(new StoreId("s"), 1000);
    private final VersionId version = VersionId.random();
    private final ChunkId first = new ChunkId(version, 0);
    private final ChunkId second = new ChunkId(version, 1);
    private final ChunkId other = new ChunkId(version, 2);

    @BeforeEach
    void putThreeChunks() throws CloudMwException {
        for (ChunkId chunk : List.of(first, second, other)) {
            store.put(chunk, Chunks.source(new byte[100 + (int) chunk.index()]));
        }
    }

    @Test
    void namedCopiesAreDeletedAndTheirBytesCounted() throws CloudMwException {
        ChunkId none = new ChunkId(version, 3);
        assertThat(new ChunkDeleter(store, () -> false).run(List.of(first, none, second)))
                .isEqualTo(201);
        assertThat(store.list("", 10).items()).extracting(StoredChunk::id).containsExactly(other);
    }

    @Test
    void missingCopyIsNoFailureAndCountsNoBytes() throws CloudMwException {
        ChunkDeleter deletion = new ChunkDeleter(store, () -> false);
        assertThat(deletion.run(List.of(first))).isEqualTo(100);
        assertThat(deletion.run(List.of(first))).isZero();
    }

    @Test
    void copyIsNotDeletedAfterTheDeadline() throws CloudMwException {
        AtomicInteger asked = new AtomicInteger();
        ChunkDeleter deletion = new ChunkDeleter(store, () -> asked.incrementAndGet() > 1);
        CloudMwException late =
                catchThrowableOfType(CloudMwException.class, () -> deletion.run(List.of(first, second, other)));
        assertThat(late.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(store.list("", 10).items()).extracting(StoredChunk::id).containsExactly(second, other);
    }
}
