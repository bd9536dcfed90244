package io.cloudmw.client;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.rpc.FakeCoordinator;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.testing.RoundsAndCooperative;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Gets that continue interrupted ones. */
@Timeout(120)
final class ResumedGetTest {
    private static final int LEAF = 16 << 10;
    private static final int CHUNK = 512 << 10;
    private static final FilePath FILE = FilePath.parse("vol:/a/file");

    @TempDir
    private Path directory;

    private FakeCluster cluster;
    private FakeCoordinator coordinator;
    private CloudMw client;

    @BeforeEach
    void connect() throws IOException {
        cluster = new FakeCluster(CHUNK, LEAF, FakeHelper.Script.SERVE, directory.resolve("nowhere"), 4L << 20);
        coordinator = cluster.coordinator();
        client = cluster.client();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private byte[] put(int length, int seed) throws Exception {
        return cluster.put(FILE, length, seed);
    }

    private Path out() {
        return directory.resolve("out");
    }

    private GetReceipt get() throws Exception {
        return client.files().get(FILE, out(), GetOptions.defaults()).get(60, SECONDS);
    }

    private List<Path> left() throws IOException {
        try (var list = Files.list(directory)) {
            return list.filter(path -> !path.equals(out())).toList();
        }
    }

    /** Runs a get that ends after so many bytes; returns what it leaves. */
    private Path interrupted(int afterBytes, GetOptions options) throws Exception {
        CompletableFuture<CompletableFuture<GetReceipt>> get = new CompletableFuture<>();
        get.complete(client.files().get(FILE, out(), options.withListener(new TransferListener() {
            @Override
            public void progressed(long done, long total) {
                if (done >= afterBytes) {
                    get.join().cancel(true);
                }
            }
        })));
        assertThat(get.get()).failsWithin(60, SECONDS);
        await().until(() -> client.runningTransfers() == 0);
        assertThat(Files.exists(out())).isFalse();
        return left().stream().findFirst().orElse(out());
    }

    private Path interrupted(int afterBytes) throws Exception {
        Path left = interrupted(afterBytes, GetOptions.defaults().keepingWhatArrived());
        assertThat(String.valueOf(left.getFileName())).startsWith(".cloudmw-").endsWith(".part");
        return left;
    }

    @RoundsAndCooperative
    void anInterruptedGetFetchesWhatIsMissing(Mode mode) throws Exception {
        coordinator.mode(mode);
        byte[] content = put(40 * CHUNK + 5, 1);
        interrupted(10 * CHUNK);
        interrupted(20 * CHUNK);
        GetReceipt receipt = get();
        assertThat(receipt.bytes()).isEqualTo(content.length);
        assertThat(receipt.resumedBytes() + receipt.usefulBytes()).isEqualTo(content.length);
        // Bytes in flight lie behind those that arrived; memory bounds them.
        assertThat(receipt.resumedBytes()).isGreaterThanOrEqualTo(20L * CHUNK - (5 << 20));
        assertThat(receipt.chunks()).isEqualTo(41);
        assertThat(Files.readAllBytes(out())).isEqualTo(content);
        assertThat(left()).isEmpty();
    }

    @Test
    void resumedGetReportsTheBytesItDoesNotMove() throws Exception {
        put(40 * CHUNK, 1);
        interrupted(20 * CHUNK);
        List<Long> resuming = new ArrayList<>();
        List<Long> reused = new ArrayList<>();
        TransferListener listener = new TransferListener() {
            @Override
            public void resuming(long mostBytes) {
                assertThat(reused).isEmpty();
                resuming.add(mostBytes);
            }

            @Override
            public void reused(long bytes) {
                reused.add(bytes);
            }
        };
        GetReceipt receipt = client.files()
                .get(FILE, out(), GetOptions.defaults().withListener(listener))
                .get(60, SECONDS);
        assertThat(resuming).hasSize(1);
        assertThat(resuming.get(0)).isBetween(receipt.resumedBytes(), 40L * CHUNK);
        assertThat(reused).isSorted().endsWith(receipt.resumedBytes());

        resuming.clear();
        client.files()
                .get(FILE, directory.resolve("afresh"), GetOptions.defaults().withListener(listener))
                .get(60, SECONDS);
        assertThat(resuming).isEmpty();
    }

    @Test
    void keptBytesCountOnlyAfterVerification() throws Exception {
        byte[] content = put(40 * CHUNK, 1);
        Path left = interrupted(20 * CHUNK);
        try (FileChannel file = FileChannel.open(left, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(new byte[LEAF]), 3 * LEAF + 1);
            file.write(ByteBuffer.wrap(new byte[1]), 50L * CHUNK);
        }
        GetReceipt receipt = get();
        assertThat(receipt.resumedBytes()).isPositive();
        assertThat(receipt.usefulBytes()).isGreaterThanOrEqualTo(2L * LEAF);
        assertThat(Files.readAllBytes(out())).isEqualTo(content);
    }

    @Test
    void getOfAnotherVersionStartsOver() throws Exception {
        put(40 * CHUNK, 1);
        interrupted(20 * CHUNK);
        byte[] shorter = put(10 * CHUNK + 1, 2);
        GetReceipt receipt = get();
        assertThat(receipt.resumedBytes()).isZero();
        assertThat(Files.readAllBytes(out())).isEqualTo(shorter);
        assertThat(left()).isEmpty();
    }

    @Test
    void completePartialFileIsNotFetchedAgain() throws Exception {
        byte[] content = put(5 * CHUNK + 1, 1);
        Path left = interrupted(CHUNK);
        Files.write(left, content);
        GetReceipt receipt = get();
        assertThat(receipt.resumedBytes()).isEqualTo(content.length);
        assertThat(receipt.attempts()).isZero();
        assertThat(Files.readAllBytes(out())).isEqualTo(content);
    }

    @Test
    void failedGetLeavesPartialFileOnlyOnRequest() throws Exception {
        put(40 * CHUNK, 1);
        interrupted(20 * CHUNK);
        assertThat(left()).hasSize(1);
        assertThat(interrupted(30 * CHUNK, GetOptions.defaults())).isEqualTo(out());
        assertThat(left()).isEmpty();
    }

    @Test
    void unusualPartialFileIsNotUsed() throws Exception {
        byte[] content = put(5 * CHUNK, 1);
        Path left = interrupted(CHUNK);
        Files.write(left, content);
        Files.setPosixFilePermissions(left, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(get().resumedBytes()).isZero();
        Path elsewhere = Files.write(directory.resolve("elsewhere"), new byte[3]);
        Files.createSymbolicLink(left, elsewhere);
        Files.delete(out());
        assertThat(get().resumedBytes()).isZero();
        assertThat(elsewhere).hasBinaryContent(new byte[3]);
        assertThat(Files.exists(left, LinkOption.NOFOLLOW_LINKS)).isFalse();
        Files.createLink(left, elsewhere);
        assertThat(get().resumedBytes()).isZero();
        assertThat(elsewhere).hasBinaryContent(new byte[3]);
        assertThat(out()).hasBinaryContent(content);
    }

    @Test
    void partialFileThatIsNoRegularFileIsNotOpened() throws Exception {
        byte[] content = put(5 * CHUNK, 1);
        Path left = interrupted(CHUNK);
        Files.delete(left);
        Pipes.make(left);
        assertThat(get().resumedBytes()).isZero();
        assertThat(Files.exists(left, LinkOption.NOFOLLOW_LINKS)).isFalse();

        Path pipe = Pipes.make(directory.resolve("pipe"));
        Files.createSymbolicLink(left, pipe);
        assertThat(get().resumedBytes()).isZero();
        assertThat(left()).containsExactly(pipe);

        Files.createDirectory(left);
        assertThat(get().resumedBytes()).isZero();
        assertThat(left()).containsExactlyInAnyOrder(pipe, left);
        assertThat(out()).hasBinaryContent(content);
    }

    @Test
    void concurrentGetsOfOneTargetAreEachComplete() throws Exception {
        byte[] content = put(20 * CHUNK, 1);
        interrupted(10 * CHUNK);
        List<CompletableFuture<GetReceipt>> gets = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            gets.add(client.files().get(FILE, out(), GetOptions.defaults()));
        }
        for (CompletableFuture<GetReceipt> get : gets) {
            get.get(60, SECONDS);
            assertThat(Arrays.equals(Files.readAllBytes(out()), content)).isTrue();
        }
        assertThat(left()).isEmpty();
    }
}
