package io.cloudmw.coordinator.upkeep.walk;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.coordinator.catalog.version.ReplicaOverlay;
import io.cloudmw.coordinator.catalog.version.SegmentBatch;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.manifest.ManifestSegment;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.Chunk;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.time.Ticker;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A walk over every stored chunk of every current version, ordered by version id, a segment at a time. The chunk of a
 * pack is included once, with the pack; a stretch of a small file with bytes in a pack is empty. Versions that come or go
 * meanwhile may be included or not.
 */
public final class ManifestWalk implements ChunkWalk {
    private static final int PAGE = 100;

    /** The most leaves, of 36 bytes each, of segments that are read ahead. */
    private static final long MOST_AHEAD = 16_384;

    /** The time for which a volume's description is used. */
    private static final long VOLUME_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Catalog catalog;
    private final Ticker ticker = Ticker.system();
    private final Deque<FileVersion> page = new ArrayDeque<>();

    /** Segments of the next versions, for which the catalog was asked together. */
    private final Map<VersionId, byte[]> ahead = new HashMap<>();

    private final Map<VolumeName, Optional<Volume>> volumes = new HashMap<>();
    private long volumesSinceNanos = ticker.nanos();
    private final String resumed;
    private final int resumedSegment;
    private final long resumedChunk;
    private final String until;
    private long skipped;
    private String token;
    private String passed;
    private boolean last;
    private int segment;
    private String start = "";

    public ManifestWalk(Catalog catalog) {
        this(catalog, "");
    }

    /**
     * Continues another walk.
     *
     * @param from its {@link #position} or {@link #positionAt}; empty: from the start
     */
    public ManifestWalk(Catalog catalog, String from) {
        this(catalog, from, "");
    }

    /** @param until the last version; empty: to the end */
    private ManifestWalk(Catalog catalog, String from, String until) {
        this.catalog = catalog;
        this.until = until;
        String[] parts = (from.isEmpty() ? "//0" : from).split("/", -1);
        this.token = parts[0];
        this.passed = parts[0];
        this.resumed = parts[1];
        this.resumedSegment = Integer.parseInt(parts[2]);
        this.resumedChunk = parts.length > 3 ? Long.parseLong(parts[3]) : 0;
    }

    /** Returns a walk from the start to the position of another one, including all of the version there. */
    public static ManifestWalk upTo(Catalog catalog, String position) {
        return new ManifestWalk(catalog, "", versionAt(position));
    }

    /** Returns the version at or before a position; empty: the start. */
    public static String versionAt(String position) {
        String[] parts = (position + "//").split("/", -1);
        return parts[1].isEmpty() ? parts[0] : parts[1];
    }

    /**
     * Returns the position: the last completed version, the one after it, and how many of that one's segments are done.
     */
    public String position() {
        FileVersion version = page.peek();
        return passed + "/" + (version == null ? "" : version.id().value()) + "/" + segment;
    }

    /** Returns the position before the last stretch, of which the chunks from this one on are not done. */
    public String positionAt(long chunk) {
        return start + "/" + chunk;
    }

    @Override
    public Optional<Stretch> next() throws CloudMwException {
        while (true) {
            FileVersion version = page.peek();
            if (version == null) {
                if (last) {
                    return Optional.empty();
                }
                turn();
            } else if (!until.isEmpty() && version.id().value().compareTo(until) > 0) {
                return Optional.empty();
            } else if (segment >= version.segmentCount()) {
                passed = page.remove().id().value();
                segment = 0;
            } else {
                Optional<Stretch> found = stretch(version, segment);
                start = position();
                segment++;
                skipped = 0;
                if (found.isPresent()) {
                    return found;
                }
            }
        }
    }

    private void turn() throws CloudMwException {
        Page<FileVersion> next = catalog.live(token, PAGE);
        page.addAll(next.items());
        token = next.nextToken();
        last = token.isEmpty();
        FileVersion first = page.peek();
        if (first != null && first.id().value().equals(resumed)) {
            segment = resumedSegment;
            skipped = resumedChunk;
        }
    }

    /** Returns a segment's stretch; empty when the version or its volume is gone. */
    private Optional<Stretch> stretch(FileVersion version, int index) throws CloudMwException {
        Optional<Volume> volume = volume(version.file().volume());
        Optional<byte[]> bytes = segment(version, index);
        if (volume.isEmpty() || bytes.isEmpty()) {
            return Optional.empty();
        }
        List<Chunk> chunks = ManifestSegment.decode(index, bytes.get()).wholeChunks().stream()
                .filter(chunk -> chunk.index() >= skipped)
                .toList();
        return Optional.of(new Stretch(version.file(), volume.get(), ReplicaOverlay.of(catalog, chunks)));
    }

    /** Returns a volume as it is now, or was a moment ago. */
    private Optional<Volume> volume(VolumeName name) throws CloudMwException {
        long now = ticker.nanos();
        if (now - volumesSinceNanos >= VOLUME_NANOS) {
            volumes.clear();
            volumesSinceNanos = now;
        }
        Optional<Volume> known = volumes.get(name);
        if (known == null) {
            known = catalog.volume(name);
            volumes.put(name, known);
        }
        return known;
    }

    private Optional<byte[]> segment(FileVersion version, int index) throws CloudMwException {
        if (version.segmentCount() > 1) {
            return catalog.segment(version.id(), index);
        }
        if (!ahead.containsKey(version.id())) {
            ahead.clear();
            List<FileVersion> next =
                    page.stream().filter(one -> one.segmentCount() == 1).toList();
            ahead.putAll(catalog.firstSegments(SegmentBatch.first(next, MOST_AHEAD)));
        }
        return Optional.ofNullable(ahead.remove(version.id()));
    }
}
