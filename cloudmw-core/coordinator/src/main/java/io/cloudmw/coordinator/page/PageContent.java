package io.cloudmw.coordinator.page;

import io.cloudmw.coordinator.Coordinator;
import io.cloudmw.coordinator.fleet.FleetMonitoring;
import io.cloudmw.coordinator.fleet.RegisteredHelper;
import io.cloudmw.core.config.Build;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.monitor.FleetSpeeds;
import io.cloudmw.core.monitor.Speed;
import io.cloudmw.core.monitor.sketch.CensoredSketch;
import io.cloudmw.core.monitor.sketch.Sketch;
import io.cloudmw.core.status.StoreStatus;
import io.cloudmw.core.status.UpkeepStatus;
import io.cloudmw.core.status.fleet.ExpectedSpeed;
import io.cloudmw.core.status.fleet.HelperActivity;
import io.cloudmw.core.status.fleet.SwitchActivity;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.time.WallClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The content of the web page of one coordinator. Each call of {@link #snapshot} asks the registry of helpers; speeds
 * and what the catalog knows are as old as {@link PacedFigure} allows. Safe for any thread; calls block on the catalog.
 */
public final class PageContent {
    /** With 1,000 helpers and 8,000 reports the speeds take about 0.1 s. */
    private static final Duration LONGEST_SPEEDS = Duration.ofMinutes(1);

    private static final Duration LONGEST_STORES = Duration.ofSeconds(10);

    /** The most processes that a problem names. */
    private static final int MOST_NAMED = 5;

    private final Coordinator coordinator;
    private final WallClock clock;
    private final String version = Build.describe(PageContent.class);
    private final PacedFigure<Measured> measured;
    private final PacedFigure<Cataloged> cataloged;
    private final PageReads reads;

    /** The stores and volumes of the catalog. */
    private record Cataloged(List<StoreStatus> stores, List<Volume> volumes) {}

    /** Speeds, with the distributions of stores. */
    private record Measured(Map<HelperId, Rate> helpers, Map<StoreId, StoreFigures> stores) {}

    private record Rate(double readsPerSecond, long bytesPerSecond) {
        static final Rate NONE = new Rate(0, 0);
    }

    private record StoreFigures(
            Rate rate, double samples, double errorShare, double medianShift, List<Long> firstByte, List<Long> stream) {
        static final StoreFigures NONE = new StoreFigures(Rate.NONE, 0, 0, 1, List.of(), List.of());
    }

    public PageContent(Coordinator coordinator, Ticker ticker, WallClock clock) {
        this.coordinator = coordinator;
        this.clock = clock;
        this.measured =
                new PacedFigure<>(() -> measured(coordinator.monitoring().speeds()), LONGEST_SPEEDS, ticker);
        this.cataloged = new PacedFigure<>(
                () -> new Cataloged(
                        coordinator.administration().stores(),
                        coordinator.administration().volumes()),
                LONGEST_STORES,
                ticker);
        this.reads = new PageReads(coordinator.recordedReads());
    }

    /**
     * Returns the cluster now.
     *
     * @throws CloudMwException the catalog's failure
     */
    public ShownCluster snapshot() throws CloudMwException {
        PacedFigure.Aged<Cataloged> known = cataloged.get();
        PacedFigure.Aged<Measured> speeds = measured.get();
        List<RegisteredHelper> registered = coordinator.administration().helpers();
        List<ShownHelper> helpers = new ArrayList<>();
        Set<HelperId> alive = new HashSet<>();
        for (RegisteredHelper helper : registered) {
            HelperId id = helper.address().id();
            if (isThere(helper)) {
                alive.add(id);
            }
            helpers.add(helper(
                    helper,
                    isThere(helper),
                    coordinator.monitoring(),
                    speeds.value().helpers().getOrDefault(id, Rate.NONE)));
        }
        List<ShownStore> stores = known.value().stores().stream()
                .map(store -> store(
                        store,
                        alive,
                        speeds.value().stores().getOrDefault(store.store().id(), StoreFigures.NONE)))
                .toList();
        List<ShownRead> recent = reads.recent(known.value().volumes());
        return new ShownCluster(
                clock.millis(),
                version,
                speeds.ageMillis(),
                known.ageMillis(),
                totals(helpers, stores),
                helpers,
                stores,
                volumes(known.value().volumes(), stores, recent),
                coordinator.upkeep().progress().map(PageContent::upkeep).orElse(ShownUpkeep.ELSEWHERE),
                recent);
    }

    /** Returns the recorded reads, the latest first. */
    public List<ShownRead> reads() throws CloudMwException {
        return reads.recent(cataloged.get().value().volumes());
    }

    /** Returns a recorded read with its attempts. */
    public Optional<ShownTimeline> read(String id) throws CloudMwException {
        return reads.find(id, cataloged.get().value().volumes());
    }

    /** A helper whose process was killed has no connection any more, while its lease still holds. */
    private boolean isThere(RegisteredHelper helper) {
        return helper.alive()
                && !coordinator
                        .monitoring()
                        .connections()
                        .isLost(helper.address().id());
    }

    private static ShownHelper helper(RegisteredHelper helper, boolean there, FleetMonitoring monitoring, Rate rate) {
        HelperActivity activity = monitoring.activity(helper.address().id());
        return new ShownHelper(
                helper.address().id().value(),
                helper.address().location().toString(),
                there,
                helper.lastHeartbeatAgeMillis(),
                helper.disks().size(),
                activity.transfers(),
                activity.attempts(),
                activity.wins(),
                activity.cancelled(),
                activity.failed(),
                activity.relayedBytes(),
                activity.wastedBytes(),
                activity.hedges().issued(),
                activity.hedges().won(),
                activity.switching().map(SwitchActivity::hitRatio).orElse(-1.0),
                rate.readsPerSecond(),
                rate.bytesPerSecond());
    }

    /**
     * Returns a store.
     *
     * @param alive the live helpers; a disk of another one is away, even if the catalog was asked before that
     */
    private static ShownStore store(StoreStatus status, Set<HelperId> alive, StoreFigures figures) {
        Store store = status.store();
        Optional<HelperId> owner = store.owner();
        boolean ownerAway = owner.isPresent() && !alive.contains(owner.get());
        return new ShownStore(
                store.id().value(),
                store.kind() instanceof Store.S3 ? "s3" : "disk",
                store.kind().place(),
                owner.map(HelperId::value).orElse(""),
                status.available() && !ownerAway,
                status.draining(),
                store.isLost(),
                problem(status, ownerAway),
                status.freeBytes().orElse(-1),
                figures.rate().readsPerSecond(),
                figures.rate().bytesPerSecond(),
                figures.samples(),
                figures.errorShare(),
                figures.medianShift(),
                figures.firstByte(),
                figures.stream());
    }

    private static String problem(StoreStatus status, boolean ownerAway) {
        if (status.store().isLost()) {
            return "declared lost";
        }
        if (ownerAway) {
            return "its helper is away";
        }
        if (status.mismatch().isPresent()) {
            return status.mismatch().get();
        }
        if (status.reach().fault().isPresent()) {
            var fault = status.reach().fault().get();
            return fault.kind().word() + ": " + fault.reason();
        }
        if (!status.reach().shutOut().isEmpty()) {
            Set<String> shutOut = status.reach().shutOut().keySet();
            return "not usable by " + shutOut.stream().limit(MOST_NAMED).collect(Collectors.joining(", "))
                    + (shutOut.size() > MOST_NAMED ? " and " + (shutOut.size() - MOST_NAMED) + " more" : "");
        }
        return status.available() ? "" : "its helper does not have it";
    }

    private static ShownCluster.Totals totals(List<ShownHelper> helpers, List<ShownStore> stores) {
        List<ShownHelper> alive = helpers.stream().filter(ShownHelper::alive).toList();
        int available = (int) stores.stream().filter(ShownStore::available).count();
        return new ShownCluster.Totals(
                alive.size(),
                helpers.size() - alive.size(),
                available,
                stores.size() - available,
                alive.stream().mapToLong(ShownHelper::transfers).sum(),
                alive.stream().mapToDouble(ShownHelper::readsPerSecond).sum(),
                alive.stream().mapToLong(ShownHelper::bytesPerSecond).sum(),
                helpers.stream().mapToLong(ShownHelper::relayedBytes).sum(),
                helpers.stream().mapToLong(ShownHelper::wastedBytes).sum());
    }

    private static List<ShownVolume> volumes(List<Volume> volumes, List<ShownStore> stores, List<ShownRead> reads) {
        Set<String> usable = stores.stream()
                .filter(store -> store.available() && !store.draining() && !store.lost())
                .map(ShownStore::id)
                .collect(Collectors.toSet());
        return volumes.stream().map(volume -> volume(volume, usable, reads)).toList();
    }

    private static ShownVolume volume(Volume volume, Set<String> usable, List<ShownRead> reads) {
        List<ShownRead> ended = reads.stream()
                .filter(read -> read.volume().equals(volume.name().value()) && PageReads.isEnded(read))
                .toList();
        return new ShownVolume(
                volume.name().value(),
                volume.mode().label(),
                chunking(volume.chunking()),
                volume.replicas(),
                volume.writeQuorum(),
                volume.stores().size(),
                (int) volume.stores().stream()
                        .filter(store -> usable.contains(store.value()))
                        .count(),
                volume.leaving().size(),
                volume.target().map(Object::toString).orElse(""),
                ended.size(),
                (int) ended.stream().filter(PageReads::isFailed).count(),
                volume.target().isEmpty()
                        ? -1
                        : (int) ended.stream().filter(PageReads::isInTime).count());
    }

    private static String chunking(Chunking chunking) {
        return chunking instanceof Chunking.BySize size
                ? "chunks of " + Sizes.format(size.bytes()).replaceFirst("(?=[A-Z])", " ")
                : ((Chunking.ByCount) chunking).chunks() + " chunks";
    }

    private static ShownUpkeep upkeep(UpkeepStatus status) {
        return new ShownUpkeep(
                true,
                status.repair().underReplicatedChunks(),
                status.repair().isCounted() && status.repair().passes() > 0,
                status.reshape().lostFileCount(),
                status.waitingTasks(),
                status.givenTasks(),
                status.repair().copied(),
                status.repair().copiedBytes(),
                status.repair().failed(),
                status.scrub().verified(),
                status.scrub().bad(),
                status.scrub().underWay(),
                status.scrub().rounds());
    }

    private static Measured measured(FleetSpeeds.Totals totals) {
        return new Measured(
                totals.readers().entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, entry -> rate(entry.getValue()))),
                totals.stores().entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, entry -> figures(entry.getValue()))));
    }

    private static Rate rate(Speed speed) {
        // Rounded: snapshots of large fleets are mostly numbers.
        return new Rate(Math.round(speed.readsPerSecond() * 100) / 100.0, Math.round(speed.bytesPerSecond()));
    }

    private static StoreFigures figures(Speed speed) {
        CensoredSketch firstByte = speed.baseline();
        Sketch stream = speed.rate();
        return new StoreFigures(
                rate(speed),
                firstByte.samples(),
                speed.errorShare(),
                speed.medianShift(),
                firstByte.samples() < ExpectedSpeed.ENOUGH_SAMPLES
                        ? List.of()
                        : ShownStore.PERCENTILES.stream()
                                .map(percentile -> firstByte.quantile(percentile / 100))
                                .toList(),
                stream.samples() < ExpectedSpeed.ENOUGH_SAMPLES
                        ? List.of()
                        : ShownStore.PERCENTILES.stream()
                                .map(percentile -> stream.quantile(percentile / 100) << 10)
                                .toList());
    }
}
