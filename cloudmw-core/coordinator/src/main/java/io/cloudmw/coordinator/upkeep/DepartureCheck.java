package io.cloudmw.coordinator.upkeep;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.Overlay;
import io.cloudmw.coordinator.catalog.RetiredVersion;
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
 * Looks through everything a catalog keeps for copies in stores that volumes give up: first open uploads, then current versions, then
 * retired ones. A version goes through these states in this order, so none is missed. Confined to one thread; calls block.
 */
final class DepartureCheck {
    private static final int PAGE = 100;

    private static final int MOST_DROPPED = 1000;

    /** A store that a volume gives up. */
    record Leaving(VolumeName volume, StoreId store) {}

    /** Findings about one of them. */
    static final class Found {
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

        /** CurrentReplicas of committed versions that were given up and not deleted yet, the first {@value #MOST_DROPPED} of them. */
        List<ReplicaRecord> dropped() {
            return List.copyOf(dropped);
        }

        boolean isNothing() {
            return named + uploads + garbage == 0;
        }
    }

    /** Where a version is in its life. */
    private enum Stage {
        OPEN,
        CURRENT,
        RETIRED
    }

    /** A version that is to be looked at; of an unknown volume where it was never committed. */
    private record Kept(VersionId id, Optional<VolumeName> volume) {}

    private final Catalog catalog;
    private final Map<Leaving, Found> found = new LinkedHashMap<>();
    private final boolean countsGarbage;
    private final Deque<Kept> page = new ArrayDeque<>();
    private Stage stage = Stage.OPEN;
    private String token = "";
    private boolean lastPage;
    private int segment;
    private long openUploads;

    /** @param countsGarbage whether copies that nothing names are waited for: somebody deletes them */
    DepartureCheck(Catalog catalog, Collection<Leaving> leaving, boolean countsGarbage) {
        this.catalog = catalog;
        this.countsGarbage = countsGarbage;
        leaving.forEach(one -> found.put(one, new Found()));
    }

    /** Findings about each; complete at the end. */
    Map<Leaving, Found> found() {
        return found;
    }

    /** Uploads of the cluster that are under way: each may have placed copies anywhere. */
    long openUploads() {
        return openUploads;
    }

    /**
     * Looks at a segment, or for more versions.
     *
     * @return whether there is more to look at
     */
    boolean step() throws CloudMwException {
        Kept version = page.peek();
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
        open.items().forEach(id -> page.add(new Kept(id, Optional.empty())));
        return open.nextToken();
    }

    private String current() throws CloudMwException {
        Page<FileVersion> live = catalog.live(token, PAGE);
        for (FileVersion version : live.items()) {
            VolumeName volume = version.file().volume();
            if (found.keySet().stream().anyMatch(leaving -> leaving.volume().equals(volume))) {
                page.add(new Kept(version.id(), Optional.of(volume)));
            }
        }
        return live.nextToken();
    }

    private String retired() throws CloudMwException {
        Page<RetiredVersion> retired = catalog.retired(token, PAGE);
        for (RetiredVersion version : retired.items()) {
            page.add(new Kept(
                    version.id(),
                    catalog.version(version.id()).map(known -> known.file().volume())));
        }
        return retired.nextToken();
    }

    private void look(Kept version) throws CloudMwException {
        Optional<byte[]> bytes = catalog.segment(version.id(), segment);
        if (bytes.isEmpty()) {
            page.remove();
            segment = 0;
            return;
        }
        for (CurrentReplicas copies :
                Overlay.of(catalog, ManifestSegment.decode(segment, bytes.get()).chunks())) {
            found.forEach((leaving, count) -> {
                if (version.volume().map(leaving.volume()::equals).orElse(true)) {
                    count(copies, leaving.store(), count);
                }
            });
        }
        segment++;
    }

    private void count(CurrentReplicas copies, StoreId store, Found count) {
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
