package io.cloudmw.coordinator.read;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.time.WallClock;
import java.util.List;
import java.util.Set;

/** The reports about single copies that readers and writers make. Safe for any thread; calls block on the catalog. */
public final class BadReplicaReports {
    /** The most reports in one call. */
    public static final int MAX_REPORTS = 4096;

    private final Catalog catalog;
    private final WallClock clock;

    public BadReplicaReports(Catalog catalog, WallClock clock) {
        this.catalog = catalog;
        this.clock = clock;
    }

    /**
     * Records reports about copies of chunks that a version references; the version may not be committed yet.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} for a chunk that the version neither wrote nor shares, or a
     *     store that the volume does not use; {@code VOLUME_NOT_FOUND}
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
            requireNamed(version, others);
        }
        for (ReplicaReport report : reports) {
            if (!volume.storesInUse().contains(report.store())) {
                throw new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT,
                        "store " + report.store() + " is not used by volume " + volume.name());
            }
        }
        catalog.report(reports, clock.millis());
    }

    /**
     * Refuses reports that only writers of copies may make. Readers report copies as missing or corrupt, and need not
     * know the cluster's secret: no report of theirs makes a copy count as good.
     *
     * @throws CloudMwException {@code UNAUTHENTICATED}
     */
    public static void requireFromReader(List<ReplicaReport> reports) throws CloudMwException {
        for (ReplicaReport report : reports) {
            if (report.state().isFromWriter()) {
                throw new CloudMwException(
                        ErrorCode.UNAUTHENTICATED,
                        "only helpers may report copies as " + report.state() + ": chunk=" + report.chunk() + " store="
                                + report.store());
            }
        }
    }

    /** Checks that the version references these chunks of other versions. */
    private void requireNamed(VersionId version, List<ChunkId> chunks) throws CloudMwException {
        for (int from = 0; from < chunks.size(); from += ManifestSegment.MAX_CHUNKS) {
            List<ChunkId> some = chunks.subList(from, Math.min(chunks.size(), from + ManifestSegment.MAX_CHUNKS));
            Set<ChunkId> named = catalog.namedBy(version, some);
            for (ChunkId chunk : some) {
                if (!named.contains(chunk)) {
                    throw new CloudMwException(
                            ErrorCode.INVALID_ARGUMENT, "chunk " + chunk + " is not part of version " + version);
                }
            }
        }
    }

    /**
     * Returns the copies that are not good, of the current versions of a volume's files.
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
