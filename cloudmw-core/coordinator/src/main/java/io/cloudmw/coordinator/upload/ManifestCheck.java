package io.cloudmw.coordinator.upload;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.version.ReplicaOverlay;
import io.cloudmw.coordinator.catalog.version.SharedRun;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.EncodedSegment;
import io.cloudmw.core.manifest.ManifestDigest;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.CurrentReplicas;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The check of a manifest before its commit. The stored segments must describe a file of this size in this volume, with
 * enough durable copies of each chunk written for it. Every other chunk must be one of the version that it changes, or
 * of its parts. Holds one segment of the version at a time, beside those of {@link SharedEntries}.
 */
final class ManifestCheck {
    private final Catalog catalog;
    private final Volume volume;
    private final FileVersion version;
    private final ForeignEntries others;
    private final ManifestPlan plan;
    private final long nowMillis;
    private final Map<ChunkId, Set<StoreId>> owed = new HashMap<>();

    /** @param others the entries that the version may share */
    ManifestCheck(
            Catalog catalog,
            Volume volume,
            FileVersion version,
            ForeignEntries others,
            ManifestPlan plan,
            List<ReplicaReport> owedReports,
            long nowMillis)
            throws CloudMwException {
        this.catalog = catalog;
        this.volume = volume;
        this.version = version;
        this.others = others;
        this.plan = plan;
        this.nowMillis = nowMillis;
        for (ReplicaReport report : owedReports) {
            if (report.state() != ReplicaState.OWED || !isOwn(report.chunk())) {
                throw invalid(
                        "owed: chunk " + report.chunk() + " in store " + report.store() + " is " + report.state());
            }
            owed.computeIfAbsent(report.chunk(), ignored -> new HashSet<>()).add(report.store());
        }
    }

    void run() throws CloudMwException {
        require("chunks", version.chunkCount(), plan.cutter().count());
        require("segments", version.segmentCount(), plan.segmentCount());
        require("leaf size", version.leafSizeBytes(), plan.leafSizeBytes());
        Set<ChunkId> unknown = new HashSet<>(owed.keySet());
        ManifestDigest checked = new ManifestDigest();
        for (int index = 0; index < plan.segmentCount(); index++) {
            int segmentIndex = index;
            byte[] bytes = catalog.segment(version.id(), index)
                    .orElseThrow(() -> invalid("segment " + segmentIndex + " was not put"));
            ManifestSegment segment = ManifestSegment.decode(index, bytes);
            checkSegment(segment);
            recordReferences(segment, bytes);
            checked.add(ManifestDigest.ofSegment(bytes));
            segment.chunks().forEach(chunk -> unknown.remove(chunk.id()));
        }
        if (!unknown.isEmpty()) {
            throw invalid("owed: " + unknown.iterator().next() + " is no chunk of it");
        }
        // The catalog commits the segments with this digest: none that replaced a segment checked here.
        if (!checked.finish().equals(version.manifestSha256())) {
            throw invalid("its segments are not those of the manifest " + version.manifestSha256());
        }
    }

    /** Checks a version of one segment, which need not be in the catalog yet. */
    void run(EncodedSegment encoded) throws CloudMwException {
        require("chunks", version.chunkCount(), plan.cutter().count());
        require("segments", version.segmentCount(), 1);
        require("segments", plan.segmentCount(), 1);
        require("leaf size", version.leafSizeBytes(), plan.leafSizeBytes());
        ManifestSegment segment = encoded.segment();
        checkSegment(segment);
        Set<ChunkId> unknown = new HashSet<>(owed.keySet());
        segment.chunks().forEach(chunk -> unknown.remove(chunk.id()));
        if (!unknown.isEmpty()) {
            throw invalid("owed: " + unknown.iterator().next() + " is no chunk of it");
        }
        String found = encoded.manifestSha256();
        if (!found.equals(version.manifestSha256())) {
            throw invalid("its segment has " + found + " (expected: the manifest " + version.manifestSha256() + ")");
        }
    }

    private void checkSegment(ManifestSegment segment) throws CloudMwException {
        long first = plan.firstChunk(segment.index());
        require("chunks of segment " + segment.index(), segment.chunks().size(), plan.chunkCount(segment.index()));
        for (int i = 0; i < segment.chunks().size(); i++) {
            checkChunk(segment.chunks().get(i), first + i);
        }
        for (CurrentReplicas copies : ReplicaOverlay.of(catalog, own(segment, true))) {
            checkReplicas(copies.chunk(), copies.faulty());
        }
        for (Chunk chunk : own(segment, false)) {
            others.require(chunk, segment.index());
        }
    }

