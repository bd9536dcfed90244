package io.cloudmw.client.channel.lock;

import io.cloudmw.core.model.FilePath;
import java.nio.channels.OverlappingFileLockException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The ranges that the channels of this JVM have locked, or wait for. As the JDK has it, two of them never overlap, shared
 * or not, whichever client they belong to. Safe for any thread.
 */
final class ProcessLocks {
    private static final Map<Key, List<LockedRange>> RANGES = new HashMap<>();

    /** A file of a cluster, known by its coordinators' addresses. */
    record Key(String coordinators, FilePath file) {}

    private ProcessLocks() {}

    /** Adds a range, unless it overlaps another. */
    static void add(Key key, LockedRange range) {
        synchronized (RANGES) {
            List<LockedRange> ranges = RANGES.computeIfAbsent(key, k -> new ArrayList<>());
            if (ranges.stream().anyMatch(range::overlaps)) {
                throw new OverlappingFileLockException();
            }
            ranges.add(range);
        }
    }

    static void remove(Key key, LockedRange range) {
        synchronized (RANGES) {
            List<LockedRange> ranges = RANGES.getOrDefault(key, new ArrayList<>());
            ranges.remove(range);
            if (ranges.isEmpty()) {
                RANGES.remove(key);
            }
        }
    }
}
