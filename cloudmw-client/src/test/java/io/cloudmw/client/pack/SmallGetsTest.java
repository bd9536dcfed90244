package io.cloudmw.client.pack;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.FakeCluster;
import io.cloudmw.client.FakeContext;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.context.ClientContext;
import io.cloudmw.client.context.ClientThreads;
import io.cloudmw.client.file.EntryStatus;
import io.cloudmw.client.file.FileGet;
import io.cloudmw.client.file.FilePut;
import io.cloudmw.client.file.PositionalTarget;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.rpc.CancellableFuture;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VersionId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Gets of files in packs. */
@Timeout(60)
final class SmallGetsTest {
    private static final FilePath ONE = FilePath.parse("vol:/one");
    private static final FilePath TWO = FilePath.parse("vol:/two");

    /** Reads that nothing answers. */
    private static class NoReads implements SmallGets.Reads {
        @Override
        public CompletableFuture<GetReceipt> pack(
                FilePath pack, VersionId version, ByteRange range, PositionalTarget target) {
            throw new IllegalStateException("no read of a pack, on purpose");
        }

        @Override
        public CompletableFuture<GetReceipt> alone(FileGet file, VersionId version) {
            throw new IllegalStateException("no read of a file, on purpose");
        }
    }

    @TempDir
    private Path directory;

    private final ScheduledExecutorService calls = Executors.newSingleThreadScheduledExecutor();
    private FakeCluster cluster;
    private ClientContext context;
    private SmallGets gets;

    @BeforeEach
    void start() throws Exception {
        cluster = new FakeCluster(64 << 10, 4 << 10, FakeHelper.Script.SERVE, directory.resolve("nowhere"), 8L << 20);
        context = FakeContext.of(new ClientThreads(), cluster.coordinator().address(), calls, calls);
        gets = new SmallGets(context);
        putBoth();
    }

    /** Puts two files of one length, in one pack. */
    private void putBoth() throws Exception {
        List<FilePut> puts = List.of(
                FilePut.of(Files.writeString(directory.resolve("1"), "content of 1"), ONE),
                FilePut.of(Files.writeString(directory.resolve("2"), "content of 2"), TWO));
        for (CompletableFuture<PutReceipt> put : cluster.client().files().putAll(puts)) {
            put.get(40, SECONDS);
        }
    }

    @AfterEach
    void close() throws Exception {
        context.close();
        cluster.close();
        calls.submit(() -> {}).get(20, SECONDS);
        calls.shutdownNow();
    }

    private FileGet to(String name) {
        return new FileGet(ONE, directory.resolve(name));
    }

    private static void fails(CompletableFuture<EntryStatus> get, ErrorCode code, String message) {
        assertThatThrownBy(() -> get.get(40, SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(message);
    }

    @Test
    void bytesOfAnotherFileAreNotBelieved() throws Exception {
        cluster.coordinator().confuseSlices(ONE, TWO);

        for (CompletableFuture<EntryStatus> get :
                cluster.client().files().getAll(List.of(to("target")), GetOptions.defaults())) {
            get.get(40, SECONDS);
        }

        assertThat(directory.resolve("target")).hasContent("content of 1");
    }

    @Test
    void readsThatThrowFailTheirFiles() {
        fails(
                gets.get(ONE.volume(), List.of(to("target")), false, new NoReads())
                        .get(0),
                ErrorCode.INTERNAL,
                "on purpose");
    }

    @Test
    void getsOfAClosedClientFail() {
        context.threads().close();
        fails(
                gets.get(ONE.volume(), List.of(to("target")), false, new NoReads())
                        .get(0),
                ErrorCode.CANCELLED,
                "the client was closed");
    }

    @Test
    void readsOfPacksOfAClosedClientFail() {
        CompletableFuture<GetReceipt> read = new CompletableFuture<>();
        CompletableFuture<Void> begun = new CompletableFuture<>();
        SmallGets.Reads reads = new NoReads() {
            @Override
            public CompletableFuture<GetReceipt> pack(
                    FilePath pack, VersionId version, ByteRange range, PositionalTarget target) {
                begun.complete(null);
                return read;
            }
        };
        CompletableFuture<EntryStatus> get =
                gets.get(ONE.volume(), List.of(to("target")), false, reads).get(0);
        begun.join();
        context.threads().close();

        read.completeExceptionally(new CloudMwException(ErrorCode.CANCELLED, "cancelled"));

        fails(get, ErrorCode.CANCELLED, "the client was closed");
    }

    private List<FileGet> many(FilePath source, int count) {
        return Collections.nCopies(count, new FileGet(source, directory.resolve("target")));
    }

    /** Waits until the coordinator has got what was sent to it before. */
    private void waitForCoordinator() throws Exception {
        var unused = context.coordinator().stat(ONE).get(40, SECONDS);
    }

    @Test
    void manyFilesAreLookedUpInAFewCallsAtOnce() throws Exception {
        CompletableFuture<Void> gate = cluster.coordinator().holdLookUps();
        List<CompletableFuture<EntryStatus>> all =
                gets.get(ONE.volume(), many(FilePath.parse("vol:/none"), 9_500), false, new NoReads());
        await().until(() -> cluster.coordinator().lookUps() >= 4);
        waitForCoordinator();
        assertThat(cluster.coordinator().lookUps()).isEqualTo(4);

        gate.complete(null);

        for (CompletableFuture<EntryStatus> get : all) {
            fails(get, ErrorCode.NOT_FOUND, "vol:/none");
        }
        assertThat(cluster.coordinator().lookUps()).isEqualTo(10);
        assertThat(cluster.coordinator().mostLookUpsAtOnce()).isLessThanOrEqualTo(4);
    }

    @Test
    void furtherFilesAreLookedUpWhenEarlierOnesHaveEnded() throws Exception {
        CompletableFuture<GetReceipt> read = new CompletableFuture<>();
        SmallGets.Reads reads = new NoReads() {
            @Override
            public CompletableFuture<GetReceipt> pack(
                    FilePath pack, VersionId version, ByteRange range, PositionalTarget target) {
                return read;
            }
        };
        List<CompletableFuture<EntryStatus>> all = gets.get(ONE.volume(), many(ONE, 5_000), false, reads);
        await().until(() -> cluster.coordinator().lookUps() >= 4);
        waitForCoordinator();
        assertThat(cluster.coordinator().lookUps()).isEqualTo(4);

        read.completeExceptionally(new CloudMwException(ErrorCode.REPLICA_CORRUPT, "on purpose"));

        for (CompletableFuture<EntryStatus> get : all) {
            fails(get, ErrorCode.INTERNAL, "on purpose");
        }
        assertThat(cluster.coordinator().lookUps()).isEqualTo(5);
    }

    @Test
    void filesThatNobodyWaitsForAreNotLookedUp() throws Exception {
        CompletableFuture<Void> gate = cluster.coordinator().holdLookUps();
        List<CompletableFuture<EntryStatus>> all =
                gets.get(ONE.volume(), many(FilePath.parse("vol:/none"), 6_000), false, new NoReads());
        await().until(() -> cluster.coordinator().lookUps() >= 4);
        all.subList(4_000, 6_000).forEach(get -> get.cancel(true));

        gate.complete(null);

        for (CompletableFuture<EntryStatus> get : all) {
            CancellableFuture.over(get).get(40, SECONDS);
        }
        assertThat(cluster.coordinator().lookUps()).isEqualTo(4);
    }
}
