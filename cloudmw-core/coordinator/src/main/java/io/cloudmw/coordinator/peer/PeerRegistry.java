package io.cloudmw.coordinator.peer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.fleet.Location;
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
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The registry of which clients hold which chunks, by their recent announcements. Nothing survives a restart, since
 * peers repeat their announcements. Bounded by the number of peers and of their chunks. Safe for any thread.
 */
public final class PeerRegistry {
    /** The most serving clients. */
    static final int MAX_PEERS = 1024;

    private record Entry(PeerAnnouncement said, long heardNanos) {}

    private final long ttlNanos;
    private final Ticker ticker;

    /** The peers, ordered by their last announcement, oldest first. */
    @GuardedBy("this")
    private final LinkedHashMap<PeerId, Entry> peers = new LinkedHashMap<>();

    /** The holders, by version. */
    @GuardedBy("this")
    private final Map<VersionId, Holders> held = new HashMap<>();

    private static final class Holders {
        private final Set<PeerId> peers = new HashSet<>();

        /** The volumes in which the version was read, and if they allow peers; mostly there is one. */
        private final Map<VolumeName, Boolean> allowed = new HashMap<>();
    }

    /** @param ttl the silence after which a peer is dropped */
    public PeerRegistry(Duration ttl, Ticker ticker) {
        this.ttlNanos = ttl.toNanos();
        this.ticker = ticker;
    }

    /**
     * Replaces what a peer announced before.
     *
     * @throws CloudMwException {@code OVERLOADED} when there are too many; {@code ALREADY_EXISTS} when another process,
     *     with another key, has this name
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
                .forEach(version -> held.computeIfAbsent(version, absent -> new Holders())
                        .peers
                        .add(said.peer()));
    }

    /**
     * Removes a peer that stops; does nothing when it is not known.
     *
     * @throws CloudMwException {@code ALREADY_EXISTS} when another process has this name
     */
    synchronized void leave(PeerId peer, PeerKey key) throws CloudMwException {
        requireSame(peer, key, peers.get(peer));
        remove(peer);
    }

    private static void requireSame(PeerId peer, PeerKey key, @Nullable Entry before) throws CloudMwException {
        if (before != null && !before.said().key().equals(key)) {
            throw new CloudMwException(ErrorCode.ALREADY_EXISTS, "peer " + peer + ": another process has this name");
        }
    }

    /**
     * Returns the holders of chunks of the version that are near: with a reader's location, those that share a label
     * with it.
     *
     * @return in no particular order
     */
    synchronized List<PeerAnnouncement> near(VersionId version, Location reader) {
        expire();
        Holders of = held.get(version);
        if (of == null) {
            return List.of();
        }
        List<PeerAnnouncement> near = new ArrayList<>();
        for (PeerId id : of.peers) {
            Entry entry = peers.get(id);
            if (entry != null
                    && (reader.equals(Location.NONE)
                            || reader.shared(entry.said().location()) > 0)) {
                near.add(entry.said());
            }
        }
        return near;
    }

    /** Returns whether the volume allows peers, as long as some peer holds this version; empty: not recorded. */
    synchronized Optional<Boolean> allows(VersionId version, VolumeName volume) {
        Holders of = held.get(version);
        return of == null ? Optional.empty() : Optional.ofNullable(of.allowed.get(volume));
    }

    /** Records whether a volume allows peers, for all searches of that version; a volume's setting never changes. */
    synchronized void allow(VersionId version, VolumeName volume, boolean allowed) {
        Holders of = held.get(version);
        if (of != null) {
            of.allowed.put(volume, allowed);
        }
    }

    /** Returns how many clients serve now. */
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
                    .forEach(version -> held.computeIfPresent(version, (same, of) -> {
                        of.peers.remove(peer);
                        return of.peers.isEmpty() ? null : of;
                    }));
        }
    }

    private static Set<VersionId> versions(PeerAnnouncement said) {
        Set<VersionId> versions = new HashSet<>();
        said.chunks().forEach(chunk -> versions.add(chunk.version()));
        return versions;
    }
}
