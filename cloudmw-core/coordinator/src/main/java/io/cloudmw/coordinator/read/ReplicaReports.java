package io.cloudmw.coordinator.read;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.CatalogErrors;
import io.cloudmw.coordinator.catalog.SharedRun;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.time.WallClock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What is found out about single copies. */
public final class ReplicaReports {
    /** Reports one call may bring. */
    public static final int MAX_REPORTS = 4096;

    private final Catalog catalog;
    private final WallClock clock;

    public ReplicaReports(Catalog catalog, WallClock clock) {
        this.catalog = catalog;
        this.clock = clock;
    }

    /**
     * Takes down what was found out about copies of the chunks one version names, which may not be committed yet.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} for a chunk that the version neither wrote nor shares or a store that
     *     is not the volume's; {@code VOLUME_NOT_FOUND}
     */
    public void report(FilePath file, VersionId version, List<ReplicaReport> reports) throws CloudMwException {
        Volume volume = catalog.volume(file.volume()).orElseThrow(() -> CatalogErrors.volumeNotFound(file.volume()));
        if (reports.size() > MAX_REPORTS) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, "reports: " + reports.size() + " (expected: <= " + MAX_REPORTS + ")");
        }
        List<ChunkId> others = reports.stream()
                .map(ReplicaReport::chunk)
                .filter(chunk -> !chunk.version().equals(version))
                .toList();
        if (!others.isEmpty()) {
            requireNamed(volume, version, others);
        }
        for (ReplicaReport report : reports) {
            if (!volume.storesInUse().contains(report.store())) {
                throw new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT,
                        "store " + report.store() + " is none of volume " + volume.name() + "'s");
            }
        }
        catalog.report(reports, clock.millis());
    }

    /**
     * Refuses what only writers of copies know. Readers tell of copies that they found missing or corrupt, and need not know
     * the cluster's secret: nothing that they say makes a copy count as good.
     *
     * @throws CloudMwException {@code UNAUTHENTICATED}
     */
    public static void requireFromReader(List<ReplicaReport> reports) throws CloudMwException {
        for (ReplicaReport report : reports) {
            if (report.state().isFromWriter()) {
                throw new CloudMwException(
                        ErrorCode.UNAUTHENTICATED,
                        "only helpers say that copies are " + report.state() + ": chunk=" + report.chunk() + " store="
                                + report.store());
            }
        }
    }

    /** That these chunks, which others wrote, are of a version: each segment is asked for once. */
    private void requireNamed(Volume volume, VersionId version, List<ChunkId> chunks) throws CloudMwException {
        Optional<ManifestPlan> plan = catalog.version(version)
                .map(committed ->
                        new ManifestPlan(ChunkCutter.of(committed, volume.chunking()), committed.leafSizeBytes()));
        Map<Integer, List<SharedRun>> shared = new HashMap<>();
        for (ChunkId chunk : chunks) {
            boolean named = false;
            if (plan.isPresent() && chunk.index() < plan.get().cutter().count()) {
                int segment = plan.get().segmentOf(chunk.index());
                if (!shared.containsKey(segment)) {
                    shared.put(segment, catalog.shared(version, segment));
                }
                named = shared.getOrDefault(segment, List.of()).stream().anyMatch(run -> run.contains(chunk));
            }
            if (!named) {
                throw new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT, "chunk " + chunk + " is not of version " + version);
            }
        }
    }

    /**
     * Copies that are not good, of the current versions of a volume's files.
     *
     * @param limit 1..{@value Catalog#MAX_PAGE}; 0 for the most
     */
    public Page<ReplicaReport> underReplicated(VolumeName name, String pageToken, int limit) throws CloudMwException {
        if (catalog.volume(name).isEmpty()) {
            throw CatalogErrors.volumeNotFound(name);
        }
        return catalog.underReplicated(name, pageToken, limit == 0 ? Catalog.MAX_PAGE : limit);
    }
}
