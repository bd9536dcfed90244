package io.cloudmw.coordinator.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.recording.ReadReport;
import io.cloudmw.core.recording.RecordedAttempt;
import io.cloudmw.core.recording.RecordedRead;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RecordedReadsTest {
    private static final FilePath FILE = new FilePath(new VolumeName("v"), "/a");

    private long nanos;
    private final RecordedReads reads = new RecordedReads(2, () -> nanos, () -> 5_000);

    private String begin() {
        return reads.begin(FILE, Mode.COOPERATIVE).orElseThrow();
    }

    private boolean report(String id, RecordedRead.State state, RecordedAttempt... attempts) {
        return reads.report(new ReadReport(id, 100, 7, state, "", List.of(attempts), 0));
    }

    private static RecordedAttempt attempt(int block, RecordedAttempt.State state, long fetched) {
        return new RecordedAttempt(
                0, block, 0, 100, "h1", new StoreId("a"), 0, IssueReason.PLANNED, 1, 2, -1, state, fetched, 0, "");
    }

    @Test
    void sampleIsSoManyReadsASecond() {
        int begun = 0;
        for (int second = 0; second < 10; second++) {
            for (int i = 0; i < 50; i++) {
                begun += reads.begin(FILE, Mode.COOPERATIVE).isPresent() ? 1 : 0;
            }
            nanos += TimeUnit.SECONDS.toNanos(1);
        }
        assertThat(begun).isEqualTo(4 + 9 * 2);
    }

    @Test
    void noReadIsRecordedWhereTheSampleIsEmpty() {
        assertThat(new RecordedReads(0, () -> nanos, () -> 0).begin(FILE, Mode.COOPERATIVE))
                .isEmpty();
    }

    @Test
    void recordShowsTheLastReportOfEachAttempt() {
        String id = begin();
        assertThat(reads.recent()).as("nothing was reported yet").isEmpty();
        assertThat(report(
                        id,
                        RecordedRead.State.RUNNING,
                        attempt(0, RecordedAttempt.State.RUNNING, 10),
                        attempt(1, RecordedAttempt.State.QUEUED, 0)))
                .isTrue();
        assertThat(report(id, RecordedRead.State.DELIVERED, attempt(0, RecordedAttempt.State.FINISHED, 100)))
                .isTrue();

        RecordedRead read = reads.find(id).orElseThrow();
        assertThat(read.attempts())
                .containsExactly(
                        attempt(0, RecordedAttempt.State.FINISHED, 100), attempt(1, RecordedAttempt.State.QUEUED, 0));
        assertThat(read.state()).isEqualTo(RecordedRead.State.DELIVERED);
        assertThat(read.path()).isEqualTo("/a");
        assertThat(read.began().toEpochMilli()).isEqualTo(5_000);
        assertThat(reads.recent()).singleElement().satisfies(listed -> {
            assertThat(listed.id()).isEqualTo(id);
            assertThat(listed.attempts()).isEmpty();
        });
    }

    @Test
    void reportOfAnUnknownReadIsDropped() {
        assertThat(report("0123", RecordedRead.State.RUNNING)).isFalse();
        assertThat(reads.recent()).isEmpty();
    }

    @Test
    void oldestRecordThatHasEndedMakesRoom() {
        String running = begin();
        report(running, RecordedRead.State.RUNNING);
        List<String> ended = new ArrayList<>();
        for (int i = 0; i < RecordedReads.MAX_READS; i++) {
            nanos += TimeUnit.MILLISECONDS.toNanos(500);
            ended.add(begin());
            report(running, RecordedRead.State.RUNNING);
            report(ended.get(i), RecordedRead.State.DELIVERED);
        }
        assertThat(reads.recent()).hasSize(RecordedReads.MAX_READS);
        assertThat(reads.find(running)).isPresent();
        assertThat(reads.find(ended.get(0))).isEmpty();
        assertThat(reads.recent().get(0).id()).isEqualTo(ended.get(ended.size() - 1));
    }

    @Test
    void readerThatIsSilentMakesRoom() {
        String silent = begin();
        report(silent, RecordedRead.State.RUNNING);
        String heard = begin();
        for (int i = 0; i < RecordedReads.MAX_READS; i++) {
            nanos += TimeUnit.MILLISECONDS.toNanos(500);
            report(heard, RecordedRead.State.RUNNING);
            report(begin(), RecordedRead.State.RUNNING);
        }
        assertThat(reads.find(silent)).isEmpty();
        assertThat(reads.find(heard)).isPresent();
    }

    @Test
    void readIsSilentTenSecondsAfterItsLastReport() {
        String id = begin();
        report(id, RecordedRead.State.RUNNING);
        nanos += TimeUnit.SECONDS.toNanos(10) - 1;
        assertThat(reads.find(id).orElseThrow().silent()).isFalse();
        nanos++;
        assertThat(reads.find(id).orElseThrow().silent()).isTrue();
        assertThat(reads.recent()).singleElement().matches(RecordedRead::silent);
        report(id, RecordedRead.State.RUNNING);
        assertThat(reads.find(id).orElseThrow().silent()).isFalse();
    }

    @Test
    void readThatHasEndedIsNeverSilent() {
        String id = begin();
        report(id, RecordedRead.State.DELIVERED);
        nanos += TimeUnit.SECONDS.toNanos(60);
        assertThat(reads.find(id).orElseThrow().silent()).isFalse();
    }

    @Test
    void attemptsAreLimitedForEachReadAndForAll() {
        RecordedAttempt[] most = IntStream.range(0, RecordedRead.MAX_ATTEMPTS)
                .mapToObj(block -> attempt(block, RecordedAttempt.State.RUNNING, 1))
                .toArray(RecordedAttempt[]::new);
        String first = begin();
        assertThat(report(first, RecordedRead.State.RUNNING, most)).isTrue();
        assertThat(report(
                        first,
                        RecordedRead.State.RUNNING,
                        attempt(RecordedRead.MAX_ATTEMPTS, RecordedAttempt.State.RUNNING, 1)))
                .isTrue();
        assertThat(reads.find(first).orElseThrow().attempts()).hasSize(RecordedRead.MAX_ATTEMPTS);

        int fit = RecordedReads.MAX_ATTEMPTS / RecordedRead.MAX_ATTEMPTS;
        for (int i = 1; i <= fit; i++) {
            nanos += TimeUnit.SECONDS.toNanos(1);
            report(begin(), RecordedRead.State.DELIVERED, most);
        }
        assertThat(reads.recent()).hasSize(fit);
    }
}
