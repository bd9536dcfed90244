package io.cloudmw.client;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cloudmw.client.rpc.FakeHelper;
import io.cloudmw.client.rpc.FakeRecording;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.proto.v1.RecordedAttempt;
import io.cloudmw.proto.v1.RecordedAttemptState;
import io.cloudmw.proto.v1.RecordedReadState;
import io.cloudmw.proto.v1.ReportReadRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads whose plan has a record are reported to the coordinator. */
class RecordedReadTest {
    private static final FilePath FILE = FilePath.parse("vol:/f");
    private static final int LENGTH = 300_000;

    @TempDir
    private Path directory;

    private FakeCluster cluster;
    private FakeRecording recording;

    @BeforeEach
    void start() throws Exception {
        cluster =
                new FakeCluster(128 << 10, 64 << 10, FakeHelper.Script.SERVE, directory.resolve("nothing"), 16L << 20);
        recording = cluster.coordinator().recording();
        cluster.put(FILE, LENGTH, 1);
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private void get() throws Exception {
        Path copy = directory.resolve("copy");
        cluster.client().files().get(FILE, copy, GetOptions.defaults()).get(60, SECONDS);
        assertThat(Files.readAllBytes(copy)).isEqualTo(FakeCluster.bytes(LENGTH, 1));
    }

    @Test
    void lastReportHasEveryByte() throws Exception {
        recording.record = Optional.of("read-1");
        get();
        cluster.client().close();

        List<ReportReadRequest> reports = recording.reports();
        ReportReadRequest last = reports.get(reports.size() - 1);
        assertThat(last.getRecordId()).isEqualTo("read-1");
        assertThat(last.getState()).isEqualTo(RecordedReadState.RECORDED_READ_STATE_DELIVERED);
        assertThat(last.getWantedBytes()).isEqualTo(LENGTH);
        List<RecordedAttempt> attempts = reports.stream()
                .flatMap(report -> report.getAttemptsList().stream())
                .filter(attempt -> attempt.getState() == RecordedAttemptState.RECORDED_ATTEMPT_STATE_FINISHED)
                .toList();
        assertThat(attempts).allSatisfy(attempt -> {
            assertThat(attempt.getRacer()).isEqualTo("h");
            assertThat(attempt.getStoreId()).isEqualTo("s");
            assertThat(attempt.getEndedNanos()).isGreaterThanOrEqualTo(attempt.getIssuedNanos());
        });
        assertThat(attempts.stream().mapToLong(RecordedAttempt::getWonBytes).sum())
                .as(reports.toString())
                .isEqualTo(LENGTH);
    }

    @Test
    void cancelledReadIsReportedWithItsReason() throws Exception {
        cluster.close();
        cluster =
                new FakeCluster(128 << 10, 64 << 10, FakeHelper.Script.STALL, directory.resolve("nothing"), 16L << 20);
        recording = cluster.coordinator().recording();
        cluster.put(FILE, LENGTH, 1);
        recording.record = Optional.of("read-1");
        CompletableFuture<?> read =
                cluster.client().files().get(FILE, directory.resolve("copy"), GetOptions.defaults());
        await().until(() -> !recording.reports().isEmpty());
        read.cancel(true);

        await().untilAsserted(() -> assertThat(recording.reports()).last().satisfies(report -> {
            assertThat(report.getState()).isEqualTo(RecordedReadState.RECORDED_READ_STATE_FAILED);
            assertThat(report.getError()).contains("CANCELLED");
        }));
    }

    @Test
    void readWithoutARecordIsNotReported() throws Exception {
        get();
        cluster.client().close();
        assertThat(recording.reports()).isEmpty();
    }

    @Test
    void readSucceedsWhenItsReportsFail() throws Exception {
        recording.record = Optional.of("read-1");
        recording.broken = true;
        get();
        recording.broken = false;
        recording.dropped = true;
        get();
    }
}
