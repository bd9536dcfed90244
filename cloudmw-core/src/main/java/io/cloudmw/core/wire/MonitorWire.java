package io.cloudmw.core.wire;

import io.cloudmw.core.error.CloudMwException;
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
import io.cloudmw.proto.v1.HelperView;
import io.cloudmw.proto.v1.PairView;
import io.cloudmw.proto.v1.PlannedSpeed;
import io.cloudmw.proto.v1.StoreSpeed;
import io.cloudmw.proto.v1.StoreView;
import io.cloudmw.proto.v1.ViewFleetResponse;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The conversions of the monitor's values, both ways. A malformed message is {@code INVALID_ARGUMENT}; an error code
 * of a later release counts as {@code INTERNAL}.
 */
public final class MonitorWire {
    /** The most speeds in one heartbeat. */
    public static final int MAX_SPEEDS = 16;

    private MonitorWire() {}

    public static List<StoreSpeed> speeds(Map<SpeedKey, Speed> speeds) {
        List<StoreSpeed> messages = new ArrayList<>();
        speeds.forEach((key, speed) -> messages.add(speed(key, speed)));
        return messages;
    }

    private static StoreSpeed speed(SpeedKey key, Speed speed) {
        return StoreSpeed.newBuilder()
                .setStoreId(key.store().value())
                .setSize(size(key.size()))
                .setRecentEnded(sketch(speed.recent().ended()))
                .setRecentCut(sketch(speed.recent().cut()))
                .setEnded(sketch(speed.baseline().ended()))
                .setCut(sketch(speed.baseline().cut()))
                .setRate(sketch(speed.rate()))
                .setAttempts(speed.attempts())
                .putAllErrors(named(speed.errors()))
                .setRecentReads(speed.recentReads())
                .setRecentBytes(speed.recentBytes())
                .build();
    }

    /** The speeds of a heartbeat; more than {@value #MAX_SPEEDS} are refused. */
    public static Map<SpeedKey, Speed> speeds(List<StoreSpeed> messages) throws CloudMwException {
        if (messages.size() > MAX_SPEEDS) {
            throw FromWire.invalid("speeds: " + messages.size() + " (expected: <= " + MAX_SPEEDS + ")");
        }
        Map<SpeedKey, Speed> speeds = new HashMap<>();
        for (StoreSpeed message : messages) {
            SpeedKey key = new SpeedKey(FromWire.storeId(message.getStoreId()), size(message.getSize()));
            speeds.put(key, FromWire.valid(() -> speed(message)));
        }
        return speeds;
    }

    private static Speed speed(StoreSpeed message) {
        return new Speed(
                new CensoredSketch(sketch(message.getRecentEnded()), sketch(message.getRecentCut())),
                new CensoredSketch(sketch(message.getEnded()), sketch(message.getCut())),
                sketch(message.getRate()),
                message.getAttempts(),
                errors(message.getErrorsMap()),
                message.getRecentReads(),
                message.getRecentBytes());
    }

    private static io.cloudmw.proto.v1.Sketch sketch(Sketch sketch) {
        io.cloudmw.proto.v1.Sketch.Builder message = io.cloudmw.proto.v1.Sketch.newBuilder();
        long before = 0;
        for (int i = 0; i < sketch.entries(); i++) {
            message.addSteps(sketch.value(i) - before).addWeights(sketch.weight(i));
            before = sketch.value(i);
        }
        return message.build();
    }

    private static Sketch sketch(io.cloudmw.proto.v1.Sketch message) {
        if (message.getStepsCount() > Sketch.MAX_ENTRIES) {
            throw new IllegalArgumentException(
                    "sketch: " + message.getStepsCount() + " values (expected: <= " + Sketch.MAX_ENTRIES + ")");
        }
        long[] values = new long[message.getStepsCount()];
        long before = 0;
        for (int i = 0; i < values.length; i++) {
            before = Math.addExact(before, message.getSteps(i));
            values[i] = before;
        }
        return Sketch.of(
                values,
                message.getWeightsList().stream().mapToLong(Long::longValue).toArray());
    }

    public static io.cloudmw.proto.v1.HelperActivity activity(HelperActivity activity) {
        io.cloudmw.proto.v1.HelperActivity.Builder message = io.cloudmw.proto.v1.HelperActivity.newBuilder()
                .setTransfers(activity.transfers())
                .setAttempts(activity.attempts())
                .setWins(activity.wins())
                .setCancelled(activity.cancelled())
                .setFailed(activity.failed())
                .setRelayedBytes(activity.relayedBytes())
                .setWastedBytes(activity.wastedBytes())
                .setHedges(activity.hedges().issued())
                .setHedgesWon(activity.hedges().won())
                .setHedgesSuppressed(activity.hedges().suppressed());
        activity.switching().ifPresent(switching -> message.setSwitching(switching(switching)));
        return message.build();
    }

