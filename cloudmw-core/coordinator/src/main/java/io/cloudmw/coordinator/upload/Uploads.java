package io.cloudmw.coordinator.upload;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.change.CommitRequest;
import io.cloudmw.coordinator.catalog.change.RefusedCall;
import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.coordinator.catalog.version.VersionState;
import io.cloudmw.coordinator.fleet.HelperRegistry;
import io.cloudmw.coordinator.fleet.StoreView;
import io.cloudmw.core.access.StoreFault;
import io.cloudmw.core.access.StoreReach;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.RetryVerdict;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.PlacedChunk;
import io.cloudmw.core.placement.PlacedReplicas;
import io.cloudmw.core.placement.PlacementPolicy;
import io.cloudmw.core.placement.WriteHelperChooser;
import io.cloudmw.core.placement.WritePlan;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.status.StoreCandidate;
import io.cloudmw.core.time.WallClock;
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

/**
 * The uploads of files. Between the calls of an upload, only its segments are kept, in the catalog. A restarted
 * coordinator therefore continues uploads that began before, and every call may be retried. Safe for any thread; calls
 * block on the catalog.
 */
public final class Uploads {
    /** The most chunks that one call places. */
    public static final int MAX_BATCH = 1024;

    private final Catalog catalog;
    private final HelperRegistry helpers;
    private final StoreView stores;
    private final TransferTokens tokens;
    private final WallClock clock;
    private final Duration tokenTtl;

    public Uploads(
            Catalog catalog,
            HelperRegistry helpers,
            StoreView stores,
            TransferTokens tokens,
            WallClock clock,
            Duration tokenTtl) {
        this.catalog = catalog;
        this.helpers = helpers;
        this.stores = stores;
        this.tokens = tokens;
        this.clock = clock;
        this.tokenTtl = tokenTtl;
    }

    /**
     * Returns the plan for a file of this size at a path.
     *
     * @param sizeBytes empty: known only at the commit
     * @throws CloudMwException {@code VOLUME_NOT_FOUND}; {@code INVALID_ARGUMENT} when the file would have too many
     *     chunks; the errors of {@link Catalog#checkPath}, before any byte is sent in vain
     */
    public UploadPlan begin(FilePath file, OptionalLong sizeBytes) throws CloudMwException {
        Volume volume = volume(file);
        catalog.checkPath(file);
        Optional<ManifestPlan> manifest =
                sizeBytes.isPresent() ? Optional.of(FileLayout.anew(volume, sizeBytes.getAsLong())) : openEnded(volume);
        return new UploadPlan(
                manifest, catalog.current(file).map(FileVersion::id), volume.writeQuorum(), volume.createdAtMillis());
    }

    private static Optional<ManifestPlan> openEnded(Volume volume) {
        return volume.chunking() instanceof Chunking.BySize bySize
                ? Optional.of(ManifestPlan.longest(bySize.bytes(), bySize.leafSizeBytes()))
                : Optional.empty();
    }

    /**
     * Resumes an upload that began earlier.
     *
     * @return whether it is still open, with all it has stored; false: it was abandoned or committed
     */
    public boolean resume(VersionId version) throws CloudMwException {
        return catalog.resume(version, clock.millis());
    }

    /** Returns how long the token of a placement is valid. */
    public Duration tokenTtl() {
        return tokenTtl;
    }

    /** Places chunks of a file whose length is not known, as {@link #place(PlacementRequest)}. */
    public WritePlan place(FilePath file, VersionId version, long firstIndex, int count, Set<HelperId> avoid)
            throws CloudMwException {
        return place(new PlacementRequest(file, version, firstIndex, count, avoid, Optional.empty()));
    }

