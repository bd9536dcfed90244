package io.cloudmw.coordinator.upkeep.compact;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.FileVersion;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A search for the bytes of a closed pack that current versions need, or may come to need. The search reads the
 * manifests of all versions that name slices of the pack and were current when it began, or later. A version that is
 * committed meanwhile names slices of one of these, so none is missed. Confined to one thread; calls block on the
 * catalog.
 */
final class NeededRanges {
    private static final int PAGE = 50;

    private final Catalog catalog;
    private final VersionId pack;
    private final PackSlices slices;
    private final long sinceMillis;
    private final List<ByteRange> found = new ArrayList<>();
    private Optional<String> nextPage = Optional.of("");
    private boolean tooLong;

    /**
     * @param pack in the list of packs
     * @param original the pack whose slices manifests name
     * @param sinceMillis versions that were retired earlier were so, by any clock, when the search began
     */
    NeededRanges(Catalog catalog, VersionId pack, VersionId original, long sinceMillis) {
        this.catalog = catalog;
        this.pack = pack;
        this.slices = new PackSlices(catalog, original);
        this.sinceMillis = sinceMillis;
    }

    /** Reads some manifests; returns whether there are more. */
    boolean step() throws CloudMwException {
        if (nextPage.isEmpty()) {
            return false;
        }
        Page<FileVersion> page = catalog.filesSince(pack, sinceMillis, nextPage.get(), PAGE);
        for (FileVersion version : page.items()) {
            if (PackSlices.isTooLong(version)) {
                tooLong = true;
            } else {
                found.addAll(slices.of(version));
            }
        }
        nextPage = page.isLast() || tooLong ? Optional.empty() : Optional.of(page.nextToken());
        return nextPage.isPresent();
    }

    /**
     * Returns the ranges of the original's chunk, in order and apart; called after the last step.
     *
     * @return empty when some manifest is too long to be read
     */
    Optional<List<ByteRange>> found() {
        if (tooLong) {
            return Optional.empty();
        }
        found.sort(Comparator.comparingLong(ByteRange::offset));
        List<ByteRange> ranges = new ArrayList<>();
        for (ByteRange slice : found) {
            ByteRange last = ranges.isEmpty() ? null : ranges.get(ranges.size() - 1);
            if (last == null || slice.offset() > last.end()) {
                ranges.add(slice);
            } else {
                long end = Math.max(last.end(), slice.end());
                ranges.set(ranges.size() - 1, new ByteRange(last.offset(), end - last.offset()));
            }
        }
        return Optional.of(ranges);
    }
}