    private static io.cloudmw.proto.v1.SwitchActivity switching(SwitchActivity activity) {
        return io.cloudmw.proto.v1.SwitchActivity.newBuilder()
                .setKeptBytes(activity.keptBytes())
                .setHits(activity.hits())
                .setJoined(activity.joined())
                .setMisses(activity.misses())
                .setServedBytes(activity.servedBytes())
                .setStoreBytes(activity.storeBytes())
                .setAboveBytes(activity.aboveBytes())
                .setBelowBytes(activity.belowBytes())
                .setAbove(activity.above())
                .setBelow(activity.below())
                .build();
    }

    private static SwitchActivity switching(io.cloudmw.proto.v1.SwitchActivity message) {
        return new SwitchActivity(
                message.getKeptBytes(),
                message.getHits(),
                message.getJoined(),
                message.getMisses(),
                message.getServedBytes(),
                message.getStoreBytes(),
                message.getAboveBytes(),
                message.getBelowBytes(),
                message.getAbove(),
                message.getBelow());
    }

    public static HelperActivity activity(io.cloudmw.proto.v1.HelperActivity message) throws CloudMwException {
        return FromWire.valid(() -> new HelperActivity(
                message.getTransfers(),
                message.getAttempts(),
                message.getWins(),
                message.getCancelled(),
                message.getFailed(),
                message.getRelayedBytes(),
                message.getWastedBytes(),
                new HedgeCounts(message.getHedges(), message.getHedgesWon(), message.getHedgesSuppressed()),
                message.hasSwitching() ? Optional.of(switching(message.getSwitching())) : Optional.empty()));
    }

    public static io.cloudmw.proto.v1.Hedges hedges(HedgeCounts hedges) {
        return io.cloudmw.proto.v1.Hedges.newBuilder()
                .setIssued(hedges.issued())
                .setWon(hedges.won())
                .setSuppressed(hedges.suppressed())
                .build();
    }

    /** The counts of hedges; negative ones are refused. */
    public static HedgeCounts hedges(io.cloudmw.proto.v1.Hedges message) throws CloudMwException {
        return FromWire.valid(() -> new HedgeCounts(message.getIssued(), message.getWon(), message.getSuppressed()));
    }

    public static List<PlannedSpeed> book(SpeedBook book) {
        return book.entries().stream().map(MonitorWire::line).toList();
    }

    private static PlannedSpeed line(SpeedEntry entry) {
        return PlannedSpeed.newBuilder()
                .setHelperId(entry.reader().map(HelperId::value).orElse(""))
                .setStoreId(entry.key().store().value())
                .setSize(size(entry.key().size()))
                .setSpeed(expected(entry.speed()))
                .build();
    }

    public static SpeedBook book(List<PlannedSpeed> messages) throws CloudMwException {
        List<SpeedEntry> entries = new ArrayList<>();
        for (PlannedSpeed message : messages) {
            Optional<HelperId> reader = message.getHelperId().isEmpty()
                    ? Optional.empty()
                    : Optional.of(FromWire.helperId(message.getHelperId()));
            StoreId store = FromWire.storeId(message.getStoreId());
            entries.add(
                    new SpeedEntry(reader, new SpeedKey(store, size(message.getSize())), expected(message.getSpeed())));
        }
        return new SpeedBook(entries);
    }

    private static io.cloudmw.proto.v1.ExpectedSpeed expected(ExpectedSpeed speed) {
        return io.cloudmw.proto.v1.ExpectedSpeed.newBuilder()
                .setFirstByteP50Nanos(speed.firstByteP50Nanos())
                .setFirstByteP95Nanos(speed.firstByteP95Nanos())
                .setFirstByteP99Nanos(speed.firstByteP99Nanos())
                .setBytesPerSecond(speed.bytesPerSecond())
                .setSlowBytesPerSecond(speed.slowBytesPerSecond())
                .setErrorShare(speed.errorShare())
                .setMedianShift(speed.medianShift())
                .setSamples(speed.samples())
                .build();
    }

    private static ExpectedSpeed expected(io.cloudmw.proto.v1.ExpectedSpeed message) throws CloudMwException {
        return FromWire.valid(() -> new ExpectedSpeed(
                message.getFirstByteP50Nanos(),
                message.getFirstByteP95Nanos(),
                message.getFirstByteP99Nanos(),
                message.getBytesPerSecond(),
                message.getSlowBytesPerSecond(),
                message.getErrorShare(),
                message.getMedianShift(),
                message.getSamples()));
    }

    public static ViewFleetResponse view(FleetView view) {
        return ViewFleetResponse.newBuilder()
                .addAllStores(view.stores().stream().map(MonitorWire::store).toList())
                .addAllHelpers(view.helpers().stream().map(MonitorWire::helper).toList())
                .addAllPairs(view.pairs().stream().map(MonitorWire::pair).toList())
                .setPairsLeftOut(view.pairsLeftOut())
                .build();
    }

