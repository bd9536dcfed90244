package io.cloudmw.coordinator.upload;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.BatchCommit;
import io.cloudmw.coordinator.catalog.change.BatchFile;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.CommitDeadline;
import io.cloudmw.coordinator.catalog.change.CommitOutcome;
import io.cloudmw.coordinator.catalog.change.Pack;
import io.cloudmw.coordinator.catalog.change.RefusedCall;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.time.WallClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The commits of small files, many in one call. The bytes of the files are in one chunk, the pack, or each file has
 * chunks of its own. Safe for any thread; calls block on the catalog.
 */
public final class SmallFileCommits {
    private final Catalog catalog;
    private final WallClock clock;

    public SmallFileCommits(Catalog catalog, WallClock clock) {
        this.catalog = catalog;
        this.clock = clock;
    }

    /** The chunk of a pack as its writer describes it, with the copies that are still owed. */
    public record WrittenPack(Chunk chunk, List<ReplicaReport> owed) {}

    /** Returns this coordinator's time, in which writers say how long they wait. */
    public long nowMillis() {
        return clock.millis();
    }

    /** Commits files without a limit of time, as the method with one does. */
    public List<CommitOutcome> commit(VolumeName name, Optional<WrittenPack> written, List<BatchFile> files)
            throws CloudMwException {
        return commit(name, written, files, OptionalLong.empty());
    }

    /**
     * Commits files. Each file succeeds or is refused for itself. A repeated call gives the first results of the files
     * that were committed.
     *
     * @param written the pack of which manifests name slices; empty: there is none
     * @param files their commit times and chunk sizes are set here
     * @return an outcome for each file, in their order
     * @param untilMillis the time of {@link #nowMillis} from which on no file without a condition is
     *     committed; empty: there is none
     * @throws CloudMwException when nothing is committed: {@code VOLUME_NOT_FOUND}; {@code INVALID_ARGUMENT} when the
     *     pack is malformed or there are too many files; {@code QUORUM_NOT_MET} when it has too few durable copies;
     *     {@code CONFLICT} when it was abandoned
     */
    public List<CommitOutcome> commit(
            VolumeName name, Optional<WrittenPack> written, List<BatchFile> files, OptionalLong untilMillis)
            throws CloudMwException {
        if (files.size() > BatchCommit.MAX_FILES) {
            throw invalid("files: " + files.size() + " (expected: <= " + BatchCommit.MAX_FILES + ")");
        }
        Volume volume = catalog.volume(name).orElseThrow(() -> CatalogErrors.volumeNotFound(name));
        Optional<Pack> pack = written.isPresent() ? Optional.of(pack(volume, written.get())) : Optional.empty();
        PackEntries entries = new PackEntries(pack.map(Pack::chunk));
        CommitOutcome[] outcomes = new CommitOutcome[files.size()];
        List<BatchFile> checked = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            try {
                checked.add(checked(volume, files.get(i), entries));
                places.add(i);
            } catch (CloudMwException e) {
                if (!CommitOutcome.isOfOneFile(e)) {
                    throw e;
                }
                outcomes[i] = new CommitOutcome.Refused(e);
            }
        }
        List<CommitOutcome> committed =
                catalog.commitAll(new BatchCommit(pack, checked, new CommitDeadline(untilMillis, clock)));
        for (int i = 0; i < committed.size(); i++) {
            outcomes[places.get(i)] = settled(checked.get(i), committed.get(i));
        }
        return List.of(outcomes);
    }

    private Pack pack(Volume volume, WrittenPack written) throws CloudMwException {
        Chunk chunk = written.chunk();
        long bytes = chunk.range().length();
        if (chunk.id().slice().isPresent() || bytes > Chunking.maxChunkBytes(chunk.leafSizeBytes())) {
            throw invalid("pack " + chunk.id() + ": " + bytes + " bytes (expected: a whole chunk, at most "
                    + Chunking.maxChunkBytes(chunk.leafSizeBytes()) + ")");
        }
        Pack pack = Pack.of(volume.name(), chunk, written.owed(), clock.millis());
        ManifestPlan plan = new ManifestPlan(new ChunkCutter(bytes, bytes), chunk.leafSizeBytes());
        Optional<FileVersion> before = catalog.version(chunk.id().version());
        if (before.isEmpty()) {
            new ManifestCheck(
                            catalog,
                            volume,
                            pack.version(),
                            new PackEntries(Optional.empty()),
                            plan,
                            written.owed(),
                            clock.millis())
                    .run(pack.segment());
        }
        return pack;
    }

    private BatchFile checked(Volume volume, BatchFile file, PackEntries entries) throws CloudMwException {
        FileVersion version = file.version();
        if (!version.file().volume().equals(volume.name())) {
            throw invalid(version.file() + ": not in volume " + volume.name());
        }
        ManifestPlan plan = FileLayout.of(volume, Optional.empty(), version);
        if (file.segment().isPresent()) {
            new ManifestCheck(catalog, volume, version, entries, plan, file.owed(), clock.millis())
                    .run(file.segment().get());
        } else if (version.sizeBytes() > 0) {
            throw invalid(version.file() + ": " + version.sizeBytes() + " bytes without a manifest segment");
        }
        return file.committed(clock.millis(), plan.cutter().chunkSizeBytes());
    }

    /** Ends the upload of a file that was refused because of the present state: no delayed retry succeeds later. */
    private CommitOutcome settled(BatchFile file, CommitOutcome outcome) throws CloudMwException {
        if (outcome instanceof CommitOutcome.Refused refused
                && RefusedCall.is(refused.reason())
                && refused.reason().code() != ErrorCode.INVALID_ARGUMENT) {
            Optional<FileVersion> committed = catalog.giveUp(file.version().id(), clock.millis())
                    .filter(before -> before.file().equals(file.version().file()));
            return committed.isPresent() ? new CommitOutcome.Committed(committed.get()) : outcome;
        }
        return outcome;
    }

    private static CloudMwException invalid(String message) {
        return new CloudMwException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
