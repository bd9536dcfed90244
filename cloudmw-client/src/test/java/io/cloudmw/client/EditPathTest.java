package io.cloudmw.client;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.file.FileChange;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.progress.TransferListener;
import io.cloudmw.client.rpc.FakeCoordinator;
import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.file.FileVersion;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Changes of part of a file that meet conflicts or lose answers. */
@Timeout(120)
final class EditPathTest {
    private static final int LEAF = 16 << 10;
    private static final int CHUNK = 64 << 10;
    private static final int BEFORE = 2 * CHUNK + 5;
    private static final int MORE = CHUNK + 3;
    private static final FilePath FILE = FilePath.parse("vol:/a/file");

    @TempDir
    private Path directory;

    private FakeCluster cluster;
    private FakeCoordinator coordinator;
    private byte[] whole = new byte[0];

    @BeforeEach
    void start() throws Exception {
        cluster = new FakeCluster(CHUNK, LEAF, FakeHelper.Script.SERVE, directory.resolve("nowhere"), 8L << 20);
        coordinator = cluster.coordinator();
        byte[] before = cluster.put(FILE, BEFORE, 1);
        whole = Arrays.copyOf(before, BEFORE + MORE);
        System.arraycopy(more(), 0, whole, BEFORE, MORE);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private static byte[] more() {
        return FakeCluster.bytes(MORE, 2);
    }

    private Path source() throws IOException {
        return Files.write(directory.resolve("source"), more());
    }

    private void isWhole() throws Exception {
        Path out = directory.resolve("out");
        cluster.client().files().get(FILE, out, GetOptions.defaults()).get(60, SECONDS);
        assertThat(Files.readAllBytes(out)).isEqualTo(whole);
    }

    private String currentVersion() {
        return Objects.requireNonNull(coordinator.files().get(FILE)).id().value();
    }

    private static void failsWith(CompletableFuture<?> future, ErrorCode code, String message) {
        assertThat(future)
                .failsWithin(60, SECONDS)
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(CloudMwException.class, why -> {
                    assertThat(why.code()).isEqualTo(code);
                    assertThat(why).hasMessageContaining(message);
                });
    }

    @Test
    void overtakenAppendIsRetried() throws Exception {
        coordinator.refuse("CommitPut", ErrorCode.CONFLICT, 2);
        cluster.client().files().append(source(), FILE, PutOptions.defaults()).get(60, SECONDS);
        assertThat(coordinator.editsBegun()).isEqualTo(3);
        isWhole();
    }

    /** A coordinator of an earlier release does not know parts. */
    @Test
    void refusedPartIsWrittenOnce() throws Exception {
        FilePath target = FilePath.parse("vol:/target");
        FilePath source = FilePath.parse("vol:/source");
        byte[] all = Arrays.copyOf(cluster.put(target, CHUNK, 3), 3 * CHUNK);
        System.arraycopy(cluster.put(source, 2 * CHUNK, 4), 0, all, CHUNK, 2 * CHUNK);
        FileVersion base = Objects.requireNonNull(coordinator.files().get(target));
        FileVersion part = Objects.requireNonNull(coordinator.files().get(source));
        FileChange change = new FileChange(
                base,
                all.length,
                List.of(new ByteRange(CHUNK, 2 * CHUNK)),
                (buffer, position) -> buffer.put(all, (int) position, buffer.remaining()),
                List.of(new FileChange.Part(part, CHUNK)));
        coordinator.refuse("CommitPut", ErrorCode.INVALID_ARGUMENT, 1);
        PutReceipt receipt =
                cluster.client().files().change(change, TransferListener.NONE).get(60, SECONDS);
        assertThat(receipt.replicasStored()).as("the part's bytes are sent").isPositive();
        Path out = directory.resolve("out");
        cluster.client().files().get(target, out, GetOptions.defaults()).get(60, SECONDS);
        assertThat(Files.readAllBytes(out)).isEqualTo(all);
        FileChange again =
                new FileChange(receipt.version(), all.length, change.written(), change.content(), change.parts());
        coordinator.refuse("CommitPut", ErrorCode.INVALID_ARGUMENT, 2);
        failsWith(
                cluster.client().files().change(again, TransferListener.NONE), ErrorCode.INVALID_ARGUMENT, "CommitPut");
    }

    @Test
    void overtakenAppendOfStreamOfUnknownLengthIsRetried() throws Exception {
        coordinator.refuse("CommitPut", ErrorCode.CONFLICT, 2);
        byte[] more = more();
        InputStream stream = new SequenceInputStream(
                new ByteArrayInputStream(more, 0, 10), new ByteArrayInputStream(more, 10, more.length - 10));
        PutReceipt receipt = cluster.client()
                .files()
                .append(stream, FILE, PutOptions.defaults())
                .get(60, SECONDS);
        assertThat(receipt.version().sizeBytes()).isEqualTo(whole.length);
        isWhole();
    }

    @Test
    void streamOfUnknownLengthOverwritesPartOfFile() throws Exception {
        cluster.client()
                .files()
                .write(new ByteArrayInputStream(more()), FILE, 7, PutOptions.defaults())
                .get(60, SECONDS);
        System.arraycopy(more(), 0, whole, 7, MORE);
        whole = Arrays.copyOf(whole, BEFORE);
        isWhole();
    }

    @Test
    void appendIsRetriedFifteenTimes() throws Exception {
        coordinator.refuse("CommitPut", ErrorCode.CONFLICT, Integer.MAX_VALUE);
        failsWith(
                cluster.client().files().append(source(), FILE, PutOptions.defaults()),
                ErrorCode.CONFLICT,
                "CommitPut");
        assertThat(coordinator.editsBegun()).isEqualTo(16);
    }

    @Test
    void unansweredCommitOfEditNamesTheVersion() throws Exception {
        try (CloudMw hasty = CloudMw.connect(
                CloudMwOptions.of(coordinator.address()).withCoordinatorTimeout(Duration.ofSeconds(3)))) {
            coordinator.loseAnswersTo("CommitPut", Integer.MAX_VALUE);
            String before = currentVersion();
            CompletableFuture<PutReceipt> append = hasty.files().append(source(), FILE, PutOptions.defaults());
            assertThat(append).failsWithin(60, SECONDS);
            assertThat(currentVersion()).isNotEqualTo(before);
            failsWith(append, ErrorCode.COORDINATOR_UNAVAILABLE, mayBe());
            CompletableFuture<PutReceipt> put =
                    hasty.files().put(new ByteArrayInputStream(more()), FILE, PutOptions.defaults());
            assertThat(put).failsWithin(60, SECONDS);
            failsWith(put, ErrorCode.COORDINATOR_UNAVAILABLE, mayBe());
        }
    }

    private String mayBe() {
        return "it may have been committed all the same, as version " + currentVersion();
    }

    @Test
    void interruptedCommitOfEditNamesTheVersion() throws Exception {
        coordinator.loseAnswersTo("CommitPut", Integer.MAX_VALUE);
        CompletableFuture<PutReceipt> append = cluster.client().files().append(source(), FILE, PutOptions.defaults());
        await().until(() -> coordinator.answersLost() > 0);
        cluster.client().close();
        failsWith(append, ErrorCode.CANCELLED, mayBe());
    }

    @Test
    void refusedCommitOfEditNamesNoVersion() throws Exception {
        coordinator.refuse("CommitPut", ErrorCode.INVALID_ARGUMENT, 1);
        CompletableFuture<PutReceipt> append = cluster.client().files().append(source(), FILE, PutOptions.defaults());
        assertThat(append)
                .failsWithin(60, SECONDS)
                .withThrowableThat()
                .withMessageNotContaining("committed all the same");
    }
}