    /**
     * Chooses the stores and the helper of chunks; this counts as progress of the upload. A copy may be placed in a
     * store that cannot take it now. Such a copy is owed: the writer does not send it, and lists it in the commit.
     *
     * @throws CloudMwException {@code QUORUM_NOT_MET} when too few stores can take a chunk; {@code HELPER_UNAVAILABLE}
     *     when no helper is alive; {@code COORDINATOR_UNAVAILABLE} right after a start, until the owners of the
     *     volume's disks, and at least one helper, are back
     */
    public WritePlan place(PlacementRequest request) throws CloudMwException {
        FilePath file = request.file();
        VersionId version = request.version();
        long firstIndex = request.firstIndex();
        int count = request.count();
        if (count < 1 || count > MAX_BATCH) {
            throw invalid("count: " + count + " (expected: 1.." + MAX_BATCH + ")");
        }
        if (firstIndex < 0 || firstIndex > ChunkId.MAX_INDEX + 1 - count) {
            throw invalid("first index: " + firstIndex);
        }
        request.refusing().forEach(stores::doubt);
        Volume volume = volume(file);
        List<Store> volumeStores = stores.of(volume);
        List<Store> filling = stores.filling(volumeStores);
        Map<Long, List<StoreCandidate>> candidatesByLength = new HashMap<>();
        // First, so that a helper that registers meanwhile is among the live ones.
        stores.awaitAnyHelper();
        List<HelperAddress> live = helpers.live();
        // After a loss of stores there are fewer copies; the missing ones are made when the volume has stores for them.
        int copies = Math.min(volume.replicas(), filling.size());
        List<PlacedChunk> placed = new ArrayList<>(count);
        for (long index = firstIndex; index < firstIndex + count; index++) {
            ChunkId chunk = new ChunkId(version, index);
            long bytes = request.bytes(index, volume);
            if (!candidatesByLength.containsKey(bytes)) {
                candidatesByLength.put(bytes, candidates(request, volume, filling, bytes));
            }
            List<StoreCandidate> candidates = candidatesByLength.getOrDefault(bytes, List.of());
            PlacedReplicas replicas = PlacementPolicy.place(chunk, candidates, copies);
            List<Store> sent = sent(replicas, volumeStores);
            HelperId helper = WriteHelperChooser.helper(chunk, sent, live, request.avoid(), stores::canUse);
            Map<StoreId, HelperId> carriers = WriteHelperChooser.carriers(
                    new WriteHelperChooser.SentChunk(chunk, helper, sent), live, request.avoid(), stores::canUse);
            Set<StoreId> unable = new HashSet<>();
            sent.stream()
                    .filter(store -> !stores.canUse(helper, store) && !carriers.containsKey(store.id()))
                    .forEach(store -> unable.add(store.id()));
            placed.add(new PlacedChunk(
                    chunk, replicas.stores(), owed(replicas, unable, volume.writeQuorum()), helper, carriers));
        }
        long now = clock.millis();
        catalog.touch(version, now);
        TransferClaims claims =
                new TransferClaims(Set.of(TransferRight.WRITE), file, version, now + tokenTtl.toMillis());
        return new WritePlan(
                placed,
                volumeStores.stream().map(stores::status).toList(),
                named(placed, volumeStores, live),
                tokens.issue(claims));
    }

    /** Returns the stores for chunks of this length, if enough of them can take one. */
    private List<StoreCandidate> candidates(PlacementRequest request, Volume volume, List<Store> filling, long bytes)
            throws CloudMwException {
        List<StoreCandidate> candidates = stores.candidates(filling, bytes).stream()
                .map(candidate -> request.refusing().contains(candidate.store().id()) ? refusing(candidate) : candidate)
                .toList();
        try {
            PlacementPolicy.requireQuorum(
                    request.file() + ", volume " + volume.name(), candidates, volume.writeQuorum());
        } catch (CloudMwException tooFew) {
            throw tooFew(tooFew, volume, filling, request.refusing());
        }
        return candidates;
    }

    /** Returns the store as one that gets nothing of this upload. */
    private static StoreCandidate refusing(StoreCandidate candidate) {
        String known = candidate.obstacle();
        return new StoreCandidate(candidate.store(), known.isEmpty() ? "refused this put" : known, candidate.weight());
    }

