package io.cloudmw.connector;

import io.cloudmw.core.model.ByteRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Ranges of a file that are read at once, with the bytes between them. Immutable.
 *
 * @param parts by offset
 */
record RangeGroup(List<RequestedRange> parts) {
    RangeGroup {
        parts = List.copyOf(parts);
    }

    /**
     * Combines ranges that are near each other.
     *
     * @param ranges in any order
     * @throws IllegalArgumentException when two ranges overlap
     */
    static List<RangeGroup> combine(List<RequestedRange> ranges, RangeLimits limits) {
        List<RequestedRange> sorted = ranges.stream()
                .sorted(Comparator.comparingLong(each -> each.range().offset()))
                .toList();
        List<RangeGroup> groups = new ArrayList<>();
        List<RequestedRange> group = new ArrayList<>();
        for (RequestedRange next : sorted) {
            if (!group.isEmpty() && !joins(group, next.range(), limits)) {
                groups.add(new RangeGroup(group));
                group.clear();
            }
            group.add(next);
        }
        if (!group.isEmpty()) {
            groups.add(new RangeGroup(group));
        }
        return groups;
    }

    private static boolean joins(List<RequestedRange> group, ByteRange next, RangeLimits limits) {
        ByteRange last = group.get(group.size() - 1).range();
        if (next.offset() < last.end()) {
            throw new IllegalArgumentException("ranges: " + last + " and " + next + " (expected: no overlap)");
        }
        return next.offset() - last.end() <= limits.mergeBytes()
                && next.end() - group.get(0).range().offset() <= limits.largestBytes();
    }

    /** The bytes from the first part to the end of the last one. */
    ByteRange whole() {
        long offset = parts.get(0).range().offset();
        return new ByteRange(offset, parts.get(parts.size() - 1).range().end() - offset);
    }

    /** The bytes between the parts. */
    long gapBytes() {
        return whole().length()
                - parts.stream().mapToLong(RequestedRange::length).sum();
    }
}
