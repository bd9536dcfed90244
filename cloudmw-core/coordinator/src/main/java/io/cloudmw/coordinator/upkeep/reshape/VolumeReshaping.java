package io.cloudmw.coordinator.upkeep.reshape;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.upkeep.collect.GarbageCollector;
import io.cloudmw.coordinator.upkeep.reshape.DepartureScan.Departure;
import io.cloudmw.coordinator.upkeep.schedule.UpkeepContext;
import io.cloudmw.coordinator.upkeep.walk.ChunkWalk;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.CurrentReplicas;
import io.cloudmw.core.status.ReshapeProgress;
import io.cloudmw.core.status.StoreCondition;
import io.cloudmw.core.status.VolumeReshapeProgress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
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
 * The completion of volume changes: tells which volumes repair must pass over, and releases a store when no copy of the
 * volume is left there. Finished changes are recorded, so that the next holder continues with the rest. A lease has
 * its own object. {@link #progress} is called by any thread, other methods by one; calls block.
 */
public final class VolumeReshaping {
    private static final Logger LOG = LoggerFactory.getLogger(VolumeReshaping.class);

    /** The time within which every coordinator has answered writers that used the old volume. */
    private static final Duration LONGEST_ANSWER = Duration.ofMinutes(1);

    private final UpkeepContext context;
    private final GarbageCollector collector;
    private final ReshapeNotes notes;

    private Map<VolumeName, Volume> volumes = Map.of();
    private Map<StoreId, StoreCondition> stores = Map.of();

    /** The full pass under way, or the last one. */
    private ReshapePass pass = new ReshapePass(Map.of(), 0);

    private @Nullable RunningScan scan;

    private Map<Departure, DepartureScan.Findings> found = Map.of();
    private Map<Departure, Long> copiesLeft = Map.of();
    private final Map<VolumeName, Long> openUploads = new HashMap<>();

    @GuardedBy("this")
    private ReshapeProgress published = ReshapeProgress.NONE;

    /**
     * A scan for copies in stores that a full pass found empty.
     *
     * @param volumes at the start of that pass
     * @param passBeganMillis the start of that pass
     */
    private record RunningScan(DepartureScan departures, Map<VolumeName, Volume> volumes, long passBeganMillis) {}

    public VolumeReshaping(UpkeepContext context, GarbageCollector collector) {
        this.context = context;
        this.collector = collector;
        this.notes = new ReshapeNotes(context.catalog().notes(), context.lease());
    }

    /** Continues the previous holder's work; called first. */
    public void begin() throws CloudMwException {
        notes.begin();
    }

    /** Takes the present volumes and the conditions of the stores. */
    public void look(Map<StoreId, StoreCondition> now) throws CloudMwException {
        stores = now;
        Map<VolumeName, Volume> all = new TreeMap<>();
        for (Volume volume : context.catalog().volumes()) {
            all.put(volume.name(), withoutLost(volume));
        }
        volumes = all;
        notes.look(all.values(), context.age().millis());
        publish();
    }

    /** Removes a lost store from a volume. */
    private Volume withoutLost(Volume volume) throws CloudMwException {
        if (volume.stores().stream().noneMatch(this::isLost)) {
            return volume;
        }
        return context.catalog()
                .changeVolume(
                        volume.name(),
                        before -> {
                            Volume after = before;
                            for (StoreId store : before.stores()) {
                                after = isLost(store) ? after.without(store) : after;
                            }
                            return after;
                        },
                        ChangeRequest.once(context.clock().millis()));
    }

    private boolean isLost(StoreId id) {
        StoreCondition store = stores.get(id);
        return store != null && store.candidate().store().isLost();
    }

    /** Returns the stores that some volume uses. */
    public Set<StoreId> used() {
        Set<StoreId> used = new HashSet<>();
        volumes.values().forEach(volume -> used.addAll(volume.storesInUse()));
        return used;
    }

    /**
     * Returns keys of the volumes whose copies do not match their last change yet; a further change gives another key.
     */
    public Set<String> unsettled() {
        Set<String> unsettled = new TreeSet<>();
        for (Volume volume : volumes.values()) {
            if (notes.since(volume).isPresent() || !volume.leaving().isEmpty()) {
                unsettled.add(volume.name() + "@" + volume.generation());
            }
        }
        return unsettled;
    }

    // ---- the full pass of repair

    public void lookBegins() {
        pass = new ReshapePass(volumes, context.age().millis());
    }

    /** Counts a chunk's copies and the repair decision about it. */
    public void count(ChunkWalk.Stretch stretch, CurrentReplicas copies, int good, boolean settled)
            throws CloudMwException {
        pass.count(stretch.volume(), copies);
        if (!settled) {
            pass.unsettled(stretch.volume().name());
        }
        if (good == 0) {
            Set<StoreId> lost = new TreeSet<>(copies.stores());
            lost.removeIf(store -> !isLost(store));
            if (!lost.isEmpty()) {
                addLost(stretch.file(), copies.chunk().id().version(), lost);
            }
        }
    }

    /** Adds a lost file, or all files of a lost pack. */
    private void addLost(FilePath file, VersionId wrote, Set<StoreId> lost) throws CloudMwException {
        if (!file.equals(FilePath.ofPack(file.volume(), wrote))) {
            pass.addLost(file, lost);
            return;
        }
        String token = "";
        do {
            Page<FileVersion> files = context.catalog().filesOf(wrote, token, Catalog.MAX_PAGE);
            for (FileVersion version : files.items()) {
                pass.addLost(version.file(), new TreeSet<>(lost));
            }
            token = files.nextToken();
        } while (!token.isEmpty());
    }

    /** Ends the full pass: all manifests were read, and all tasks are queued. */
    public void lookEnded() throws CloudMwException {
        copiesLeft = pass.left();
        publishLost();
        List<Departure> empty = new ArrayList<>();
        for (Volume volume : pass.volumes().values()) {
            Optional<Long> since = notes.since(volume);
            if (!volume.equals(volumes.get(volume.name()))) {
                continue;
            }
            long waited = pass.beganMillis() - since.orElse(0L);
            for (StoreId store : volume.leaving()) {
                Departure leaving = new Departure(volume.name(), store);
                if (copiesLeft.getOrDefault(leaving, 0L) == 0
                        && waited >= Math.min(context.graceMillis(), LONGEST_ANSWER.toMillis())) {
                    empty.add(leaving);
                }
            }
            boolean follows = since.isPresent() && waited >= context.graceMillis() && pass.isSettled(volume.name());
            if (follows && volume.leaving().isEmpty()) {
                notes.followed(volume);
            }
        }
        found = Map.of();
        if (!empty.isEmpty() && scan == null) {
            scan = new RunningScan(
                    new DepartureScan(
                            context.catalog(), empty, context.options().collects()),
                    pass.volumes(),
                    pass.beganMillis());
        }
        publish();
    }

    // ---- the release of stores

    /**
     * Does a bounded piece of work.
     *
     * @return whether there is more to do now
     */
    public boolean step() throws CloudMwException {
        RunningScan running = scan;
        if (running == null) {
            return false;
        }
        if (running.departures().step()) {
            return true;
        }
        scan = null;
        found = Map.copyOf(running.departures().found());
        openUploads.clear();
        for (Volume volume : running.volumes().values()) {
            releaseEmptyStores(volume, running);
        }
        publish();
        return false;
    }

    private void releaseEmptyStores(Volume volume, RunningScan ended) throws CloudMwException {
        List<StoreId> staying = new ArrayList<>();
        boolean garbage = false;
        // Uploads that began before the change may have placed copies, and reference them at their end.
        boolean expired = ended.passBeganMillis() - notes.since(volume).orElse(0L) >= context.graceMillis();
        long uploads = expired ? 0 : ended.departures().openUploads();
        openUploads.put(volume.name(), uploads);
        for (StoreId store : volume.leaving()) {
            DepartureScan.Findings seen = found.get(new Departure(volume.name(), store));
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

    /** Returns whether nothing holds a store. Uploads with copies in a lost store do not hold it. */
    private boolean isNothing(StoreId store, DepartureScan.Findings seen) {
        return isLost(store) ? seen.named() == 0 : seen.isNothing();
    }

    /** Orders a round that deletes the store's old unreferenced copies. */
    private void collect() throws CloudMwException {
        boolean due = context.clock().millis() - collector.progress().last().beganMillis() >= context.graceMillis();
        if (due && !collector.progress().underWay()) {
            collector.orderUnlessOrdered();
        }
    }

    /**
     * Deletes dropped copies, which may have been missing already: no round finds them, and their marks would hold the
     * store for ever.
     */
    private void delete(StoreId id, DepartureScan.Findings seen) {
        StoreCondition store = stores.get(id);
        if (store != null && store.available()) {
            collector.delete(store.candidate().store(), seen.dropped());
        }
    }

    private void release(Volume volume, List<StoreId> staying) throws CloudMwException {
        Optional<Long> since = notes.since(volume);
        Volume after;
        try {
            after = context.catalog()
                    .changeVolume(
                            volume.name(),
                            before -> {
                                if (!before.equals(volume)) {
                                    throw CatalogErrors.volumeChanged(before, volume.generation());
                                }
                                return before.withStores(before.stores(), staying);
                            },
                            ChangeRequest.once(context.clock().millis()));
        } catch (CloudMwException e) {
            if (e.code() == ErrorCode.CONFLICT || e.code() == ErrorCode.VOLUME_NOT_FOUND) {
                return; // changed meanwhile: the next pass finds what is left to do
            }
            throw e;
        }
        LOG.info("upkeep: volume {} has released stores; still leaving: {}", volume.name(), staying);
        Map<VolumeName, Volume> now = new TreeMap<>(volumes);
        now.put(after.name(), after);
        volumes = now;
        if (staying.isEmpty() && pass.isSettled(volume.name())) {
            notes.followed(after);
        } else if (since.isPresent()) {
            notes.unfollowed(after, since.get());
        }
    }

    // ---- the published progress

    private void publishLost() {
        ReshapeProgress before = progress();
        publish(new ReshapeProgress(before.volumes(), pass.lostFiles(), pass.lostFileCount()));
    }

    private void publish() {
        List<VolumeReshapeProgress> fares = new ArrayList<>();
        for (Volume volume : volumes.values()) {
            int usable = (int) volume.stores().stream().filter(this::isUsable).count();
            if (usable < volume.replicas() || !volume.leaving().isEmpty()) {
                fares.add(new VolumeReshapeProgress(volume.name(), volume.replicas(), usable, departures(volume)));
            }
        }
        ReshapeProgress before = progress();
        publish(new ReshapeProgress(fares, before.lostFiles(), before.lostFileCount()));
    }

    private boolean isUsable(StoreId id) {
        StoreCondition store = stores.get(id);
        return store != null && !store.draining() && !store.candidate().store().isLost();
    }

    private List<VolumeReshapeProgress.Departure> departures(Volume volume) {
        List<VolumeReshapeProgress.Departure> departures = new ArrayList<>();
        for (StoreId store : volume.leaving()) {
            Departure leaving = new Departure(volume.name(), store);
            Long copies = copiesLeft.get(leaving);
            DepartureScan.Findings seen = found.get(leaving);
            departures.add(new VolumeReshapeProgress.Departure(
                    store,
                    isLost(store),
                    copies == null ? OptionalLong.empty() : OptionalLong.of(copies),
                    seen == null || isLost(store)
                            ? 0
                            : Math.max(seen.uploads(), openUploads.getOrDefault(volume.name(), 0L)),
                    seen == null || isLost(store) ? 0 : seen.garbage()));
        }
        return departures;
    }

    private synchronized void publish(ReshapeProgress progress) {
        published = progress;
    }

    public synchronized ReshapeProgress progress() {
        return published;
    }
}