    /**
     * Returns the error for too few stores. A writer waits where stores may return or be added. If too many stores
     * refuse everybody or are missing, waiting does not help, and that is the code.
     */
    private CloudMwException tooFew(
            CloudMwException tooFew, Volume volume, List<Store> filling, Set<StoreId> refusingThis) {
        List<StoreFault.Kind> refusing = filling.stream()
                .flatMap(store -> refusal(store, refusingThis).stream())
                .toList();
        String message = String.valueOf(tooFew.getMessage());
        if (filling.size() < volume.writeQuorum()) {
            message += "; the volume's other stores are drained or were declared lost: cloudmw volume set "
                    + volume.name() + " --add-store ID";
        }
        if (refusing.isEmpty() || filling.size() - refusing.size() >= volume.writeQuorum()) {
            return new CloudMwException(tooFew.code(), tooFew.verdict(), message, tooFew);
        }
        boolean missing = refusing.stream().allMatch(kind -> kind == StoreFault.Kind.MISSING);
        return new CloudMwException(
                missing ? ErrorCode.STORE_UNAVAILABLE : ErrorCode.STORE_DENIED, RetryVerdict.NEVER, message, tooFew);
    }

    /** Returns how a store permanently refuses data; empty: it may take data, now or later. */
    private Optional<StoreFault.Kind> refusal(Store store, Set<StoreId> refusingThis) {
        StoreReach reach = stores.reach(store);
        Optional<StoreFault.Kind> everybody =
                reach.fault().map(StoreFault::kind).filter(kind -> kind != StoreFault.Kind.UNREACHABLE);
        if (everybody.isPresent() || !refusingThis.contains(store.id())) {
            return everybody;
        }
        boolean missing = reach.shutOut().values().stream().anyMatch(fault -> fault.kind() == StoreFault.Kind.MISSING);
        return Optional.of(missing ? StoreFault.Kind.MISSING : StoreFault.Kind.DENIED);
    }

    /** Returns which of a chunk's stores can take it now. */
    private static List<Store> sent(PlacedReplicas replicas, List<Store> volumeStores) {
        return volumeStores.stream()
                .filter(store -> replicas.stores().contains(store.id())
                        && !replicas.owed().contains(store.id()))
                .toList();
    }

    /**
     * Returns the stores whose copies are made later: those that cannot take the chunk now, and those that no helper
     * can write to.
     */
    private static List<StoreId> owed(PlacedReplicas replicas, Set<StoreId> unable, int writeQuorum)
            throws CloudMwException {
        List<StoreId> owed = new ArrayList<>(replicas.owed());
        owed.addAll(unable);
        int left = replicas.stores().size() - owed.size();
        if (owed.size() > replicas.owed().size() && left < writeQuorum) {
            throw new CloudMwException(
                    ErrorCode.QUORUM_NOT_MET,
                    "helpers can use only " + left + " of the stores " + replicas.stores() + " (expected: >= "
                            + writeQuorum + ", the write quorum); cloudmw store ls says who lacks what");
        }
        return owed;
    }

    /** Returns the helpers that receive or carry chunks, and the live owners of disks. */
    private static List<HelperAddress> named(
            List<PlacedChunk> placed, List<Store> volumeStores, List<HelperAddress> live) {
        Map<HelperId, HelperAddress> named = new LinkedHashMap<>();
        for (HelperAddress helper : live) {
            boolean receives = placed.stream()
                    .anyMatch(chunk -> chunk.helper().equals(helper.id())
                            || chunk.carriers().containsValue(helper.id()));
            boolean owns = volumeStores.stream().anyMatch(store -> store.owner().equals(Optional.of(helper.id())));
            if (receives || owns) {
                named.put(helper.id(), helper);
            }
        }
        return List.copyOf(named.values());
    }

    /**
     * Stores one segment of the manifest.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when it is malformed; {@code CONFLICT} when the version is
     *     committed or was abandoned
     */
    public void putSegment(VersionId version, int index, List<Chunk> chunks) throws CloudMwException {
        if (index < 0 || index >= ManifestPlan.MAX_SEGMENTS) {
            throw invalid("segment: " + index + " (expected: 0.." + (ManifestPlan.MAX_SEGMENTS - 1) + ")");
        }
        ManifestSegment segment = ManifestSegment.checked(index, chunks);
        catalog.putSegment(version, index, segment.encode(), SharedRun.of(version, chunks), clock.millis());
    }

