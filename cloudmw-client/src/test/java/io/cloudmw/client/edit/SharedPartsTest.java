package io.cloudmw.client.edit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.client.file.FileChange;
import io.cloudmw.client.rpc.coordinator.EditParameters;
import io.cloudmw.client.rpc.coordinator.PutParameters;
import io.cloudmw.client.write.ChangedChunks;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.manifest.NamedChunks;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.model.file.FileVersion;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests of which chunks of a concatenation are written. */
final class SharedPartsTest {
    private static final int LEAF = 16;
    private static final int CHUNK = 64;

    private static FileVersion version(String path, long sizeBytes, long chunkSizeBytes, int leafSizeBytes) {
        return new FileVersion(
                FilePath.parse(path),
                VersionId.random(),
                sizeBytes,
                1,
                1,
                leafSizeBytes,
                0,
                "0".repeat(64),
                chunkSizeBytes);
    }

    private static FileVersion version(long sizeBytes) {
        return version("v:/" + sizeBytes, sizeBytes, CHUNK, LEAF);
    }

    /** A change that appends versions to the first. */
    private static FileChange appended(List<FileVersion> versions) {
        FileVersion base = versions.get(0);
        List<FileChange.Part> parts = new ArrayList<>();
        long end = base.sizeBytes();
        for (FileVersion part : versions.subList(1, versions.size())) {
            parts.add(new FileChange.Part(part, end));
            end += part.sizeBytes();
        }
        List<ByteRange> written = List.of(new ByteRange(base.sizeBytes(), end - base.sizeBytes()));
        return new FileChange(base, end, written, (target, position) -> {}, parts);
    }

    private static SharedParts shared(FileChange change) {
        PutParameters put =
                new PutParameters(CHUNK, LEAF, Optional.of(change.base().id()), 1, false, 0);
        EditParameters begun = new EditParameters(
                put,
                Optional.of(change.base()),
                change.base().chunkSizeBytes(),
                change.written().get(0),
                change.sizeBytes());
        return SharedParts.of(begun, change, new ChunkCutter(change.sizeBytes(), CHUNK));
    }

    private static List<Long> written(FileChange change, ChangedChunks changed) {
        return LongStream.range(0, new ChunkCutter(change.sizeBytes(), CHUNK).count())
                .filter(changed::contains)
                .boxed()
                .toList();
    }

    private static List<Long> written(FileVersion... versions) {
        FileChange change = appended(List.of(versions));
        return written(change, shared(change).first().changed());
    }

    @Test
    void chunksThatAreWholeInBothAreNotWritten() {
        assertThat(written(version(2 * CHUNK), version(CHUNK), version(CHUNK + 1)))
                .isEmpty();
        assertThat(written(version(2 * CHUNK), version(CHUNK + 1), version(CHUNK)))
                .containsExactly(3L, 4L);
        assertThat(written(version(CHUNK + 1), version(2 * CHUNK))).containsExactly(1L, 2L, 3L);
        assertThat(written(version(CHUNK - 1), version(1), version(CHUNK)))
                .as("the second part begins at a multiple again")
                .containsExactly(0L);
        assertThat(written(version(0), version(0), version(3 * CHUNK))).isEmpty();
    }

    /** The base has chunks there, too. */
    @Test
    void partWithinTheBaseIsNotWritten() {
        FileVersion base = version(4 * CHUNK);
        FileVersion part = version(2 * CHUNK);
        List<ByteRange> written = List.of(new ByteRange(CHUNK, 2 * CHUNK));
        FileChange change = new FileChange(
                base, 4 * CHUNK, written, (target, position) -> {}, List.of(new FileChange.Part(part, CHUNK)));
        assertThat(written(change, shared(change).first().changed())).isEmpty();
        assertThat(shared(change).mayRepeat()).isTrue();
    }

    @Test
    void partThatIsCutOtherwiseIsWritten() {
        FileVersion base = version(CHUNK);
        assertThat(written(base, version("v:/p", CHUNK, 2 * CHUNK, LEAF))).containsExactly(1L);
        assertThat(written(base, version("v:/p", CHUNK, CHUNK, 2 * LEAF))).containsExactly(1L);
        assertThat(written(base, version("v:/p", CHUNK, 0, LEAF))).containsExactly(1L);
    }

