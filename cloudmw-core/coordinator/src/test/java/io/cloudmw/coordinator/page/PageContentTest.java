package io.cloudmw.coordinator.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.coordinator.testing.TestCluster;
import io.cloudmw.core.mode.IssueReason;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.ReadTarget;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.monitor.Speed;
import io.cloudmw.core.monitor.sketch.CensoredSketch;
import io.cloudmw.core.monitor.sketch.Sketch;
import io.cloudmw.core.recording.ReadReport;
import io.cloudmw.core.recording.RecordedAttempt;
import io.cloudmw.core.recording.RecordedRead;
import io.cloudmw.core.status.fleet.HedgeCounts;
import io.cloudmw.core.status.fleet.HelperActivity;
import io.cloudmw.core.status.fleet.SizeClass;
import io.cloudmw.core.status.fleet.SpeedKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PageContentTest {
    private static final VolumeName TARGETED = new VolumeName("targeted");
    private static final long SECOND = 1_000_000_000;

    private TestCluster cluster;
    private PageContent content;
    private HelperId h1;
    private StoreId disk;

    @BeforeEach
    void start() throws Exception {
        cluster = new TestCluster();
        h1 = cluster.helper(1).id();
        var unused = cluster.helper(2);
        disk = TestCluster.disk(1).id();
        var unusedVolume = cluster.coordinator
                .administration()
                .createVolume(
                        new Volume(
                                TARGETED,
                                new Chunking.BySize(8 << 20),
                                2,
                                List.of(disk, TestCluster.disk(2).id()),
                                2,
                                Mode.HEDGED,
                                false,
                                0,
                                Optional.of(ReadTarget.parse("p99 of 1MiB under 2s"))),
                        Optional.empty());
        content = new PageContent(cluster.coordinator, cluster.ticker, cluster::now);
    }

    private ShownHelper helper(HelperId id) throws Exception {
        return content.snapshot().helpers().stream()
                .filter(row -> row.id().equals(id.value()))
                .findFirst()
                .orElseThrow();
    }

    private ShownStore store(StoreId id) throws Exception {
        return content.snapshot().stores().stream()
                .filter(row -> row.id().equals(id.value()))
                .findFirst()
                .orElseThrow();
    }

    private ShownVolume volume() throws Exception {
        return content.snapshot().volumes().stream()
                .filter(row -> row.name().equals(TARGETED.value()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void speedsAndActivityOfHelpersAreShown() throws Exception {
        Sketch firstByte = Sketch.ofSamples(
                LongStream.rangeClosed(1, 100).map(i -> i * 1000).toArray());
        CensoredSketch waits = new CensoredSketch(firstByte, Sketch.EMPTY);
        Speed speed = new Speed(waits, waits, Sketch.EMPTY, 100, Map.of(), 100, 100 << 20);
        HelperActivity busy = new HelperActivity(2, 9, 5, 3, 1, 100, 50, new HedgeCounts(4, 3, 0));
        cluster.coordinator.monitoring().heard(h1, Map.of(new SpeedKey(disk, SizeClass.TINY), speed), busy);

        ShownHelper shown = helper(h1);
        assertThat(shown.alive()).isTrue();
        assertThat(shown.transfers()).isEqualTo(2);
        assertThat(shown.hedgesWon()).isEqualTo(3);
        assertThat(shown.bytesPerSecond()).isEqualTo(Math.round(speed.bytesPerSecond()));
        assertThat(shown.switchHitShare()).isEqualTo(-1);
        ShownStore slow = store(disk);
        assertThat(slow.firstByteMicros()).hasSameSizeAs(ShownStore.PERCENTILES).isSorted();
        assertThat(slow.firstByteMicros().get(3)).isEqualTo(waits.quantile(0.5));
        assertThat(slow.streamBytesPerSecond()).as("too few samples").isEmpty();
        assertThat(content.snapshot().totals().transfers()).isEqualTo(2);
    }

    /** A snapshot after the end of a lease shows it, although the catalog was asked before. */
    @Test
    void deadHelperAndItsDiskAreAwayInTheNextSnapshot() throws Exception {
        assertThat(store(disk).available()).isTrue();
        assertThat(volume().storesAvailable()).isEqualTo(2);
        int alive = content.snapshot().totals().helpersAlive();

        cluster.ticker.advance(cluster.options.helperTtl());

        ShownCluster after = content.snapshot();
        assertThat(after.totals().helpersAlive()).isZero();
        assertThat(after.totals().helpersDead()).isEqualTo(alive);
        assertThat(store(disk).available()).isFalse();
        assertThat(store(disk).problem()).contains("helper is away");
        assertThat(volume().storesAvailable()).isZero();
    }

    private String read(long elapsedNanos, RecordedRead.State state, RecordedAttempt... attempts) {
        String id = cluster.coordinator
                .recordedReads()
                .begin(new FilePath(TARGETED, "/f"), Mode.HEDGED)
                .orElseThrow();
        assertThat(cluster.coordinator
                        .recordedReads()
                        .report(new ReadReport(id, 100, elapsedNanos, state, "", List.of(attempts), 0)))
                .isTrue();
        return id;
    }

    @Test
    void readsThatKeptTheTargetOfTheirVolumeAreCounted() throws Exception {
        read(SECOND, RecordedRead.State.DELIVERED);
        read(3 * SECOND, RecordedRead.State.DELIVERED);
        cluster.ticker.advance(Duration.ofSeconds(10));
        read(SECOND, RecordedRead.State.FAILED);
        read(SECOND, RecordedRead.State.RUNNING);

        assertThat(volume().recordedReads()).isEqualTo(3);
        assertThat(volume().failedReads()).isEqualTo(1);
        assertThat(volume().readsInTarget()).isEqualTo(1);
        assertThat(content.reads()).extracting(ShownRead::limitNanos).containsOnly(2 * SECOND);
    }

    @Test
    void runningReadWithoutReportsIsSilent() throws Exception {
        read(SECOND, RecordedRead.State.RUNNING);
        assertThat(content.reads()).extracting(ShownRead::state).containsExactly("RUNNING");
        cluster.ticker.advance(Duration.ofSeconds(12));
        assertThat(content.reads()).extracting(ShownRead::state).containsExactly("SILENT");
    }

    @Test
    void readIsShownWithItsAttempts() throws Exception {
        RecordedAttempt hedge = new RecordedAttempt(
                3,
                7,
                100,
                200,
                "h2",
                disk,
                1,
                IssueReason.HEDGE,
                10,
                20,
                30,
                RecordedAttempt.State.FAILED,
                200,
                150,
                "STORE_UNAVAILABLE");
        String id = read(SECOND, RecordedRead.State.DELIVERED, hedge);

        ShownTimeline shown = content.read(id).orElseThrow();
        assertThat(shown.read()).isEqualTo(content.reads().get(0));
        assertThat(shown.attempts())
                .containsExactly(new ShownTimeline.Attempt(
                        3,
                        7,
                        100,
                        200,
                        "h2",
                        disk.value(),
                        1,
                        "HEDGE",
                        "FAILED",
                        10,
                        20,
                        30,
                        200,
                        150,
                        "STORE_UNAVAILABLE"));
        assertThat(content.read("0".repeat(32))).isEmpty();
    }
}
