package io.cloudmw.coordinator.upkeep;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.CatalogErrors;
import io.cloudmw.coordinator.catalog.ChangeRequest;
import io.cloudmw.coordinator.lease.Lease;
import io.cloudmw.coordinator.reshape.ReshapeNotes;
import io.cloudmw.coordinator.upkeep.DepartureCheck.Leaving;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.time.WallClock;
import io.cloudmw.core.upkeep.LostFile;
import io.cloudmw.core.upkeep.ReshapeProgress;
import io.cloudmw.core.upkeep.StoreCondition;
import io.cloudmw.core.upkeep.VolumeFare;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that what changes of volumes require comes to an end: says which volumes {@link Repair} has to look through, and lets a
 * volume go of a store once no copy of it is left there. What has ended is noted, so the next coordinator goes on with the rest. One is
 * made for each lease. {@link #progress} is called by any thread, the rest by one; calls block.
 */
final class Reshaping {
    private static final Logger LOG = LoggerFactory.getLogger(Reshaping.class);

    /** A coordinator that has answered a writer by an old volume has done so by then. */
    private static final Duration LONGEST_ANSWER = Duration.ofMinutes(1);

    private final Catalog catalog;
    private final UpkeepClock age;
    private final WallClock clock;
    private final Collector collector;
    private final boolean collects;
    private final long graceMillis;
    private final ReshapeNotes notes;

    private Map<VolumeName, Volume> volumes = Map.of();
    private Map<StoreId, StoreCondition> stores = Map.of();

    /** The volumes as they were when the look at all manifests that is under way began, and when that was. */
    private Map<VolumeName, Volume> lookedAt = Map.of();

    private long lookBeganMillis;
    private final Map<Leaving, Long> left = new HashMap<>();
    private final Set<VolumeName> untidy = new HashSet<>();
    private final Map<FilePath, Set<StoreId>> lostFiles = new LinkedHashMap<>();
    private long lostFileCount;
    private @Nullable FilePath lastLost;

    private @Nullable DepartureCheck check;

    /** When the look began that found nothing left where the check looks. */
    private long checkedBeganMillis;

    private Map<VolumeName, Volume> checked = Map.of();
    private Map<Leaving, DepartureCheck.Found> found = Map.of();
    private Map<Leaving, Long> leftThen = Map.of();
    private final Map<VolumeName, Long> uploadsThen = new HashMap<>();

    @GuardedBy("this")
    private ReshapeProgress published = ReshapeProgress.NONE;

    /** @param graceMillis no token that was issued longer ago is good any more */
    Reshaping(
            Catalog catalog,
            Lease lease,
            UpkeepClock age,
            Collector collector,
            UpkeepOptions options,
            long graceMillis,
            WallClock clock) {
        this.catalog = catalog;
        this.age = age;
        this.collector = collector;
        this.collects = options.collects();
        this.graceMillis = graceMillis;
        this.clock = clock;
        this.notes = new ReshapeNotes(catalog.notes(), lease);
    }

    /** Goes on where another coordinator was; before all else. */
    void begin() throws CloudMwException {
        notes.begin();
    }

    /** Takes note of how volumes and stores are. */
    void look(Map<StoreId, StoreCondition> now) throws CloudMwException {
        stores = now;
        Map<VolumeName, Volume> all = new TreeMap<>();
        for (Volume volume : catalog.volumes()) {
            all.put(volume.name(), withoutLost(volume));
        }
        volumes = all;
        notes.look(all.values(), age.millis());
        publish();
    }

    /** A store that was declared lost leaves every volume. */
    private Volume withoutLost(Volume volume) throws CloudMwException {
        if (volume.stores().stream().noneMatch(this::isLost)) {
            return volume;
        }
        return catalog.changeVolume(
                volume.name(),
                before -> {
                    Volume after = before;
                    for (StoreId store : before.stores()) {
                        after = isLost(store) ? after.without(store) : after;
                    }
                    return after;
                },
                ChangeRequest.once(clock.millis()));
    }

    private boolean isLost(StoreId id) {
        StoreCondition store = stores.get(id);
        return store != null && store.candidate().store().isLost();
    }

    /** The stores that some volume uses. */
    Set<StoreId> used() {
        Set<StoreId> used = new HashSet<>();
        volumes.values().forEach(volume -> used.addAll(volume.storesInUse()));
        return used;
    }

    /** The volumes whose copies do not follow their last change yet, each told apart from the same after another change. */
    Set<String> unsettled() {
        Set<String> unsettled = new TreeSet<>();
        for (Volume volume : volumes.values()) {
            if (notes.since(volume).isPresent() || !volume.leaving().isEmpty()) {
                unsettled.add(volume.name() + "@" + volume.generation());
            }
        }
        return unsettled;
    }

    // ---- a look at all manifests

    void lookBegins() {
        lookedAt = volumes;
        lookBeganMillis = age.millis();
        left.clear();
        untidy.clear();
        lostFiles.clear();
        lostFileCount = 0;
        lastLost = null;
        for (Volume volume : lookedAt.values()) {
            volume.leaving().forEach(store -> left.put(new Leaving(volume.name(), store), 0L));
        }
    }

    /** Takes note of a chunk's copies, and of the decision about them. */
    void saw(Walk.Stretch stretch, CurrentReplicas copies, RepairPlan plan) {
        VolumeName name = stretch.volume().name();
        for (StoreId store : stretch.volume().leaving()) {
            if (copies.stores().contains(store)) {
                left.merge(new Leaving(name, store), 1L, Long::sum);
            }
        }
        if (!plan.targets().isEmpty()
                || !plan.drops().isEmpty()
                || plan.obstacle().isPresent()) {
            untidy.add(name);
        }
        if (plan.good() == 0) {
            Set<StoreId> lost = new TreeSet<>(copies.stores());
            lost.removeIf(store -> !isLost(store));
            if (!lost.isEmpty()) {
                addLost(stretch.file(), lost);
            }
        }
    }

    /** Chunks of a file follow each other, but where a look goes round: then its file may be counted twice. */
    private void addLost(FilePath file, Set<StoreId> lost) {
        Set<StoreId> known = lostFiles.get(file);
        if (known != null) {
            known.addAll(lost);
            return;
        }
        if (lostFiles.size() < ReshapeProgress.MAX_LOST_FILES) {
            lostFiles.put(file, lost);
            lostFileCount++;
        } else if (!file.equals(lastLost)) {
            lostFileCount++;
        }
        lastLost = file;
    }

    /** The look has seen all manifests, and whatever was to be done about them is in the queue. */
    void lookEnded() throws CloudMwException {
        leftThen = Map.copyOf(left);
        publishLost();
        List<Leaving> empty = new ArrayList<>();
        for (Volume volume : lookedAt.values()) {
            Optional<Long> since = notes.since(volume);
            if (!volume.equals(volumes.get(volume.name()))) {
                continue;
            }
            long waited = lookBeganMillis - since.orElse(0L);
            for (StoreId store : volume.leaving()) {
                Leaving leaving = new Leaving(volume.name(), store);
                if (left.getOrDefault(leaving, 0L) == 0 && waited >= Math.min(graceMillis, LONGEST_ANSWER.toMillis())) {
                    empty.add(leaving);
                }
            }
            boolean follows = since.isPresent() && waited >= graceMillis && !untidy.contains(volume.name());
            if (follows && volume.leaving().isEmpty()) {
                notes.followed(volume);
            }
        }
        found = Map.of();
        if (!empty.isEmpty() && check == null) {
            checked = lookedAt;
            checkedBeganMillis = lookBeganMillis;
            check = new DepartureCheck(catalog, empty, collects);
        }
        publish();
    }

    // ---- letting go

    /**
     * Does a bounded piece of work.
     *
     * @return whether there is more to do now
     */
    boolean step() throws CloudMwException {
        DepartureCheck checking = check;
        if (checking == null) {
            return false;
        }
        if (checking.step()) {
            return true;
        }
        check = null;
        found = Map.copyOf(checking.found());
        uploadsThen.clear();
        for (Volume volume : checked.values()) {
            letGo(volume, checking);
        }
        publish();
        return false;
    }

    private void letGo(Volume volume, DepartureCheck checking) throws CloudMwException {
        List<StoreId> staying = new ArrayList<>();
        boolean garbage = false;
        // Uploads that began before the change may have placed copies, and name them at their end.
        boolean expired = checkedBeganMillis - notes.since(volume).orElse(0L) >= graceMillis;
        long uploads = expired ? 0 : checking.openUploads();
        uploadsThen.put(volume.name(), uploads);
        for (StoreId store : volume.leaving()) {
            DepartureCheck.Found seen = checking.found().get(new Leaving(volume.name(), store));
            if (seen == null || !isNothing(store, seen) || (uploads > 0 && !isLost(store))) {
                staying.add(store);
            }
            if (seen != null && seen.garbage() > 0 && !isLost(store)) {
                garbage = true;
                delete(store, seen);
            }
        }
        if (garbage) {
            collect();
        }
        if (staying.size() < volume.leaving().size()) {
            release(volume, staying);
        }
    }

    /** Returns whether nothing holds a store: uploads that placed copies in a lost store do not hold it. */
    private boolean isNothing(StoreId store, DepartureCheck.Found seen) {
        return isLost(store) ? seen.named() == 0 : seen.isNothing();
    }

    /** CurrentReplicas that nothing names there are deleted in a round of their own, when they are old enough. */
    private void collect() throws CloudMwException {
        boolean due = clock.millis() - collector.progress().last().beganMillis() >= graceMillis;
        if (due && !collector.progress().underWay()) {
            collector.orderUnlessOrdered();
        }
    }

    /**
     * A copy that was given up may have been missing already. No round finds it, and its mark would keep the
     * store for ever.
     */
    private void delete(StoreId id, DepartureCheck.Found seen) {
        StoreCondition store = stores.get(id);
        if (store != null && store.available()) {
            collector.delete(store.candidate().store(), seen.dropped());
        }
    }

    private void release(Volume volume, List<StoreId> staying) throws CloudMwException {
        Optional<Long> since = notes.since(volume);
        Volume after;
        try {
            after = catalog.changeVolume(
                    volume.name(),
                    before -> {
                        if (!before.equals(volume)) {
                            throw CatalogErrors.volumeChanged(before, volume.generation());
                        }
                        return before.withStores(before.stores(), staying);
                    },
                    ChangeRequest.once(clock.millis()));
        } catch (CloudMwException e) {
            if (e.code() == ErrorCode.CONFLICT || e.code() == ErrorCode.VOLUME_NOT_FOUND) {
                return; // changed meanwhile: the next look finds what is left to do
            }
            throw e;
        }
        LOG.info("upkeep: volume {} has let go of stores: {} still leave", volume.name(), staying);
        Map<VolumeName, Volume> now = new TreeMap<>(volumes);
        now.put(after.name(), after);
        volumes = now;
        if (staying.isEmpty() && !untidy.contains(volume.name())) {
            notes.followed(after);
        } else if (since.isPresent()) {
            notes.unfollowed(after, since.get());
        }
    }

    // ---- what is said of it

    private void publishLost() {
        List<LostFile> files = new ArrayList<>();
        lostFiles.forEach((file, lost) -> files.add(new LostFile(file, List.copyOf(lost))));
        ReshapeProgress before = progress();
        publish(new ReshapeProgress(before.volumes(), files, lostFileCount));
    }

    private void publish() {
        List<VolumeFare> fares = new ArrayList<>();
        for (Volume volume : volumes.values()) {
            int usable = (int) volume.stores().stream().filter(this::isUsable).count();
            if (usable < volume.replicas() || !volume.leaving().isEmpty()) {
                fares.add(new VolumeFare(volume.name(), volume.replicas(), usable, departures(volume)));
            }
        }
        ReshapeProgress before = progress();
        publish(new ReshapeProgress(fares, before.lostFiles(), before.lostFileCount()));
    }

    private boolean isUsable(StoreId id) {
        StoreCondition store = stores.get(id);
        return store != null && !store.draining() && !store.candidate().store().isLost();
    }

    private List<VolumeFare.Departure> departures(Volume volume) {
        List<VolumeFare.Departure> departures = new ArrayList<>();
        for (StoreId store : volume.leaving()) {
            Leaving leaving = new Leaving(volume.name(), store);
            Long copies = leftThen.get(leaving);
            DepartureCheck.Found seen = found.get(leaving);
            departures.add(new VolumeFare.Departure(
                    store,
                    isLost(store),
                    copies == null ? OptionalLong.empty() : OptionalLong.of(copies),
                    seen == null || isLost(store)
                            ? 0
                            : Math.max(seen.uploads(), uploadsThen.getOrDefault(volume.name(), 0L)),
                    seen == null || isLost(store) ? 0 : seen.garbage()));
        }
        return departures;
    }

    private synchronized void publish(ReshapeProgress progress) {
        published = progress;
    }

    synchronized ReshapeProgress progress() {
        return published;
    }
}