    /**
     * Commits a version, if its path still names the version it named at the beginning. An upload that was refused
     * because of the present state is over: no delayed retry of the commit succeeds later.
     *
     * @param commit as the writer has it: the expected version is what {@link #begin} returned
     * @return the version as it is kept; the same for a repeated commit
     * @throws CloudMwException {@code CONFLICT} when another writer changed the path or that of a part, or the upload
     *     was abandoned;
     *     {@code LOCK_LOST} when the writer's lock is gone;
     *     {@code INVALID_ARGUMENT} when the segments do not describe a file of this size in this volume, or contain
     *     chunks of other versions than the expected one and the parts; {@code QUORUM_NOT_MET} when a chunk has too few durable
     *     copies, or more than {@value WritePlan#MAX_OWED} are owed
     */
    public FileVersion commit(CommitRequest commit) throws CloudMwException {
        FileVersion version = commit.version();
        try {
            return tryCommit(commit);
        } catch (CloudMwException e) {
            // An invalid request stays invalid.
            if (!RefusedCall.is(e) || e.code() == ErrorCode.INVALID_ARGUMENT) {
                throw e;
            }
            // Another attempt may have committed it.
            Optional<FileVersion> committed = catalog.giveUp(version.id(), clock.millis());
            return committed
                    .filter(before -> before.file().equals(version.file()))
                    .orElseThrow(() -> e);
        }
    }

    /** Commits a version as {@link #commit(CommitRequest)} does, under no lock. */
    public FileVersion commit(FileVersion version, Optional<VersionId> expected, List<ReplicaReport> owed)
            throws CloudMwException {
        return commit(new CommitRequest(version, expected, owed));
    }

    private FileVersion tryCommit(CommitRequest commit) throws CloudMwException {
        FileVersion version = commit.version();
        Optional<VersionId> expected = commit.expected();
        List<ReplicaReport> owed = commit.owed();
        Optional<FileVersion> before = catalog.version(version.id());
        if (before.isPresent() && before.get().file().equals(version.file())) {
            return before.get();
        }
        WritePlan.checkOwed(version.file(), owed.size());
        Volume volume = volume(version.file());
        Optional<FileVersion> base = expected.isEmpty() ? Optional.empty() : catalog.version(expected.get());
        if (expected.isPresent() && base.isEmpty()) {
            throw CatalogErrors.changed(
                    version.file(), expected, catalog.current(version.file()).map(FileVersion::id));
        }
        ManifestPlan plan = FileLayout.of(volume, base, version);
        SharedEntries others = SharedEntries.of(catalog, volume, base, plan, commit.parts());
        before = check(new ManifestCheck(catalog, volume, version, others, plan, owed, clock.millis()), version);
        if (before.isPresent()) {
            return before.get();
        }
        FileVersion stamped = version.committed(clock.millis(), plan.cutter().chunkSizeBytes());
        return catalog.commit(commit.of(stamped));
    }

    /**
     * Checks the manifest. Segments of an abandoned upload may be gone; then the error says that it was abandoned.
     *
     * @return the version if another attempt of the same commit came first and changed what is checked; otherwise empty
     */
    private Optional<FileVersion> check(ManifestCheck manifest, FileVersion version) throws CloudMwException {
        try {
            manifest.run();
            return Optional.empty();
        } catch (CloudMwException e) {
            Optional<FileVersion> committed =
                    catalog.version(version.id()).filter(before -> before.file().equals(version.file()));
            if (committed.isPresent()) {
                return committed;
            }
            // Another attempt may have committed it to another path.
            boolean alive = catalog.state(version.id())
                    .map(state -> state == VersionState.OPEN || state == VersionState.CURRENT)
                    .orElse(true);
            throw alive ? e : CatalogErrors.abandoned(version);
        }
    }

    private Volume volume(FilePath file) throws CloudMwException {
        return catalog.volume(file.volume()).orElseThrow(() -> CatalogErrors.volumeNotFound(file.volume()));
    }

    private static CloudMwException invalid(String message) {
        return new CloudMwException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
