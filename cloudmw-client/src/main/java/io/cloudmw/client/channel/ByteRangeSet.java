package io.cloudmw.client.channel;

import io.cloudmw.core.model.ByteRange;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A set of bytes of a file, kept as ranges that neither overlap nor touch. Not safe for threads. */
final class ByteRangeSet {
    private final TreeMap<Long, Long> endByStart = new TreeMap<>();
    private long bytes;

    /** Adds the bytes of a range. */
    void add(ByteRange range) {
        if (range.isEmpty()) {
            return;
        }
        long from = range.offset();
        long to = range.end();
        for (Map.Entry<Long, Long> near = endByStart.floorEntry(to);
                near != null && near.getValue() >= from;
                near = endByStart.floorEntry(to)) {
            from = Math.min(from, near.getKey());
            to = Math.max(to, near.getValue());
            endByStart.remove(near.getKey());
            bytes -= near.getValue() - near.getKey();
        }
        endByStart.put(from, to);
        bytes += to - from;
    }

    /** Removes all bytes from this position on. */
    void cut(long position) {
        for (Map.Entry<Long, Long> last = endByStart.lastEntry();
                last != null && last.getValue() > position;
                last = endByStart.lastEntry()) {
            endByStart.remove(last.getKey());
            bytes -= last.getValue() - last.getKey();
            add(new ByteRange(last.getKey(), Math.max(0, position - last.getKey())));
        }
    }

    /** Returns whether the byte at this position is in the set. */
    boolean contains(long position) {
        Map.Entry<Long, Long> before = endByStart.floorEntry(position);
        return before != null && before.getValue() > position;
    }

    /** The first position behind this one where {@link #contains} changes; {@link Long#MAX_VALUE}: nowhere. */
    long nextChange(long position) {
        Map.Entry<Long, Long> before = endByStart.floorEntry(position);
        if (before != null && before.getValue() > position) {
            return before.getValue();
        }
        Long start = endByStart.higherKey(position);
        return start == null ? Long.MAX_VALUE : start;
    }

    /** The number of bytes in the set. */
    long bytes() {
        return bytes;
    }

    boolean isEmpty() {
        return endByStart.isEmpty();
    }

    void clear() {
        endByStart.clear();
        bytes = 0;
    }

    /** The ranges, in order. */
    List<ByteRange> ranges() {
        return endByStart.entrySet().stream()
                .map(range -> new ByteRange(range.getKey(), range.getValue() - range.getKey()))
                .toList();
    }
}
