package io.cloudmw.client.tree;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.FakeCluster;
import io.cloudmw.client.GetOptions;
import io.cloudmw.client.PutOptions;
import io.cloudmw.client.rpc.CancellableFuture;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs that are stopped. */
@Timeout(120)
final class TreeCopyTest {
    private static final int PARALLEL = 3;

    /** More than files that are copied in batches. */
    private static final int LARGE = (1 << 20) + 1;

    private static final TreeOptions OPTIONS = new TreeOptions(
            PARALLEL, false, false, false, false, PutOptions.defaults(), GetOptions.defaults(), new TreeListener() {});

    @TempDir
    private Path directory;

    private FakeCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = new FakeCluster(64 << 10, 16 << 10, FakeHelper.Script.STALL, directory.resolve("nowhere"), 8L << 20);
        for (int i = 0; i < 2 * PARALLEL; i++) {
            cluster.put(FilePath.parse("vol:/d/" + i), LARGE, i);
        }
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private Path copy() {
        return directory.resolve("copy");
    }

    private void download() throws CloudMwException {
        TreeCopy.download(cluster.client(), RemotePath.parse("vol:/d"), copy(), OPTIONS)
                .run();
    }

    @Test
    void stoppedRunReturnsAfterItsPendingWork() throws Exception {
        AtomicInteger leftUnderWay = new AtomicInteger(-1);
        CompletableFuture<Throwable> outcome = new CompletableFuture<>();
        Thread runner = new Thread(() -> {
            Throwable failure = catchThrowable(this::download);
            leftUnderWay.set(cluster.client().runningTransfers());
            outcome.complete(failure);
        });
        runner.start();
        await().until(() -> cluster.client().runningTransfers() == PARALLEL);
        runner.interrupt();
        assertThat(outcome.get(60, SECONDS))
                .isInstanceOfSatisfying(
                        CloudMwException.class, why -> assertThat(why.code()).isEqualTo(ErrorCode.CANCELLED));
        assertThat(leftUnderWay).hasValue(0);
        nothingArrived();
    }

    @Test
    void stoppedRunOfSmallFilesReturnsAfterItsPendingWork() throws Exception {
        for (int i = 0; i < 2 * PARALLEL; i++) {
            cluster.put(FilePath.parse("vol:/small/" + i), 1000, i);
        }
        AtomicInteger leftUnderWay = new AtomicInteger(-1);
        CompletableFuture<Throwable> outcome = new CompletableFuture<>();
        Thread runner = new Thread(() -> {
            Throwable failure = catchThrowable(
                    TreeCopy.download(cluster.client(), RemotePath.parse("vol:/small"), copy(), OPTIONS)::run);
            leftUnderWay.set(cluster.client().runningTransfers());
            outcome.complete(failure);
        });
        runner.start();
        await().until(() -> cluster.client().runningTransfers() == 2 * PARALLEL);
        runner.interrupt();
        assertThat(outcome.get(60, SECONDS))
                .isInstanceOfSatisfying(
                        CloudMwException.class, why -> assertThat(why.code()).isEqualTo(ErrorCode.CANCELLED));
        assertThat(leftUnderWay).hasValue(0);
        nothingArrived();
    }

    @Test
    void closedClientEndsItsRunsAndTheirWork() throws Exception {
        CompletableFuture<Throwable> outcome =
                CompletableFuture.supplyAsync(() -> catchThrowable(this::download), task -> new Thread(task).start());
        await().until(() -> cluster.client().runningTransfers() == PARALLEL);
        cluster.client().close();
        assertThat(outcome.get(60, SECONDS))
                .isInstanceOfSatisfying(
                        CloudMwException.class, why -> assertThat(why.code()).isEqualTo(ErrorCode.CANCELLED));
        nothingArrived();
    }

    @Test
    void cancelledTransferIsNotRunningOnceItsWorkIsOver() throws Exception {
        CompletableFuture<?> get =
                cluster.client().files().get(FilePath.parse("vol:/d/0"), copy(), GetOptions.defaults());
        await().until(() -> cluster.client().runningTransfers() == 1);
        CompletableFuture<Integer> leftRunning =
                CancellableFuture.over(get).thenApply(over -> cluster.client().runningTransfers());
        get.cancel(true);
        assertThat(leftRunning.get(60, SECONDS)).isZero();
    }

    private void nothingArrived() throws IOException {
        try (var found = Files.list(copy())) {
            assertThat(found).isEmpty();
        }
    }
}
