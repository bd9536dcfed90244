package io.cloudmw.core.testing.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.store.PutOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/**
 * The contract of a store. Each implementation has one small subclass that makes one and names its capabilities. A
 * store without a capability must refuse it, which is tested in its place.
 */
public abstract class ChunkStoreContract extends ChunkReadingContract {
    private static final int SIZE = 300_000;

    private final byte[] content = Chunks.bytes(1, SIZE);

    /** Returns whether puts and deletes are possible. */
    protected boolean writes() {
        return true;
    }

    /** Returns whether chunks are files of this machine. */
    protected boolean hasFiles() {
        return false;
    }

    @Test
    void aLengthIsThatOfTheChunk() throws Exception {
        assertThat(store().length(seeded(content))).hasValue(SIZE);
        assertThat(store().length(seeded(new byte[0]))).hasValue(0);
        assertThat(store().length(newChunk())).isEmpty();
    }

    @Test
    void anEmptyChunkIsAChunk() throws Exception {
        ChunkId chunk = seeded(new byte[0]);

        assertThat(Chunks.read(store(), chunk, 0, 0)).isEmpty();
    }

    @Test
    void aClosedStoreIsUnavailable() throws Exception {
        ChunkId chunk = seeded(content);
        store().close();
        store().close();

        assertThat(failure(() -> Chunks.read(store(), chunk, 0, 1)).code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
    }

    @Test
    void aFileHoldsExactlyTheChunk() throws Exception {
        ChunkId chunk = seeded(content);

        assertThat(store().file(chunk).isPresent()).isEqualTo(hasFiles());
        assertThat(store().file(Chunks.id())).isEmpty();
        if (hasFiles()) {
            assertThat(Files.readAllBytes(store().file(chunk).orElseThrow())).isEqualTo(content);
        }
    }

    /** Returns whether a put compares an existing chunk with its source, and refuses a different one. */
    protected boolean compares() {
        return false;
    }

    /** Returns whether exactly one of concurrent writers of one chunk is told that it wrote. */
    protected boolean tellsOneWriter() {
        return true;
    }

    @Test
    void aPutOverOtherContentChangesNothing() throws Exception {
        ChunkId chunk = Chunks.id();
        if (refusesWrites(chunk)) {
            return;
        }
        store().put(chunk, Chunks.source(content));
        Callable<PutOutcome> other = () -> store().put(chunk, Chunks.source(Chunks.bytes(2, SIZE)));
        if (compares()) {
            CloudMwException failure = failure(other::call);
            assertThat(failure.code()).isEqualTo(ErrorCode.REPLICA_CORRUPT);
            assertThat(failure.verdict()).isEqualTo(RetryVerdict.NEVER);
        } else {
            assertThat(other.call()).isEqualTo(PutOutcome.EXISTED);
        }
        assertThat(Chunks.read(store(), chunk, 0, SIZE)).isEqualTo(content);
    }

    @Test
    void aSecondPutChangesNothing() throws Exception {
        ChunkId chunk = Chunks.id();
        if (refusesWrites(chunk)) {
            return;
        }
        assertThat(store().put(chunk, Chunks.source(content))).isEqualTo(PutOutcome.WRITTEN);
        assertThat(store().put(chunk, Chunks.source(content))).isEqualTo(PutOutcome.EXISTED);
        assertThat(Chunks.read(store(), chunk, 0, SIZE)).isEqualTo(content);
    }

    @Test
    void concurrentWritersOfAChunkWriteItOnce() throws Exception {
        ChunkId chunk = Chunks.id();
        if (refusesWrites(chunk)) {
            return;
        }
        List<Callable<PutOutcome>> puts = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            puts.add(() -> store().put(chunk, Chunks.source(content)));
        }

        List<PutOutcome> outcomes = together(puts);
        if (tellsOneWriter()) {
            assertThat(outcomes).containsOnlyOnce(PutOutcome.WRITTEN);
        } else {
            assertThat(outcomes).contains(PutOutcome.WRITTEN);
        }
        assertThat(Chunks.read(store(), chunk, 0, SIZE)).isEqualTo(content);
    }