    /** For every chunk: it is taken over exactly when some version has it at that place. */
    @Test
    void chunkIsWrittenUnlessAVersionHasIt() {
        SplittableRandom random = new SplittableRandom(3);
        for (int round = 0; round < 2000; round++) {
            List<FileVersion> versions = new ArrayList<>();
            for (int i = random.nextInt(1, 6); i >= 0; i--) {
                versions.add(version(random.nextInt(4) * CHUNK + (random.nextBoolean() ? random.nextInt(CHUNK) : 0)));
            }
            FileChange change = appended(versions);
            ChunkCutter after = new ChunkCutter(change.sizeBytes(), CHUNK);
            List<Long> expected = new ArrayList<>();
            for (long index = 0; index < after.count(); index++) {
                ByteRange range = after.range(index);
                long position = 0;
                boolean isThere = false;
                for (FileVersion version : versions) {
                    ChunkCutter own = new ChunkCutter(version.sizeBytes(), CHUNK);
                    for (long i = 0; i < own.count(); i++) {
                        isThere |= position + own.range(i).offset() == range.offset()
                                && own.range(i).length() == range.length();
                    }
                    position += version.sizeBytes();
                }
                if (!isThere) {
                    expected.add(index);
                }
            }
            assertThat(written(change, shared(change).first().changed()))
                    .as("round %d", round)
                    .isEqualTo(expected);
        }
    }

    private static Chunk chunk(long index, ChunkId id) {
        LeafDigests leaves = new LeafDigests(new int[4], new byte[4 * LeafDigests.SHA256_BYTES]);
        ByteRange range = new ByteRange(index * CHUNK, CHUNK);
        return new Chunk(index, id, range, LEAF, leaves, List.of(new StoreId("d1")));
    }

    @Test
    void repeatedChunkIsWritten() {
        FileChange change = appended(List.of(version(3 * CHUNK), version(3 * CHUNK)));
        SharedParts shared = shared(change);
        assertThat(shared.mayRepeat()).isTrue();
        VersionId owner = VersionId.random();
        long[] owned = {4, 5, 9, 9, 4, 7};
        List<Chunk> chunks = new ArrayList<>();
        for (int index = 0; index < owned.length; index++) {
            chunks.add(chunk(index, new ChunkId(owner, owned[index])));
        }
        Collections.reverse(chunks);
        assertThat(shared.add(chunks)).isTrue();
        assertThat(written(change, shared.prepared().changed())).containsExactly(3L, 4L);
    }

    /** Every second chunk repeats the first: after so many gaps all the rest is written. */
    @Test
    void everythingIsWrittenBehindTooManyRepeatedChunks() {
        int chunks = 2 * SharedParts.MAX_REPEATS + 20;
        FileChange change = appended(List.of(version(CHUNK), version((long) chunks * CHUNK)));
        SharedParts shared = shared(change);
        VersionId owner = VersionId.random();
        boolean more = true;
        for (int index = 0; index <= chunks && more; index++) {
            more = shared.add(List.of(chunk(index, new ChunkId(owner, index % 2 == 0 ? 0 : index))));
        }
        assertThat(more).isFalse();
        List<Long> written = written(change, shared.prepared().changed());
        assertThat(written).hasSize(SharedParts.MAX_REPEATS + 1 + chunks - 2 * (SharedParts.MAX_REPEATS + 1));
        assertThat(written).startsWith(2L, 4L, 6L).endsWith(chunks - 1L, (long) chunks);
    }

    @Test
    void onlySeveralVersionsMayRepeatAChunk() {
        assertThat(shared(appended(List.of(version(0), version(CHUNK)))).mayRepeat())
                .isFalse();
        assertThat(shared(appended(List.of(version(CHUNK + 1), version(CHUNK)))).mayRepeat())
                .as("the part is not shared")
                .isFalse();
        assertThat(shared(appended(List.of(version(0), version(CHUNK), version(CHUNK))))
                        .mayRepeat())
                .isTrue();
        long most = (long) NamedChunks.MAX_RUNS * CHUNK;
        assertThat(shared(appended(List.of(version(0), version(most)))).mayRepeat())
                .isFalse();
        assertThat(shared(appended(List.of(version(0), version(most + CHUNK)))).mayRepeat())
                .as("its chunks may be in more runs than are kept")
                .isTrue();
    }

    @Test
    void partsAreInOrderWithinWrittenRangesOfTheSameVolume() {
        FileVersion base = version(CHUNK);
        FileVersion part = version(CHUNK);
        List<ByteRange> written = List.of(new ByteRange(CHUNK, CHUNK), new ByteRange(2 * CHUNK, CHUNK));
        FileChange.Content none = (target, position) -> {};
        FileChange unused =
                new FileChange(base, 3 * CHUNK, written, none, List.of(new FileChange.Part(version(2 * CHUNK), CHUNK)));
        List<List<FileChange.Part>> wrong = List.of(
                List.of(new FileChange.Part(part, 2 * CHUNK), new FileChange.Part(part, CHUNK)),
                List.of(new FileChange.Part(part, CHUNK), new FileChange.Part(part, CHUNK + 1)),
                List.of(new FileChange.Part(part, 0)),
                List.of(new FileChange.Part(part, 2 * CHUNK + 1)),
                List.of(new FileChange.Part(version("w:/p", CHUNK, CHUNK, LEAF), CHUNK)),
                Collections.nCopies(65, new FileChange.Part(version(0), CHUNK)));
        for (List<FileChange.Part> parts : wrong) {
            assertThatThrownBy(() -> new FileChange(base, 3 * CHUNK, written, none, parts))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("expected");
        }
    }
}
