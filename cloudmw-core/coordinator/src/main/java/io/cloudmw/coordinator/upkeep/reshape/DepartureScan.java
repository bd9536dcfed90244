package io.cloudmw.coordinator.upkeep.reshape;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.version.ReplicaOverlay;
import io.cloudmw.coordinator.catalog.version.RetiredVersion;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.placement.CurrentReplicas;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A scan of the whole catalog for copies in stores that volumes leave: open uploads first, then current versions, then
 * retired ones. A version passes these states in this order, so that none is missed. A pack is a version of its own, so
 * slices of its chunk are not counted. Confined to one thread; calls
 * block.
 */
final class DepartureScan {
    private static final int PAGE = 100;

    private static final int MOST_DROPPED = 1000;

    /** A store that a volume leaves. */
    record Departure(VolumeName volume, StoreId store) {}

    /** The findings about one departure. */
    static final class Findings {
        private long named;
        private long uploads;
        private long garbage;
        private final Set<ReplicaRecord> dropped = new LinkedHashSet<>();

        long named() {
            return named;
        }

        long uploads() {
            return uploads;
        }

        long garbage() {
            return garbage;
        }

        /**
         * Returns copies of committed versions that were dropped and not deleted yet, the first {@value #MOST_DROPPED}
         * of them.
         */
        List<ReplicaRecord> dropped() {
            return List.copyOf(dropped);
        }

        boolean isNothing() {
            return named + uploads + garbage == 0;
        }
    }

    /** The stages of the scan. */
    private enum Stage {
        OPEN,
        CURRENT,
        RETIRED
    }

    /** A version to scan; its volume is empty if it was never committed. */
    private record ScannedVersion(VersionId id, Optional<VolumeName> volume) {}

    private final Catalog catalog;
    private final Map<Departure, Findings> found = new LinkedHashMap<>();
    private final boolean countsGarbage;
    private final Deque<ScannedVersion> page = new ArrayDeque<>();
    private Stage stage = Stage.OPEN;
    private String token = "";
    private boolean lastPage;
    private int segment;
    private long openUploads;

    /** @param countsGarbage whether the scan counts unreferenced copies, because they will be deleted */
    DepartureScan(Catalog catalog, Collection<Departure> leaving, boolean countsGarbage) {
        this.catalog = catalog;
        this.countsGarbage = countsGarbage;
        leaving.forEach(one -> found.put(one, new Findings()));
    }

    /** Returns the findings about each departure; complete at the end. */
    Map<Departure, Findings> found() {
        return found;
    }

    /** Returns how many uploads are under way in the cluster; each may have placed copies anywhere. */
    long openUploads() {
        return openUploads;
    }

    /**
     * Scans a segment, or reads more versions.
     *
     * @return whether there is more to scan
     */
    boolean step() throws CloudMwException {
        ScannedVersion version = page.peek();
        if (version != null) {
            look(version);
            return true;
        }
        if (!lastPage) {
            turn();
            return true;
        }
        return nextStage();
    }

    private boolean nextStage() {
        token = "";
        return switch (stage) {
            case OPEN -> {
                stage = Stage.CURRENT;
                lastPage = false;
                yield true;
            }
            case CURRENT -> {
                stage = Stage.RETIRED;
                lastPage = !countsGarbage;
                yield true;
            }
            case RETIRED -> false;
        };
    }

    private void turn() throws CloudMwException {
        String next = switch (stage) {
            case OPEN -> open();
            case CURRENT -> current();
            case RETIRED -> retired();
        };
        token = next;
        lastPage = next.isEmpty();
        segment = 0;
    }

    private String open() throws CloudMwException {
        Page<VersionId> open = catalog.open(token, PAGE);
        openUploads += open.items().size();
        open.items().forEach(id -> page.add(new ScannedVersion(id, Optional.empty())));
        return open.nextToken();
    }

    private String current() throws CloudMwException {
        Page<FileVersion> live = catalog.live(token, PAGE);
        for (FileVersion version : live.items()) {
            VolumeName volume = version.file().volume();
            if (found.keySet().stream().anyMatch(leaving -> leaving.volume().equals(volume))) {
                page.add(new ScannedVersion(version.id(), Optional.of(volume)));
            }
        }
        return live.nextToken();
    }

    private String retired() throws CloudMwException {
        Page<RetiredVersion> retired = catalog.retired(token, PAGE);
        for (RetiredVersion version : retired.items()) {
            page.add(new ScannedVersion(
                    version.id(),
                    catalog.version(version.id()).map(known -> known.file().volume())));
        }
        return retired.nextToken();
    }

    private void look(ScannedVersion version) throws CloudMwException {
        Optional<byte[]> bytes = catalog.segment(version.id(), segment);
        if (bytes.isEmpty()) {
            page.remove();
            segment = 0;
            return;
        }
        for (CurrentReplicas copies : ReplicaOverlay.of(
                catalog, ManifestSegment.decode(segment, bytes.get()).wholeChunks())) {
            found.forEach((leaving, count) -> {
                if (version.volume().map(leaving.volume()::equals).orElse(true)) {
                    count(copies, leaving.store(), count);
                }
            });
        }
        segment++;
    }

    private void count(CurrentReplicas copies, StoreId store, Findings count) {
        boolean there = copies.stores().contains(store);
        Optional<ReplicaRecord> dropped = copies.record(store).filter(record -> record.state() == ReplicaState.DROPPED);
        if (there && stage == Stage.OPEN) {
            count.uploads++;
        } else if (there && stage == Stage.CURRENT) {
            count.named++;
        } else if (countsGarbage && (there || dropped.isPresent())) {
            count.garbage++;
            if (stage != Stage.OPEN && count.dropped.size() < MOST_DROPPED) {
                dropped.ifPresent(count.dropped::add);
            }
        }
    }
}
