package io.cloudmw.coordinator.upkeep.compact;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.chunk.PackRelocation;
import io.cloudmw.core.model.file.FileVersion;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An estimate of how many bytes of a pack files need, never too low. Most files have one chunk, which is their slice.
 * Only of others, which were edited or concatenated, are the manifests read. Confined to one thread; calls block on the
 * catalog.
 */
final class NeedEstimate {
    private static final int PAGE = 50;

    /** The most manifest segments that are read for a pack. */
    private static final int MOST_SEGMENTS = 1000;

    private final Catalog catalog;
    private final VersionId pack;
    private final long sinceMillis;
    private final long mostBytes;
    private Optional<String> nextPage = Optional.of("");
    private @Nullable PackSlices slices;
    private long segments;
    private boolean tooLong;
    private long bytes;

    /** The manifests of files of one chunk that were counted: copies of a file have the same. */
    private final Set<String> counted = new HashSet<>();

    /** The slices of other files that were counted. */
    private final Set<ByteRange> countedSlices = new HashSet<>();

    /**
     * @param pack in the list of packs
     * @param sinceMillis versions that were retired earlier do not count
     * @param mostBytes the estimate ends when more are needed
     */
    NeedEstimate(Catalog catalog, VersionId pack, long sinceMillis, long mostBytes) {
        this.catalog = catalog;
        this.pack = pack;
        this.sinceMillis = sinceMillis;
        this.mostBytes = mostBytes;
    }

    /** Looks at some files; returns whether there are more. */
    boolean step() throws CloudMwException {
        if (nextPage.isEmpty()) {
            return false;
        }
        Page<FileVersion> page = catalog.filesSince(pack, sinceMillis, nextPage.get(), PAGE);
        for (FileVersion version : page.items()) {
            if (bytes <= mostBytes && !tooLong) {
                add(version);
            }
        }
        boolean isOver = page.isLast() || bytes > mostBytes || tooLong;
        nextPage = isOver ? Optional.empty() : Optional.of(page.nextToken());
        return nextPage.isPresent();
    }

    private void add(FileVersion version) throws CloudMwException {
        if (version.chunkCount() == 1) {
            bytes += counted.add(version.manifestSha256()) ? version.sizeBytes() : 0;
            return;
        }
        segments += version.segmentCount();
        tooLong = PackSlices.isTooLong(version) || segments > MOST_SEGMENTS;
        if (!tooLong) {
            for (ByteRange slice : slices().of(version)) {
                bytes += countedSlices.add(slice) ? slice.length() : 0;
            }
        }
    }

    private PackSlices slices() throws CloudMwException {
        PackSlices known = slices;
        if (known == null) {
            known = new PackSlices(
                    catalog,
                    catalog.relocationTo(pack).map(PackRelocation::original).orElse(pack));
            slices = known;
        }
        return known;
    }

    /** Returns whether manifests are too long to be read; called after the last step. */
    boolean isTooLong() {
        return tooLong;
    }

    /** Returns whether some bytes are needed, and at most so many as were given; called after the last step. */
    boolean isLow() {
        return bytes > 0 && bytes <= mostBytes;
    }
}
