package io.cloudmw.client.read.racer;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.FakeCluster;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.progress.AttemptState;
import io.cloudmw.client.progress.GetReceipt;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.cost.StoreUsage;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import java.io.ByteArrayOutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
final class SmallReadRequestTest {
    private static final int LEAF = 4 << 10;
    private static final int SIZE = 10 * LEAF - 123;
    private static final FilePath FILE = FilePath.parse("vol:/f");

    @TempDir
    private Path directory;

    private FakeCluster cluster;
    private byte[] content;

    @BeforeEach
    void start() throws Exception {
        cluster = new FakeCluster(64 << 10, LEAF, FakeHelper.Script.SERVE, directory.resolve("nowhere"), 8L << 20);
        content = cluster.put(FILE, SIZE, 1);
        cluster.coordinator().mode(Mode.COOPERATIVE);
        cluster.coordinator().blockRequests();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private GetReceipt get() throws Exception {
        Path target = directory.resolve("target");
        GetReceipt receipt = cluster.client()
                .files()
                .get(FILE, target, GetOptions.defaults())
                .get(40, SECONDS);
        assertThat(Files.readAllBytes(target)).isEqualTo(content);
        return receipt;
    }

    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"COOPERATIVE", "HEDGED", "SINGLE"})
    void smallFileIsOneRequestAndNoTransfer(Mode mode) throws Exception {
        cluster.coordinator().mode(mode);
        GetReceipt receipt = get();
        assertThat(cluster.helper().sharedReads()).isEqualTo(1);
        assertThat(cluster.helper().begunTransfers()).isZero();
        assertThat(receipt.rows())
                .singleElement()
                .satisfies(attempt -> assertThat(attempt.state()).isEqualTo(AttemptState.FINISHED))
                .satisfies(attempt -> assertThat(attempt.bytes()).isEqualTo(SIZE));
        assertThat(receipt.winners()).containsEntry("h", 1L);
        assertThat(receipt.cost().usage().get(new StoreId("s"))).isEqualTo(StoreUsage.ofReads(1, SIZE));
        assertThat(receipt.wastedBytes()).isZero();
    }

    @Test
    void smallRangeIsOneRequest() throws Exception {
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        var unused = cluster.client()
                .files()
                .read(
                        FILE,
                        Channels.newChannel(target),
                        GetOptions.defaults().withRange(new ByteRange(LEAF + 7, 2 * LEAF)))
                .get(40, SECONDS);
        assertThat(target.toByteArray()).isEqualTo(Arrays.copyOfRange(content, LEAF + 7, 3 * LEAF + 7));
        assertThat(cluster.helper().sharedReads()).isEqualTo(1);
        assertThat(cluster.helper().begunTransfers()).isZero();
    }

    @Test
    void racedFileHasATransfer() throws Exception {
        cluster.coordinator().mode(Mode.ROUNDS);
        get();
        assertThat(cluster.helper().sharedReads()).isZero();
        assertThat(cluster.helper().begunTransfers()).isEqualTo(1);
    }

    @Test
    void helperOfTheReleaseBeforeIsIssuedTheBlock() throws Exception {
        try (FakeCluster old =
                new FakeCluster(64 << 10, LEAF, FakeHelper.Script.SERVE, directory.resolve("old"), 8L << 20)) {
            old.put(FILE, SIZE, 1);
            old.coordinator().mode(Mode.COOPERATIVE);
            var unused = old.client()
                    .files()
                    .get(FILE, directory.resolve("target"), GetOptions.defaults())
                    .get(40, SECONDS);
            assertThat(old.helper().sharedReads()).isZero();
            assertThat(old.helper().begunTransfers()).isEqualTo(1);
        }
    }

    @Test
    void refusedBlockIsIssued() throws Exception {
        cluster.helper().share(FakeHelper.Sharing.REFUSE);
        GetReceipt receipt = get();
        assertThat(cluster.helper().begunTransfers()).isEqualTo(1);
        assertThat(receipt.faults()).isEmpty();
    }

    /** The helper is told of the damage, and has its replica checked. */
    @Test
    void damagedBlockIsReportedAndIssued() throws Exception {
        cluster.helper().share(FakeHelper.Sharing.SPOIL);
        get();
        await().until(() -> cluster.helper().corruptShared() > 0);
    }

    @Test
    void wrongLeafIsNeverDelivered() throws Exception {
        cluster.helper().share(FakeHelper.Sharing.CONFUSE);
        CompletableFuture<GetReceipt> get =
                cluster.client().files().get(FILE, directory.resolve("target"), GetOptions.defaults());
        // The only replica counts as damaged: a second try may or may not be made.
        get.handle((receipt, failure) -> null).get(40, SECONDS);
        Path target = directory.resolve("target");
        assertThat(!Files.exists(target) || Arrays.equals(Files.readAllBytes(target), content))
                .isTrue();
        assertThat(cluster.helper().corruptShared()).isPositive();
    }

    @Test
    void cancelledReadLeavesNothingOpen() throws Exception {
        cluster.helper().share(FakeHelper.Sharing.SILENT);
        CompletableFuture<GetReceipt> get =
                cluster.client().files().get(FILE, directory.resolve("target"), GetOptions.defaults());
        await().until(() -> cluster.helper().openShared() > 0);
        assertThat(get.cancel(true)).isTrue();
        await().until(() -> cluster.helper().openShared() == 0);
        assertThat(directory.resolve("target")).doesNotExist();
    }
}
