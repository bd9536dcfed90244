package io.cloudmw.core.coordinator;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.Location;
import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.placement.PeerAnnouncement;
import io.cloudmw.core.security.PeerKey;
import io.cloudmw.core.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which clients hold which chunks, as they said of late. Nothing of it outlives this process: who still holds something says
 * so again soon. Bounded by the number of peers and by what each may hold. Safe for any thread.
 */
final class PeerRegistry {
    /** Clients that serve, at most. */
    static final int MAX_PEERS = 1024;

    private record Entry(PeerAnnouncement said, long heardNanos) {}

    private final long ttlNanos;
    private final Ticker ticker;

    /** The one heard of longest ago is the first. */
    @GuardedBy("this")
    private final LinkedHashMap<PeerId, Entry> peers = new LinkedHashMap<>();

    @GuardedBy("this")
    private final Map<VersionId, Set<PeerId>> holders = new HashMap<>();

    /** @param ttl who says nothing for so long is forgotten */
    PeerRegistry(Duration ttl, Ticker ticker) {
        this.ttlNanos = ttl.toNanos();
        this.ticker = ticker;
    }

    /**
     * Takes what a peer says in the place of what it said before.
     *
     * @throws CloudMwException {@code OVERLOADED} when there are too many; {@code ALREADY_EXISTS} when another process, with
     *     another key, goes by this name
     */
    synchronized void announce(PeerAnnouncement said) throws CloudMwException {
        expire();
        Entry before = peers.get(said.peer());
        requireSame(said.peer(), said.key(), before);
        if (before == null && peers.size() >= MAX_PEERS) {
            throw new CloudMwException(
                    ErrorCode.OVERLOADED, "peers: " + peers.size() + " (expected: < " + MAX_PEERS + ")");
        }
        remove(said.peer());
        peers.put(said.peer(), new Entry(said, ticker.nanos()));
        versions(said)
                .forEach(version -> holders.computeIfAbsent(version, absent -> new HashSet<>())
                        .add(said.peer()));
    }

    /**
     * Forgets a peer that stops; nothing when it is not known.
     *
     * @throws CloudMwException {@code ALREADY_EXISTS} when it is another process that goes by this name
     */
    synchronized void leave(PeerId peer, PeerKey key) throws CloudMwException {
        requireSame(peer, key, peers.get(peer));
        remove(peer);
    }

    private static void requireSame(PeerId peer, PeerKey key, @Nullable Entry before) throws CloudMwException {
        if (before != null && !before.said().key().equals(key)) {
            throw new CloudMwException(ErrorCode.ALREADY_EXISTS, "peer " + peer + " is another process");
        }
    }

    /**
     * Those who hold the chunk and are near: where the reader says where it is, those that share a label with it.
     *
     * @return in no particular order
     */
    synchronized List<PeerAnnouncement> holders(ChunkId chunk, Location reader) {
        expire();
        List<PeerAnnouncement> found = new ArrayList<>();
        for (PeerId id : holders.getOrDefault(chunk.version(), Set.of())) {
            Entry entry = peers.get(id);
            if (entry != null
                    && entry.said().chunks().contains(chunk)
                    && (reader.equals(Location.NONE)
                            || reader.shared(entry.said().location()) > 0)) {
                found.add(entry.said());
            }
        }
        return found;
    }

    /** How many serve now. */
    synchronized int size() {
        expire();
        return peers.size();
    }

    @GuardedBy("this")
    private void expire() {
        long now = ticker.nanos();
        while (!peers.isEmpty()) {
            Entry eldest = peers.values().iterator().next();
            if (now - eldest.heardNanos() < ttlNanos) {
                return;
            }
            remove(eldest.said().peer());
        }
    }

    @GuardedBy("this")
    private void remove(PeerId peer) {
        Entry gone = peers.remove(peer);
        if (gone != null) {
            versions(gone.said())
                    .forEach(version -> holders.computeIfPresent(version, (same, ids) -> {
                        ids.remove(peer);
                        return ids.isEmpty() ? null : ids;
                    }));
        }
    }

    private static Set<VersionId> versions(PeerAnnouncement said) {
        Set<VersionId> versions = new HashSet<>();
        said.chunks().forEach(chunk -> versions.add(chunk.version()));
        return versions;
    }
}
