package io.cloudmw.coordinator.upload;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.core.chunk.ChunkCutter;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.manifest.ManifestPlan;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.manifest.NamedChunks;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.VersionPart;
import io.cloudmw.core.model.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The manifest entries that a new version may have in common with other versions: those of its base at the same index,
 * and those of its parts, a whole number of chunks further on. Asked in the order of the indexes, it holds one segment of
 * the base and one of a part at a time. Confined to one thread.
 */
final class SharedEntries implements ForeignEntries {
    private final Catalog catalog;
    private final Optional<FileVersion> base;
    private final List<Origin> parts;
    private final NamedChunks named = new NamedChunks();
    private int next;
    private @Nullable Loaded ofBase;
    private @Nullable Loaded ofPart;

    /**
     * A part whose chunks are those of the new version.
     *
     * @param plan of its own manifest
     * @param firstIndex the place of its first chunk in the new version
     */
    private record Origin(FileVersion version, ManifestPlan plan, long firstIndex) {
        long endIndex() {
            return firstIndex + plan.cutter().count();
        }
    }

    private record Loaded(FileVersion version, int segment, List<Chunk> chunks) {}

    private SharedEntries(Catalog catalog, Optional<FileVersion> base, List<Origin> parts) {
        this.catalog = catalog;
        this.base = base;
        this.parts = parts;
    }

    /**
     * Returns the entries for a new version.
     *
     * @param base the version that its path must name at the commit; empty: none
     * @param plan of the new version
     * @throws CloudMwException {@code CONFLICT} when a part's version is gone; {@code INVALID_ARGUMENT} when the parts
     *     are too many, overlap, are in another volume, or are cut differently
     */
    static SharedEntries of(
            Catalog catalog, Volume volume, Optional<FileVersion> base, ManifestPlan plan, List<VersionPart> parts)
            throws CloudMwException {
        if (parts.size() > VersionPart.MAX_PARTS) {
            throw invalid("parts: " + parts.size() + " (expected: <= " + VersionPart.MAX_PARTS
                    + "; commit the others as parts of the next version)");
        }
        if (!parts.isEmpty() && base.isEmpty()) {
            throw invalid("parts: " + parts.size() + " (expected: none, for a path that names no version yet)");
        }
        List<Origin> origins = new ArrayList<>();
        long end = 0;
        for (VersionPart part : parts) {
            Origin origin = origin(catalog, volume, plan, part);
            if (origin.firstIndex() < end || origin.endIndex() > plan.cutter().count()) {
                throw invalid("part " + part.file() + ": chunks " + origin.firstIndex() + " to " + origin.endIndex()
                        + " (expected: within " + end + " to "
                        + plan.cutter().count() + ", in the order of the parts)");
            }
            end = origin.endIndex();
            origins.add(origin);
        }
        return new SharedEntries(catalog, base, List.copyOf(origins));
    }

    private static Origin origin(Catalog catalog, Volume volume, ManifestPlan plan, VersionPart part)
            throws CloudMwException {
        if (!part.file().volume().equals(volume.name())) {
            throw invalid("part " + part.file() + ": not in volume " + volume.name());
        }
        Optional<FileVersion> found = catalog.version(part.version());
        if (found.isEmpty()) {
            throw CatalogErrors.changed(
                    part.file(),
                    Optional.of(part.version()),
                    catalog.current(part.file()).map(FileVersion::id));
        }
        FileVersion version = found.get();
        long chunkSize = plan.cutter().chunkSizeBytes();
        ChunkCutter cutter = ChunkCutter.of(version, volume.chunking());
        if (cutter.chunkSizeBytes() != chunkSize || version.leafSizeBytes() != plan.leafSizeBytes()) {
            throw invalid("part " + part.file() + ": chunks of " + cutter.chunkSizeBytes() + " bytes in leaves of "
                    + version.leafSizeBytes() + " (expected: " + chunkSize + " in " + plan.leafSizeBytes() + ")");
        }
        if (part.positionBytes() % chunkSize != 0) {
            throw invalid("part " + part.file() + ": position " + part.positionBytes()
                    + " (expected: a multiple of the chunk size, " + chunkSize + ")");
        }
        return new Origin(version, new ManifestPlan(cutter, plan.leafSizeBytes()), part.positionBytes() / chunkSize);
    }

    /** {@inheritDoc} A repeated entry is refused, too. */
    @Override
    public void require(Chunk chunk, int segment) throws CloudMwException {
        if (!isOfBase(chunk, segment) && !isOfPart(chunk)) {
            throw invalid("chunk " + chunk.index() + " is named " + chunk.id()
                    + " (expected: its own, or as the version it changes, or its part there, names and describes it)");
        }
        // The base alone names no chunk twice.
        if (!parts.isEmpty() && !named.add(chunk.id())) {
            throw invalid("chunk " + chunk.index() + " is named " + chunk.id()
                    + " (expected: no chunk of another version twice, in at most " + NamedChunks.MAX_RUNS + " runs)");
        }
    }

    private boolean isOfBase(Chunk chunk, int segment) throws CloudMwException {
        if (base.isEmpty()) {
            return false;
        }
        Loaded loaded = loaded(ofBase, base.get(), segment);
        ofBase = loaded;
        return at(loaded, chunk.index()).filter(chunk::equals).isPresent();
    }

    private boolean isOfPart(Chunk chunk) throws CloudMwException {
        while (next < parts.size() && parts.get(next).endIndex() <= chunk.index()) {
            next++;
        }
        if (next == parts.size() || parts.get(next).firstIndex() > chunk.index()) {
            return false;
        }
        Origin part = parts.get(next);
        long index = chunk.index() - part.firstIndex();
        Loaded loaded = loaded(ofPart, part.version(), part.plan().segmentOf(index));
        ofPart = loaded;
        return at(loaded, index)
                .map(entry -> entry.placedAt(chunk.index(), chunk.range().offset()))
                .filter(chunk::equals)
                .isPresent();
    }

    private Loaded loaded(@Nullable Loaded present, FileVersion version, int segment) throws CloudMwException {
        if (present != null && present.version().equals(version) && present.segment() == segment) {
            return present;
        }
        Optional<byte[]> bytes = catalog.segment(version.id(), segment);
        return new Loaded(
                version,
                segment,
                bytes.isEmpty()
                        ? List.of()
                        : ManifestSegment.decode(segment, bytes.get()).chunks());
    }

    private static Optional<Chunk> at(Loaded loaded, long index) {
        List<Chunk> chunks = loaded.chunks();
        long place = chunks.isEmpty() ? -1 : index - chunks.get(0).index();
        return place < 0 || place >= chunks.size() ? Optional.empty() : Optional.of(chunks.get((int) place));
    }

    private static CloudMwException invalid(String message) {
        return new CloudMwException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