    private static StoreView store(FleetView.OfStore store) {
        return StoreView.newBuilder()
                .setStoreId(store.id().value())
                .setAvailable(store.available())
                .setSpeed(summary(store.speed()))
                .build();
    }

    private static HelperView helper(FleetView.OfHelper helper) {
        return HelperView.newBuilder()
                .setHelperId(helper.id().value())
                .setAlive(helper.alive())
                .setLastHeartbeatAgeMillis(helper.heartbeatAgeMillis())
                .setActivity(activity(helper.activity()))
                .setSpeed(summary(helper.speed()))
                .build();
    }

    private static PairView pair(FleetView.OfPair pair) {
        return PairView.newBuilder()
                .setHelperId(pair.helper().value())
                .setStoreId(pair.key().store().value())
                .setSize(size(pair.key().size()))
                .setSpeed(summary(pair.speed()))
                .build();
    }

    public static FleetView view(ViewFleetResponse message) throws CloudMwException {
        List<FleetView.OfStore> stores = new ArrayList<>();
        for (StoreView store : message.getStoresList()) {
            stores.add(new FleetView.OfStore(
                    FromWire.storeId(store.getStoreId()), store.getAvailable(), summary(store.getSpeed())));
        }
        List<FleetView.OfHelper> helpers = new ArrayList<>();
        for (HelperView helper : message.getHelpersList()) {
            helpers.add(new FleetView.OfHelper(
                    FromWire.helperId(helper.getHelperId()),
                    helper.getAlive(),
                    helper.getLastHeartbeatAgeMillis(),
                    activity(helper.getActivity()),
                    summary(helper.getSpeed())));
        }
        List<FleetView.OfPair> pairs = new ArrayList<>();
        for (PairView pair : message.getPairsList()) {
            pairs.add(new FleetView.OfPair(
                    FromWire.helperId(pair.getHelperId()),
                    new SpeedKey(FromWire.storeId(pair.getStoreId()), size(pair.getSize())),
                    summary(pair.getSpeed())));
        }
        return FromWire.valid(() -> new FleetView(stores, helpers, pairs, message.getPairsLeftOut()));
    }

    private static io.cloudmw.proto.v1.SpeedSummary summary(SpeedSummary summary) {
        return io.cloudmw.proto.v1.SpeedSummary.newBuilder()
                .setExpected(expected(summary.expected()))
                .setReadsPerSecond(summary.readsPerSecond())
                .setBytesPerSecond(summary.bytesPerSecond())
                .setStreamBytesPerSecond(summary.streamBytesPerSecond())
                .putAllErrors(named(summary.errors()))
                .build();
    }

    private static SpeedSummary summary(io.cloudmw.proto.v1.SpeedSummary message) throws CloudMwException {
        ExpectedSpeed expected = expected(message.getExpected());
        return FromWire.valid(() -> new SpeedSummary(
                expected,
                message.getReadsPerSecond(),
                message.getBytesPerSecond(),
                message.getStreamBytesPerSecond(),
                errors(message.getErrorsMap())));
    }

    private static Map<String, Double> named(Map<ErrorCode, Double> errors) {
        Map<String, Double> byName = new HashMap<>();
        errors.forEach((code, count) -> byName.put(code.name(), count));
        return byName;
    }

    private static Map<ErrorCode, Double> errors(Map<String, Double> byName) {
        Map<ErrorCode, Double> errors = new EnumMap<>(ErrorCode.class);
        byName.forEach((name, count) -> errors.merge(code(name), count, Double::sum));
        return errors;
    }

    private static ErrorCode code(String name) {
        try {
            return ErrorCode.valueOf(name);
        } catch (IllegalArgumentException e) {
            return ErrorCode.INTERNAL;
        }
    }

    private static io.cloudmw.proto.v1.SizeClass size(SizeClass size) {
        return switch (size) {
            case TINY -> io.cloudmw.proto.v1.SizeClass.SIZE_CLASS_TINY;
            case SMALL -> io.cloudmw.proto.v1.SizeClass.SIZE_CLASS_SMALL;
            case MEDIUM -> io.cloudmw.proto.v1.SizeClass.SIZE_CLASS_MEDIUM;
            case LARGE -> io.cloudmw.proto.v1.SizeClass.SIZE_CLASS_LARGE;
        };
    }

    private static SizeClass size(io.cloudmw.proto.v1.SizeClass size) throws CloudMwException {
        return switch (size) {
            case SIZE_CLASS_TINY -> SizeClass.TINY;
            case SIZE_CLASS_SMALL -> SizeClass.SMALL;
            case SIZE_CLASS_MEDIUM -> SizeClass.MEDIUM;
            case SIZE_CLASS_LARGE -> SizeClass.LARGE;
            case SIZE_CLASS_UNSPECIFIED, UNRECOGNIZED -> throw FromWire.invalid("size: " + size);
        };
    }
}
