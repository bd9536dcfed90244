package io.cloudmw.helper.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.chunk.ChunkDigester;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.MemoryChunkStore;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.core.wire.BackupWire;
import io.cloudmw.helper.block.Spool;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PackCompactorTest {
    private static final int LEAF = 4096;

    @TempDir
    private Path directory;

    private final byte[] bytes = Chunks.bytes(1, 200_000);
    private final ChunkId id = Chunks.id();
    private final List<ByteRange> kept =
            List.of(new ByteRange(10, 5), new ByteRange(4000, 100_000), new ByteRange(199_990, 10));
    private final PackRelocation place =
            new PackRelocation(id.version(), PackRelocation.newId(id.version()), List.of(new StoreId("t")), kept);
    private final Map<StoreId, MemoryChunkStore> stores = new HashMap<>();
    private final TaskFindings findings = new TaskFindings();
    private Spool spool;

    @BeforeEach
    void openSpool() throws Exception {
        spool = Spool.open(directory.resolve("spool"), new ByteBudget(400_000));
    }

    @AfterEach
    void closeSpool() {
        assertThat(spool.budget().usedBytes()).isZero();
        spool.close();
    }

    private MemoryChunkStore store(String name) {
        return stores.computeIfAbsent(new StoreId(name), store -> new MemoryChunkStore(store, 1 << 20));
    }

    private ChunkStore open(StoreId store) {
        return store(store.value());
    }

    private static Store described(String name) {
        return new Store(new StoreId(name), "domain", new Store.S3(name, "r", "", false, ""));
    }

    private PackCompactor compactor(String... sources) {
        Chunk chunk = new Chunk(
                0,
                id,
                new ByteRange(0, bytes.length),
                LEAF,
                ChunkDigester.digest(ByteBuffer.wrap(bytes), LEAF),
                List.of());
        Task.Compact task = new Task.Compact(
                chunk,
                described("t"),
                FilePath.parse("v:/f"),
                Stream.of(sources).map(PackCompactorTest::described).toList(),
                kept,
                place);
        return new PackCompactor(task, this::open, spool, findings, () -> false);
    }

    private byte[] expected() {
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        kept.forEach(range -> expected.write(bytes, (int) range.offset(), (int) range.length()));
        expected.writeBytes(BackupWire.packEnd(place));
        return expected.toByteArray();
    }

    private byte[] content() throws Exception {
        return Chunks.read(store("t"), place.chunk(), 0, expected().length);
    }

    private byte[] flipped() {
        byte[] wrong = bytes.clone();
        wrong[50_000] ^= 1;
        return wrong;
    }

    @Test
    void keptRangesAreWrittenWithTheirPlaceBehindThem() throws Exception {
        store("a").put(id, Chunks.source(bytes));
        PackCompactor.Made made = compactor("a").run();
        assertThat(content()).isEqualTo(expected());
        assertThat(made.bytes()).isEqualTo(expected().length);
        assertThat(made.pack())
                .isEqualTo(new Chunk(
                        0,
                        place.chunk(),
                        new ByteRange(0, expected().length),
                        LEAF,
                        ChunkDigester.digest(ByteBuffer.wrap(expected()), LEAF),
                        List.of(new StoreId("t"))));
        assertThat(findings.faults()).isEmpty();
    }

    @Test
    void repeatedTaskWritesNothingAndReportsTheSamePack() throws Exception {
        store("a").put(id, Chunks.source(bytes));
        PackCompactor.Made first = compactor("a").run();
        PackCompactor.Made second = compactor("a").run();
        assertThat(second.bytes()).isZero();
        assertThat(second.pack()).isEqualTo(first.pack());
    }

    @Test
    void wrongCopyInTheTargetIsReplaced() throws Exception {
        store("a").put(id, Chunks.source(bytes));
        store("t").put(place.chunk(), Chunks.source(Chunks.bytes(3, expected().length)));
        assertThat(compactor("a").run().bytes()).isEqualTo(expected().length);
        assertThat(content()).isEqualTo(expected());
    }

    @Test
    void damagedSourceIsReportedAndAnotherOneRead() throws Exception {
        store("a").put(id, Chunks.source(flipped()));
        store("b").put(id, Chunks.source(bytes));
        var unused = compactor("a", "b").run();
        assertThat(content()).isEqualTo(expected());
        assertThat(findings.faults()).containsExactly(new ReplicaReport(id, new StoreId("a"), ReplicaState.CORRUPT));
    }

    @Test
    void nothingIsWrittenFromADamagedSourceAlone() throws Exception {
        store("a").put(id, Chunks.source(flipped()));
        CloudMwException failed = catchThrowableOfType(
                CloudMwException.class, () -> compactor("a").run());
        assertThat(failed.code()).isEqualTo(ErrorCode.REPLICA_CORRUPT);
        assertThat(store("t").length(place.chunk())).isEmpty();
    }

    @Test
    void endOfAPackIsReadBackAndDamageIsFound() throws Exception {
        byte[] end = BackupWire.packEnd(place);
        ByteBuffer frame = ByteBuffer.wrap(end, end.length - BackupWire.PACK_FRAME_BYTES, BackupWire.PACK_FRAME_BYTES);
        assertThat(BackupWire.packEndBytes(frame)).hasValue(end.length - BackupWire.PACK_FRAME_BYTES);
        assertThat(BackupWire.packEnd(end)).isEqualTo(place);
        end[5] ^= 1;
        assertThat(catchThrowableOfType(CloudMwException.class, () -> BackupWire.packEnd(end))
                        .code())
                .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(BackupWire.packEndBytes(ByteBuffer.allocate(BackupWire.PACK_FRAME_BYTES)))
                .isEmpty();
    }
}
