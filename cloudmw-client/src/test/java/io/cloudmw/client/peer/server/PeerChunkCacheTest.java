package io.cloudmw.client.peer.server;

import static io.cloudmw.client.peer.server.Chunks.LEAF;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.peer.PeerOptions;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.placement.PeerAnnouncement;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PeerChunkCacheTest {
    private static final int LENGTH = 3 * LEAF + 100;
    private static final VersionId VERSION = VersionId.random();

    @TempDir
    private Path directory;

    private final byte[] bytes = Chunks.bytes(LENGTH, 1);
    private final Chunk a = Chunks.of(VERSION, 0, bytes);
    private final Chunk b = Chunks.of(VERSION, 1, bytes);
    private final Chunk c = Chunks.of(VERSION, 2, bytes);
    private PeerChunkCache held;

    @BeforeEach
    void open() {
        held = new PeerChunkCache(directory, 2L * LENGTH, Runnable::run);
    }

    @AfterEach
    void close() {
        held.close();
    }

    private PeerChunk use(Chunk chunk) {
        return Objects.requireNonNull(held.use(chunk.id()));
    }

    @Test
    void chunkIsHeldAfterItsLastLeafInAnyOrder() throws Exception {
        PeerChunkCache.Growing growing = held.begin(a).orElseThrow();
        Chunks.grow(growing, bytes, 2);
        assertThat(held.held()).isEmpty();
        assertThat(held.use(a.id())).isNull();
        growing.keep(2L * LEAF, ByteBuffer.wrap(bytes, 2 * LEAF, LEAF));
        assertThat(held.held()).containsExactly(a.id());
        assertThat(held.heldBytes()).isEqualTo(LENGTH);

        PeerChunk used = use(a);
        ByteBuffer read = ByteBuffer.allocate(LENGTH);
        used.file().read(read, 0);
        assertThat(read.array()).isEqualTo(bytes);
        assertThat(used.covers(new ByteRange(LEAF, LENGTH - LEAF))).isTrue();
        assertThat(used.covers(new ByteRange(1, LEAF))).isFalse();
        assertThat(used.covers(new ByteRange(0, LEAF + 1))).isFalse();
        assertThat(used.covers(new ByteRange(0, 4L * LEAF))).isFalse();
        held.end(used);
        try (var files = Files.list(directory)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void incompleteChunkIsDroppedAtItsEnd() {
        PeerChunkCache.Growing growing = held.begin(a).orElseThrow();
        Chunks.grow(growing, bytes, 0);
        assertThat(held.begin(a)).isEmpty();
        assertThat(held.bytes()).isEqualTo(LENGTH);
        growing.close();
        assertThat(held.bytes()).isZero();
        growing.keep(0, ByteBuffer.wrap(bytes, 0, LEAF));
        assertThat(held.held()).isEmpty();
        assertThat(held.begin(a)).isPresent();
    }

    @Test
    void leastRecentlyUsedChunkIsEvictedUnlessInUseOrIncomplete() {
        Chunks.hold(held, a, bytes);
        Chunks.hold(held, b, bytes);
        held.end(use(a));
        Chunks.hold(held, c, bytes);
        assertThat(held.held()).containsExactlyInAnyOrder(a.id(), c.id());
        assertThat(held.bytes()).isEqualTo(2L * LENGTH);

        PeerChunk busy = use(a);
        PeerChunk busyToo = use(c);
        assertThat(held.begin(b)).isEmpty();
        held.end(busy);
        held.end(busyToo);
        PeerChunkCache.Growing first = held.begin(b).orElseThrow();
        PeerChunkCache.Growing second = held.begin(Chunks.of(VERSION, 3, bytes)).orElseThrow();
        assertThat(held.held()).isEmpty();
        assertThat(held.begin(a)).isEmpty();
        first.close();
        second.close();
        assertThat(held.bytes()).isZero();
    }

    @Test
    void tooLongChunkEvictsNothing() {
        Chunks.hold(held, a, bytes);
        assertThat(held.begin(Chunks.of(VERSION, 1, new byte[2 * LENGTH + 1]))).isEmpty();
        assertThat(held.held()).containsExactly(a.id());
    }

    @Test
    void heldChunksAreAtMostTheAnnouncementLimit() {
        try (PeerChunkCache many = new PeerChunkCache(directory, 1 << 30, Runnable::run)) {
            byte[] one = {1};
            IntStream.rangeClosed(0, PeerAnnouncement.MAX_CHUNKS)
                    .forEach(index -> Chunks.hold(many, Chunks.of(VERSION, index, one), one));
            assertThat(many.held()).hasSize(PeerAnnouncement.MAX_CHUNKS).doesNotContain(a.id());
        }
    }

    @Test
    void corruptChunkIsDroppedAndFreedAfterItsLastUse() {
        Chunks.hold(held, a, bytes);
        PeerChunk used = use(a);
        held.drop(a.id());
        assertThat(held.held()).isEmpty();
        assertThat(held.use(a.id())).isNull();
        assertThat(held.bytes()).isEqualTo(LENGTH);
        held.end(used);
        assertThat(held.bytes()).isZero();
    }

    @Test
    void keepDoesNotWaitForTheDiskAndDropsChunksThatLag() throws Exception {
        Queue<Runnable> disk = new ArrayDeque<>();
        int most = Math.toIntExact(PeerChunkCache.MAX_WAITING_BYTES);
        byte[] all = new byte[most];
        Chunk first = Chunks.of(VERSION, 7, all);
        try (PeerChunkCache slow = new PeerChunkCache(directory, 4L * most, disk::add)) {
            PeerChunkCache.Growing growing = slow.begin(first).orElseThrow();
            Chunks.grow(growing, all, -1);
            growing.close(); // the read is over, and delivered everything
            assertThat(slow.held()).isEmpty();
            assertThat(slow.bytes()).isEqualTo(most);

            Chunks.hold(slow, a, bytes);
            assertThat(slow.skipped()).isEqualTo(1);
            assertThat(slow.bytes()).isEqualTo(most);

            CompletableFuture<Void> written = new CompletableFuture<>();
            Thread waiting = new Thread(() -> {
                try {
                    slow.awaitWritten();
                    written.complete(null);
                } catch (InterruptedException e) {
                    written.completeExceptionally(e);
                }
            });
            waiting.start();
            await().until(() -> waiting.getState() == Thread.State.WAITING);
            runAll(disk);
            written.get(10, TimeUnit.SECONDS);
            assertThat(slow.held()).containsExactly(first.id());

            Chunks.hold(slow, a, bytes);
            runAll(disk);
            assertThat(slow.held()).containsExactlyInAnyOrder(first.id(), a.id());
            assertThat(slow.skipped()).isEqualTo(1);
        }
        runAll(disk);
    }

    private static void runAll(Queue<Runnable> tasks) {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Test
    void chunkDroppedWhileItWaitsForTheDiskIsNotHeldLater() {
        Queue<Runnable> disk = new ArrayDeque<>();
        try (PeerChunkCache slow = new PeerChunkCache(directory, 1 << 20, disk::add)) {
            PeerChunkCache.Growing growing = slow.begin(a).orElseThrow();
            Chunks.grow(growing, bytes, 1);
            growing.keep(0, ByteBuffer.wrap(bytes, 0, LEAF)); // a second time: no effect
            growing.close();
            assertThat(slow.bytes()).isZero();
            runAll(disk);
            assertThat(slow.held()).isEmpty();
            assertThat(slow.bytes()).isZero();
        }
    }

    @Test
    void unwritableDirectoryKeepsNothing() {
        try (PeerChunkCache nowhere = new PeerChunkCache(directory.resolve("none"), 1 << 20, Runnable::run)) {
            Chunks.hold(nowhere, a, bytes);
            assertThat(nowhere.held()).isEmpty();
            assertThat(nowhere.bytes()).isZero();
        }
    }

    @Test
    void defaultDirectoryIsAmongTheUsersCaches() {
        assertThat(PeerOptions.defaultDirectory(Map.of("XDG_CACHE_HOME", "/caches", "HOME", "/home/u")))
                .isEqualTo(Path.of("/caches/cloudmw/peer"));
        assertThat(PeerOptions.defaultDirectory(Map.of("XDG_CACHE_HOME", "", "HOME", "/home/u")))
                .isEqualTo(Path.of("/home/u/.cache/cloudmw/peer"));
        assertThat(PeerOptions.defaultDirectory(Map.of())).isEqualTo(Path.of(System.getProperty("java.io.tmpdir")));
    }

    @Test
    void optionsAreChecked() {
        PeerOptions options = PeerOptions.at("127.0.0.1:0");
        assertThat(options.withAdvertiseHost("h").advertiseHost()).isEqualTo("h");
        assertThatThrownBy(() -> options.withKept(directory, 1)).hasMessageContaining("keepBytes");
        assertThatThrownBy(() -> options.withUploads(0)).hasMessageContaining("uploads");
        assertThatThrownBy(() -> options.withUploads(PeerOptions.MAX_UPLOADS + 1))
                .hasMessageContaining("uploads");
    }
}
