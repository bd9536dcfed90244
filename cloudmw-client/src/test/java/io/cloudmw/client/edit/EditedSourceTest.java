package io.cloudmw.client.edit;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.client.rpc.coordinator.EditParameters;
import io.cloudmw.client.rpc.coordinator.PutParameters;
import io.cloudmw.client.write.ChangedChunks;
import io.cloudmw.client.write.PutSource;
import io.cloudmw.client.write.StreamPutSource;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.Edit;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.store.UnlinkedFile;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changed and unchanged parts of files of all sizes and cuts. */
final class EditedSourceTest {
    private static final int ROUNDS = 200;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void changedAndUnchangedChunksMakeTheFile(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] before = bytes(random, random.nextInt(60));
            byte[] written = bytes(random, random.nextInt(30));
            int offset = random.nextInt(before.length + 1);
            Edit edit = switch (random.nextInt(3)) {
                case 0 -> Edit.append(written.length);
                case 1 -> Edit.write(offset, written.length);
                default -> Edit.truncate(offset);
            };
            check(before, edit.kind() == Edit.Kind.TRUNCATE ? new byte[0] : written, edit, random);
        }
    }

    private static byte[] bytes(SplittableRandom random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static void check(byte[] before, byte[] written, Edit edit, SplittableRandom random) throws Exception {
        ByteRange range = edit.written(before.length);
        byte[] after = Arrays.copyOf(before, (int) edit.sizeAfter(before.length));
        System.arraycopy(written, 0, after, (int) range.offset(), written.length);
        long chunkSize = random.nextLong(1, 13);
        long chunkSizeBefore = random.nextInt(4) == 0 ? chunkSize + 1 : chunkSize;
        ChunkCutter cutter = new ChunkCutter(after.length, chunkSize);
        EditParameters begun = begun(before.length, chunkSizeBefore, range, cutter);
        ChangedChunks changed = ChangedChunks.of(begun, cutter);
        ByteRange front = changed.before(range, cutter);
        ByteRange back = changed.behind(range, cutter);
        try (FileChannel kept = UnlinkedFile.open()) {
            for (ByteRange stays : new ByteRange[] {front, back}) {
                byte[] bytes = stays.isEmpty()
                        ? new byte[0]
                        : Arrays.copyOfRange(before, (int) stays.offset(), (int) stays.end());
                kept.write(ByteBuffer.wrap(bytes));
            }
            StreamPutSource source =
                    new StreamPutSource(new ByteArrayInputStream(written), written.length, new ByteBudget(0));
            EditedSource edited = new EditedSource(source, kept, after.length, front, range);
            long fresh = 0;
            for (long index = 0; index < cutter.count(); index++) {
                ByteRange chunk = cutter.range(index);
                byte[] expected = Arrays.copyOfRange(after, (int) chunk.offset(), (int) chunk.end());
                if (changed.contains(index)) {
                    fresh += chunk.length();
                    assertThat(read(edited, chunk, random))
                            .as("%s %s", edit, chunk)
                            .isEqualTo(expected);
                } else {
                    assertThat(new ChunkCutter(before.length, chunkSizeBefore).range(index))
                            .isEqualTo(chunk);
                    assertThat(Arrays.copyOfRange(before, (int) chunk.offset(), (int) chunk.end()))
                            .as("%s %s", edit, chunk)
                            .isEqualTo(expected);
                }
            }
            assertThat(changed.bytes(cutter)).isEqualTo(fresh);
            edited.checkUnchanged();
        }
    }

    private static EditParameters begun(int sizeBefore, long chunkSizeBefore, ByteRange written, ChunkCutter after) {
        VersionId id = VersionId.random();
        FileVersion base =
                new FileVersion(FilePath.parse("v:/f"), id, sizeBefore, 1, 1, 4096, 0, "0".repeat(64), chunkSizeBefore);
        PutParameters put = new PutParameters(after.chunkSizeBytes(), 4096, Optional.of(id), 1, false, 0);
        return new EditParameters(put, Optional.of(base), chunkSizeBefore, written, after.fileSizeBytes());
    }

    /** In two pieces, as leaves are. */
    private static byte[] read(EditedSource source, ByteRange range, SplittableRandom random) throws Exception {
        ByteBuffer chunk = ByteBuffer.allocate((int) range.length());
        try (PutSource.Part part = source.part(range)) {
            chunk.limit(random.nextInt((int) range.length() + 1));
            part.read(0, chunk);
            chunk.limit(chunk.capacity());
            part.read(chunk.position(), chunk);
        }
        return chunk.array();
    }
}
