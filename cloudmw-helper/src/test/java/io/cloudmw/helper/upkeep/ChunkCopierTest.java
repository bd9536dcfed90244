package io.cloudmw.helper.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.memory.ByteBudget;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.LeafDigests;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.ForwardingChunkStore;
import io.cloudmw.core.store.PutOutcome;
import io.cloudmw.core.testing.store.Chunks;
import io.cloudmw.core.testing.store.MemoryChunkStore;
import io.cloudmw.core.upkeep.Task;
import io.cloudmw.helper.block.Spool;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ChunkCopierTest {
    private static final int LEAF = 4096;

    @TempDir
    private Path directory;

    private final byte[] bytes = Chunks.bytes(1, 10_000);
    private final ChunkId id = Chunks.id();
    private final Map<StoreId, MemoryChunkStore> stores = new HashMap<>();
    private final TaskFindings findings = new TaskFindings();
    private Spool spool;
    private boolean over;

    @BeforeEach
    void openSpool() throws Exception {
        spool = Spool.open(directory.resolve("spool"), new ByteBudget(100_000));
    }

    @AfterEach
    void closeSpool() {
        assertThat(spool.budget().usedBytes()).isZero();
        spool.close();
    }

    private MemoryChunkStore store(String name) {
        return stores.computeIfAbsent(new StoreId(name), store -> new MemoryChunkStore(store, 1 << 20));
    }

    private void put(String name, byte[] content) throws CloudMwException {
        store(name).put(id, Chunks.source(content));
    }

    private byte[] content(String name) throws Exception {
        return Chunks.read(store(name), id, 0, bytes.length);
    }

    /** A copy with one wrong byte. */
    private byte[] flipped() {
        byte[] wrong = bytes.clone();
        wrong[7000] ^= 1;
        return wrong;
    }

    private Chunk chunk() throws Exception {
        int leaves = Chunk.leafCount(bytes.length, LEAF);
        int[] crcs = new int[leaves];
        byte[] sha256 = new byte[leaves * LeafDigests.SHA256_BYTES];
        for (int leaf = 0; leaf < leaves; leaf++) {
            byte[] part = Arrays.copyOfRange(bytes, leaf * LEAF, Math.min(bytes.length, (leaf + 1) * LEAF));
            CRC32C crc = new CRC32C();
            crc.update(part);
            crcs[leaf] = (int) crc.getValue();
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(part);
            System.arraycopy(digest, 0, sha256, leaf * digest.length, digest.length);
        }
        return new Chunk(
                7,
                id,
                new ByteRange(0, bytes.length),
                LEAF,
                new LeafDigests(crcs, sha256),
                List.of(new StoreId("a"), new StoreId("b")));
    }

    private ChunkCopier copy(Chunk chunk, String target, String... sources) {
        return new ChunkCopier(task(chunk, target, sources), this::open, spool, findings, () -> over);
    }

    private static Task.Copy task(Chunk chunk, String target, String... sources) {
        List<Store> from = new ArrayList<>();
        for (String source : sources) {
            from.add(described(source));
        }
        return new Task.Copy(chunk, described(target), FilePath.parse("v:/f"), from, 1);
    }

    private ChunkStore open(StoreId store) {
        return store(store.value());
    }

    private static Store described(String name) {
        return new Store(new StoreId(name), "domain", new Store.S3(name, "r", "", false, ""));
    }

    @Test
    void chunkIsCopied() throws Exception {
        put("a", bytes);
        ChunkCopier copy = copy(chunk(), "t", "a");
        assertThat(copy.run()).isEqualTo(bytes.length);
        assertThat(content("t")).isEqualTo(bytes);
        assertThat(findings.faults()).isEmpty();
    }

    @Test
    void goodCopyIsLeftAlone() throws Exception {
        put("t", bytes);
        assertThat(copy(chunk(), "t", "nowhere").run()).isZero();
        assertThat(findings.bytesRead()).isEqualTo(bytes.length);
    }

    @Test
    void badCopyIsReplaced() throws Exception {
        put("a", bytes);
        put("t", flipped());
        assertThat(copy(chunk(), "t", "a").run()).isEqualTo(bytes.length);
        assertThat(content("t")).isEqualTo(bytes);
    }

    @Test
    void copyOfAnotherLengthIsReplaced() throws Exception {
        put("a", bytes);
        for (int length : List.of(bytes.length - 1, bytes.length + 1)) {
            store("t").delete(id);
            put("t", Arrays.copyOf(bytes, length));
            assertThat(copy(chunk(), "t", "a").run()).isEqualTo(bytes.length);
            assertThat(content("t")).isEqualTo(bytes);
        }
    }

    @Test
    void badSourceIsReportedAndTheNextOneIsRead() throws Exception {
        put("bad", flipped());
        put("good", bytes);
        ChunkCopier copy = copy(chunk(), "t", "bad", "empty", "good");
        assertThat(copy.run()).isEqualTo(bytes.length);
        assertThat(content("t")).isEqualTo(bytes);
        assertThat(findings.faults())
                .containsExactly(
                        new ReplicaReport(id, new StoreId("bad"), ReplicaState.CORRUPT),
                        new ReplicaReport(id, new StoreId("empty"), ReplicaState.MISSING));
        assertThat(findings.bytesRead()).isEqualTo(2 * LEAF + bytes.length);
    }

    @Test
    void leafWithAWrongDigestIsNotCopied() throws Exception {
        byte[] other = flipped();
        put("a", other);
        Chunk honest = chunk();
        int[] crcs = honest.leaves().crc32c().clone();
        CRC32C crc = new CRC32C();
        crc.update(other, LEAF, LEAF);
        crcs[1] = (int) crc.getValue();
        Chunk collided = new Chunk(
                7,
                id,
                honest.range(),
                LEAF,
                new LeafDigests(crcs, honest.leaves().sha256()),
                honest.replicas());
        ChunkCopier copy = copy(collided, "t", "a");
        CloudMwException failure = catchThrowableOfType(CloudMwException.class, copy::run);
        assertThat(failure.code()).isEqualTo(ErrorCode.REPLICA_CORRUPT);
        assertThat(store("t").length(id)).isEmpty();
    }

    @Test
    void copyIsNotReplacedAfterTheDeadline() throws Exception {
        put("a", bytes);
        put("t", flipped());
        over = true;
        ChunkCopier copy = copy(chunk(), "t", "a");
        assertThat(catchThrowableOfType(CloudMwException.class, copy::run).code())
                .isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(content("t")).isEqualTo(flipped());
    }

    /** A store in which another process writes the chunk just before every put. */
    private static final class Contended extends ForwardingChunkStore {
        private final byte[] theirs;

        Contended(MemoryChunkStore delegate, byte[] theirs) {
            super(delegate);
            this.theirs = theirs;
        }

        @Override
        public PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException {
            super.put(chunk, Chunks.source(theirs));
            return super.put(chunk, source);
        }
    }

    @Test
    void copyWrittenByAnotherProcessIsVerified() throws Exception {
        put("a", bytes);
        for (byte[] theirs : List.of(bytes, flipped())) {
            TaskFindings found = new TaskFindings();
            store("t").delete(id);
            ChunkStore contended = new Contended(store("t"), theirs);
            ChunkCopier copy = new ChunkCopier(
                    task(chunk(), "t", "a"),
                    store -> store.value().equals("t") ? contended : open(store),
                    spool,
                    found,
                    () -> false);
            if (theirs == bytes) {
                assertThat(copy.run()).isZero();
                assertThat(found.blamed()).isEmpty();
            } else {
                assertThat(catchThrowableOfType(CloudMwException.class, copy::run)
                                .code())
                        .isEqualTo(ErrorCode.REPLICA_CORRUPT);
                assertThat(found.blamed()).contains(new StoreId("t"));
            }
        }
    }

    @Test
    void copyStaysWhenNoSourceIsGood() throws Exception {
        put("t", flipped());
        put("a", flipped());
        ChunkCopier copy = copy(chunk(), "t", "a", "empty");
        assertThat(catchThrowableOfType(CloudMwException.class, copy::run)).isNotNull();
        assertThat(content("t")).isEqualTo(flipped());
    }
}
