package io.cloudmw.core.model.chunk;

import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VersionId;
import java.util.List;
import java.util.Optional;

/**
 * The present place of the bytes of a pack that was compacted: they are in the chunk of another version, without those
 * that no file needs any more. Manifests still name slices of the original pack.
 *
 * @param original the pack whose slices manifests name
 * @param pack the version whose only chunk has the bytes
 * @param stores in which that chunk was placed
 * @param kept the kept ranges of the original's chunk, in order and apart; they follow each other from the start of the
 *     other chunk on
 */
public record PackRelocation(VersionId original, VersionId pack, List<StoreId> stores, List<ByteRange> kept) {
    public PackRelocation {
        stores = List.copyOf(stores);
        kept = List.copyOf(kept);
        if (original.equals(pack)) {
            throw new IllegalArgumentException("pack " + pack + " (expected: not the original)");
        }
        long end = -1;
        for (ByteRange range : kept) {
            if (range.length() == 0 || range.offset() <= end) {
                throw new IllegalArgumentException("kept: " + kept + " (expected: in order and apart)");
            }
            end = range.end();
        }
    }

    /**
     * The beginning of the ids of all packs that replace an original, so that a store's listing has them close to it: the
     * first half of the original's id.
     */
    public static String idPrefix(VersionId original) {
        return original.value().substring(0, original.value().length() / 2);
    }

    /** A new id for a pack that replaces an original. */
    public static VersionId newId(VersionId original) {
        String prefix = idPrefix(original);
        return new VersionId(prefix + VersionId.random().value().substring(prefix.length()));
    }

    /** The chunk that has the bytes. */
    public ChunkId chunk() {
        return new ChunkId(pack, 0);
    }

    /** The length of all kept ranges together. */
    public long keptBytes() {
        return kept.stream().mapToLong(ByteRange::length).sum();
    }

    /** The present place of a range of the original's chunk; empty when some of its bytes are not kept. */
    public Optional<ByteRange> place(ByteRange inOriginal) {
        long start = 0;
        for (ByteRange range : kept) {
            if (range.contains(inOriginal)) {
                return Optional.of(new ByteRange(start + inOriginal.offset() - range.offset(), inOriginal.length()));
            }
            start += range.length();
        }
        return Optional.empty();
    }

    /** A manifest's chunk where its bytes are now; unchanged unless it is a slice of the original that was kept. */
    public Chunk resolve(Chunk inManifest) {
        if (!inManifest.id().version().equals(original)) {
            return inManifest;
        }
        return inManifest
                .id()
                .slice()
                .flatMap(this::place)
                .map(place -> inManifest.storedAs(chunk().slice(place), stores))
                .orElse(inManifest);
    }
}
