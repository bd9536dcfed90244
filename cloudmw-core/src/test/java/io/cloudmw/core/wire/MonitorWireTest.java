package io.cloudmw.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.monitor.Speed;
import io.cloudmw.core.monitor.SpeedBook;
import io.cloudmw.core.monitor.SpeedEntry;
import io.cloudmw.core.monitor.sketch.CensoredSketch;
import io.cloudmw.core.monitor.sketch.Sketch;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import io.cloudmw.core.status.fleet.FleetView;
import io.cloudmw.core.status.fleet.HedgeCounts;
import io.cloudmw.core.status.fleet.HelperActivity;
import io.cloudmw.core.status.fleet.SizeClass;
import io.cloudmw.core.status.fleet.SpeedKey;
import io.cloudmw.core.status.fleet.SpeedSummary;
import io.cloudmw.core.status.fleet.SwitchActivity;
import io.cloudmw.proto.v1.StoreSpeed;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class MonitorWireTest {
    private static final StoreId STORE = new StoreId("s");

    /** A book with a line for each kind of line. */
    static SpeedBook book() {
        ExpectedSpeed speed = new ExpectedSpeed(1, 2, 3, 9, 4, 0.5, 2.5, 17.25);
        return new SpeedBook(List.of(
                new SpeedEntry(Optional.of(new HelperId("h")), new SpeedKey(STORE, SizeClass.TINY), speed),
                new SpeedEntry(Optional.empty(), new SpeedKey(STORE, SizeClass.LARGE), ExpectedSpeed.DEFAULT)));
    }

    @Test
    void speedsComeBackAsTheyWere() throws Exception {
        Random random = new Random(3);
        Map<SpeedKey, Speed> speeds = new HashMap<>();
        for (SizeClass size : SizeClass.values()) {
            speeds.put(
                    new SpeedKey(STORE, size),
                    new Speed(
                            new CensoredSketch(sketch(random), sketch(random)),
                            new CensoredSketch(sketch(random), Sketch.EMPTY),
                            sketch(random),
                            random.nextDouble(),
                            Map.of(ErrorCode.STORE_DENIED, 0.25),
                            random.nextDouble(),
                            random.nextDouble()));
        }
        assertThat(MonitorWire.speeds(MonitorWire.speeds(speeds))).isEqualTo(speeds);
    }

    @Test
    void aReportOfManyReadsIsSmall() {
        Random random = new Random(5);
        long[] waits = random.doubles(100_000)
                .mapToLong(d -> Math.round(30_000 * Math.exp(2 * d)))
                .toArray();
        Sketch sketch = Sketch.ofSamples(waits);
        CensoredSketch both = new CensoredSketch(sketch, sketch);
        Speed speed = new Speed(both, both, sketch, 1, Map.of(), 1, 1);
        assertThat(MonitorWire.speeds(Map.of(new SpeedKey(STORE, SizeClass.TINY), speed))
                        .get(0)
                        .getSerializedSize())
                .isLessThan(1500);
    }

    @Test
    void booksActivitiesAndViewsComeBackAsTheyWere() throws Exception {
        assertThat(MonitorWire.book(MonitorWire.book(book()))).isEqualTo(book());
        HelperActivity activity = new HelperActivity(1, 2, 3, 4, 5, 6, 7, new HedgeCounts(8, 9, 10));
        assertThat(MonitorWire.activity(MonitorWire.activity(activity))).isEqualTo(activity);
        HelperActivity switching = new HelperActivity(
                1,
                2,
                3,
                4,
                5,
                6,
                7,
                HedgeCounts.NONE,
                Optional.of(new SwitchActivity(11, 12, 13, 14, 15, 16, 17, 18, 19, 20)));
        assertThat(MonitorWire.activity(MonitorWire.activity(switching))).isEqualTo(switching);
        SpeedSummary summary = new SpeedSummary(ExpectedSpeed.DEFAULT, 1.5, 2.5, 7, Map.of(ErrorCode.INTERNAL, 1.0));
        FleetView view = new FleetView(
                List.of(new FleetView.OfStore(STORE, true, summary)),
                List.of(new FleetView.OfHelper(new HelperId("h"), true, 17, activity, summary)),
                List.of(new FleetView.OfPair(new HelperId("h"), new SpeedKey(STORE, SizeClass.LARGE), summary)),
                12);
        assertThat(MonitorWire.view(MonitorWire.view(view))).isEqualTo(view);
    }

    @Test
    void malformedMessagesAreRefused() {
        StoreSpeed good = MonitorWire.speeds(Map.of(new SpeedKey(STORE, SizeClass.TINY), Speed.UNKNOWN))
                .get(0);
        refused(Collections.nCopies(MonitorWire.MAX_SPEEDS + 1, good));
        refused(List.of(good.toBuilder().setSizeValue(0).build()));
        refused(List.of(good.toBuilder().setSizeValue(99).build()));
        refused(List.of(good.toBuilder().setStoreId("No Such Name").build()));
        refused(List.of(good.toBuilder().setAttempts(Double.NaN).build()));
        refused(List.of(good.toBuilder().setRecentBytes(-1).build()));
        refused(List.of(good.toBuilder()
                .setRate(wire(new long[] {1, 2}, new long[] {1}))
                .build()));
        refused(List.of(good.toBuilder()
                .setRate(wire(new long[] {5, -3}, new long[] {1, 1}))
                .build()));
        refused(List.of(
                good.toBuilder().setRate(wire(new long[433], new long[433])).build()));
        refused(List.of(good.toBuilder()
                .setRate(wire(new long[] {Long.MAX_VALUE, 1}, new long[] {1, 1}))
                .build()));
    }

    @Test
    void aCodeOfALaterReleaseIsCountedAllTheSame() throws Exception {
        StoreSpeed later =
                MonitorWire.speeds(Map.of(new SpeedKey(STORE, SizeClass.TINY), Speed.UNKNOWN)).get(0).toBuilder()
                        .putErrors("NOT_INVENTED_YET", 2)
                        .build();
        assertThat(MonitorWire.speeds(List.of(later)).values())
                .allSatisfy(speed -> assertThat(speed.errors()).containsEntry(ErrorCode.INTERNAL, 2.0));
    }

    private static void refused(List<StoreSpeed> messages) {
        assertThatThrownBy(() -> MonitorWire.speeds(messages))
                .hasFieldOrPropertyWithValue("code", ErrorCode.INVALID_ARGUMENT);
    }

    private static io.cloudmw.proto.v1.Sketch wire(long[] steps, long[] weights) {
        io.cloudmw.proto.v1.Sketch.Builder message = io.cloudmw.proto.v1.Sketch.newBuilder();
        for (long step : steps) {
            message.addSteps(step);
        }
        for (long weight : weights) {
            message.addWeights(weight);
        }
        return message.build();
    }

    private static Sketch sketch(Random random) {
        return Sketch.ofSamples(random.longs(50, 1, 1 << 20).toArray());
    }
}