    @Test
    void aSourceThatIsTooShortOrTooLongLeavesNoChunk() throws Exception {
        ChunkId chunk = Chunks.id();
        if (refusesWrites(chunk)) {
            return;
        }
        assertThat(failure(() -> store().put(chunk, Chunks.source(content, SIZE + 1L)))
                        .code())
                .isEqualTo(ErrorCode.LOCAL_IO);
        assertThat(failure(() -> store().put(chunk, Chunks.source(content, SIZE - 1L)))
                        .code())
                .isEqualTo(ErrorCode.LOCAL_IO);
        assertThat(store().length(chunk)).isEmpty();
    }

    @Test
    void aSourceThatBreaksLeavesNoChunk() throws Exception {
        ChunkId chunk = Chunks.id();
        if (refusesWrites(chunk)) {
            return;
        }
        CloudMwException failure = failure(() -> store().put(chunk, Chunks.brokenSource(content, SIZE + 1L)));

        assertThat(failure.code()).isEqualTo(ErrorCode.LOCAL_IO);
        assertThat(failure).hasMessageContaining("the source broke");
        assertThat(store().length(chunk)).isEmpty();
        assertThat(store().put(chunk, Chunks.source(content))).isEqualTo(PutOutcome.WRITTEN);
    }

    @Test
    void aDeletedChunkIsGone() throws Exception {
        ChunkId chunk = seeded(content);
        if (refusesWrites(chunk)) {
            return;
        }
        assertThat(store().delete(chunk)).isTrue();
        assertThat(store().delete(chunk)).isFalse();
        assertThat(store().length(chunk)).isEmpty();
        assertThat(store().put(chunk, Chunks.source(content))).isEqualTo(PutOutcome.WRITTEN);
    }

    @Test
    void listingGivesEveryChunkAndItsLengthOnceInOrderOfNames() throws Exception {
        if (refusesWrites(Chunks.id())) {
            return;
        }
        List<ChunkId> chunks = new ArrayList<>();
        for (String version : List.of("ff", "00", "0f", "7a", "7a")) {
            VersionId id = new VersionId(version + VersionId.random().value().substring(2));
            chunks.add(new ChunkId(id, 0));
            chunks.add(new ChunkId(id, 1));
        }
        for (ChunkId chunk : chunks) {
            store().put(chunk, Chunks.source(new byte[(int) chunk.index() + 1]));
        }

        for (int limit : List.of(1, 3, 5, 10, 1000)) {
            assertThat(listAll(limit)).as("limit %d", limit).isEqualTo(sorted(chunks));
        }
    }

    @Test
    void aListingOfNothingIsOneEmptyPage() throws Exception {
        if (refusesWrites(Chunks.id())) {
            return;
        }
        Page<StoredChunk> page = store().list("", 10);

        assertThat(page.items()).isEmpty();
        assertThat(page.isLast()).isTrue();
    }

    @Test
    void aListingsArgumentsAreChecked() {
        if (!writes()) {
            return;
        }
        assertThat(failure(() -> store().list("", 0)).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(failure(() -> store().list("", 1001)).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(failure(() -> store().list("../..", 1)).code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    /** Returns true for a store that only reads, after checking that it says so. */
    private boolean refusesWrites(ChunkId chunk) {
        if (writes()) {
            return false;
        }
        assertThat(failure(() -> store().put(chunk, Chunks.source(content))).code())
                .isEqualTo(ErrorCode.STORE_DENIED);
        assertThat(failure(() -> store().delete(chunk)).code()).isEqualTo(ErrorCode.STORE_DENIED);
        return true;
    }

    private List<ChunkId> listAll(int limit) throws IOException {
        List<ChunkId> all = new ArrayList<>();
        String token = "";
        do {
            Page<StoredChunk> page = store().list(token, limit);
            assertThat(page.items())
                    .hasSizeLessThanOrEqualTo(limit)
                    .allSatisfy(chunk -> assertThat(chunk.bytes())
                            .as("the test writes chunk i with i + 1 bytes")
                            .isEqualTo(chunk.id().index() + 1));
            page.items().forEach(chunk -> all.add(chunk.id()));
            token = page.nextToken();
        } while (!token.isEmpty());
        return all;
    }

    private static List<ChunkId> sorted(List<ChunkId> chunks) {
        return chunks.stream()
                .map(ChunkId::toString)
                .sorted()
                .map(ChunkId::parse)
                .toList();
    }
}
