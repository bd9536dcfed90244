package io.cloudmw.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.core.hedge.SpeedEstimates;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.Mode;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.monitor.Speed;
import io.cloudmw.core.monitor.SpeedBook;
import io.cloudmw.core.monitor.SpeedEntry;
import io.cloudmw.core.monitor.sketch.CensoredSketch;
import io.cloudmw.core.monitor.sketch.Sketch;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import io.cloudmw.core.status.fleet.SizeClass;
import io.cloudmw.core.status.fleet.SpeedKey;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class PlannedSpeedsTest {
    private static final StoreId EAST = new StoreId("east");
    private static final SpeedKey KEY = new SpeedKey(EAST, SizeClass.SMALL);
    private static final HelperId H2 = new HelperId("h2");

    private static final ExpectedSpeed SEEN_BY_H2 = new ExpectedSpeed(10, 20, 30, 500, 100, 0, 1, 50);
    private static final ExpectedSpeed SEEN_BY_ANY = new ExpectedSpeed(1, 2, 3, 50, 10, 0, 4, 50);

    @Test
    void helperOfThePlanHasItsOwnSpeedsAndOthersTheCommonOnes() {
        PlannedSpeeds speeds = new PlannedSpeeds(plan(), Map::of);
        assertThat(speeds.expected(EAST, 1, 1 << 20))
                .isEqualTo(new io.cloudmw.core.hedge.SpeedEstimate(10, 20, 500, 100));
        assertThat(speeds.expected(EAST, 0, 1 << 20))
                .as("everybody's, four times as slow as usual")
                .isEqualTo(new io.cloudmw.core.hedge.SpeedEstimate(4, 8, 50, 10));
        assertThat(speeds.expected(new StoreId("west"), 1, 1 << 20))
                .isEqualTo(io.cloudmw.core.hedge.SpeedEstimate.UNKNOWN);
    }

    @Test
    void ownMeasurementsCountForDirectReads() {
        CensoredSketch waits = new CensoredSketch(
                Sketch.ofSamples(LongStream.range(0, 20).map(i -> 1000).toArray()), Sketch.EMPTY);
        Speed own = new Speed(waits, waits, Sketch.EMPTY, 20, Map.of(), 0, 0);
        PlannedSpeeds speeds = new PlannedSpeeds(plan(), () -> Map.of(KEY, own));
        assertThat(speeds.expected(EAST, SpeedEstimates.CLIENT, 1 << 20).firstByteNanos())
                .isBetween(960_000L, 1_040_000L);
        assertThat(new PlannedSpeeds(plan(), Map::of)
                        .expected(EAST, SpeedEstimates.CLIENT, 1 << 20)
                        .firstByteNanos())
                .isEqualTo(4);
    }

    @Test
    void speedOfOthersIsNoOwnMeasurement() {
        PlannedSpeeds speeds = new PlannedSpeeds(plan(), Map::of);
        assertThat(speeds.measured(EAST, SpeedEstimates.CLIENT, 1 << 20))
                .isEqualTo(io.cloudmw.core.hedge.SpeedEstimate.UNKNOWN);
        assertThat(speeds.measured(EAST, 1, 1 << 20)).isEqualTo(speeds.expected(EAST, 1, 1 << 20));
    }

    private static ReadPlan plan() {
        FileVersion version =
                new FileVersion(FilePath.parse("v:/f"), VersionId.random(), 1, 1, 1, 1 << 18, 0, "0".repeat(64));
        return new ReadPlan(
                version,
                List.of(new HelperAddress(new HelperId("h1"), "a:1", "a:2"), new HelperAddress(H2, "b:1", "b:2")),
                List.of(),
                Mode.ROUNDS,
                false,
                TransferToken.of(new byte[64]),
                2,
                new SpeedBook(List.of(
                        new SpeedEntry(Optional.of(H2), KEY, SEEN_BY_H2),
                        new SpeedEntry(Optional.empty(), KEY, SEEN_BY_ANY))),
                Optional.empty());
    }
}