    /**
     * Puts a segment again if its references to one version are far apart. A coordinator of an earlier release may have
     * put it, and recorded them together, where the later ones would not be found.
     */
    private void recordReferences(ManifestSegment segment, byte[] bytes) throws CloudMwException {
        List<SharedRun> runs = SharedRun.of(version.id(), segment.chunks());
        if (SharedRun.areFarApart(runs)) {
            catalog.putSegment(version.id(), segment.index(), bytes, runs, nowMillis);
        }
    }

    private boolean isOwn(ChunkId chunk) {
        return chunk.version().equals(version.id());
    }

    /** Returns the chunks that the version wrote, or those that others wrote. */
    private List<Chunk> own(ManifestSegment segment, boolean own) {
        return segment.chunks().stream()
                .filter(chunk -> isOwn(chunk.id()) == own)
                .toList();
    }

    private void checkChunk(Chunk chunk, long index) throws CloudMwException {
        require("index", chunk.index(), index);
        require("leaf size of chunk " + chunk.id(), chunk.leafSizeBytes(), plan.leafSizeBytes());
        if (isOwn(chunk.id())) {
            if (chunk.id().slice().isPresent()) {
                throw invalid("chunk " + chunk.id() + " is a slice (expected: a chunk of its own is whole)");
            }
            require("index in the name of chunk " + chunk.id(), chunk.id().index(), index);
        }
        if (!chunk.range().equals(plan.cutter().range(index))) {
            throw invalid("chunk " + chunk.id() + " holds " + chunk.range() + " (expected: "
                    + plan.cutter().range(index) + ")");
        }
    }

    private void checkReplicas(Chunk chunk, Set<StoreId> bad) throws CloudMwException {
        checkCount(chunk);
        Set<StoreId> promised = owed.getOrDefault(chunk.id(), Set.of());
        Set<StoreId> gone = new TreeSet<>(chunk.replicas());
        volume.storesInUse().forEach(gone::remove);
        if (!gone.isEmpty() && volume.generation() > 1) {
            throw new CloudMwException(
                    ErrorCode.CONFLICT,
                    version.file() + ": chunk " + chunk.id() + " is placed in " + gone + ", which volume "
                            + volume.name() + " does not use any more: put the file again");
        }
        if (!gone.isEmpty() || !chunk.replicas().containsAll(promised)) {
            throw invalid("chunk " + chunk.id() + ": a store that is not its own in " + chunk.replicas() + ", owed "
                    + promised);
        }
        long durable = chunk.replicas().stream()
                .filter(store -> !bad.contains(store) && !promised.contains(store))
                .count();
        if (durable < volume.writeQuorum()) {
            throw new CloudMwException(
                    ErrorCode.QUORUM_NOT_MET,
                    version.file() + ": chunk " + chunk.id() + " has " + durable + " durable copies (expected: >= "
                            + volume.writeQuorum() + ")");
        }
    }

    /**
     * Checks the number of copies. A chunk that was placed before its volume changed has the former number; upkeep
     * makes the rest.
     */
    private void checkCount(Chunk chunk) throws CloudMwException {
        if (volume.generation() == 1) {
            require("replicas of chunk " + chunk.id(), chunk.replicas().size(), volume.replicas());
        }
        if (chunk.replicas().size() > Volume.MAX_REPLICAS
                || new HashSet<>(chunk.replicas()).size() < chunk.replicas().size()) {
            throw invalid("chunk " + chunk.id() + ": replicas in " + chunk.replicas() + " (expected: at most "
                    + Volume.MAX_REPLICAS + ", each in a store of its own)");
        }
    }

    private void require(String what, long found, long expected) throws CloudMwException {
        if (found != expected) {
            throw invalid(what + ": " + found + " (expected: " + expected + " for " + version.sizeBytes() + " bytes)");
        }
    }

    private CloudMwException invalid(String message) {
        return new CloudMwException(
                ErrorCode.INVALID_ARGUMENT, version.file() + ": version " + version.id() + ": " + message);
    }
}
