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
 * Which clients hold which chunks, as they said of late. Nothing of it outlives this process: who still holds something says
 * so again soon. Bounded by the number of peers and by what each may hold. Safe for any thread.
 */
public final class PeerRegistry {
    /** Clients that serve, at most. */
    static final int MAX_PEERS = 1024;

    private record Entry(PeerAnnouncement said, long heardNanos) {}

    private final long ttlNanos;
    private final Ticker ticker;

    /** The one heard of longest ago is the first. */
    @GuardedBy("this")
    private final LinkedHashMap<PeerId, Entry> peers = new LinkedHashMap<>();

    /** Of versions of which somebody holds chunks. */
    @GuardedBy("this")
    private final Map<VersionId, Held> held = new HashMap<>();

    private static final class Held {
        private final Set<PeerId> peers = new HashSet<>();

        /** Whether volumes in which the version was read allow peers; mostly it is one. */
        private final Map<VolumeName, Boolean> allowed = new HashMap<>();
    }

    /** @param ttl who says nothing for so long is forgotten */
    public PeerRegistry(Duration ttl, Ticker ticker) {
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
                .forEach(version -> held.computeIfAbsent(version, absent -> new Held())
                        .peers
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
     * Those who hold chunks of the version and are near: where the reader says where it is, those that share a label with it.
     *
     * @return in no particular order
     */
    synchronized List<PeerAnnouncement> near(VersionId version, Location reader) {
        expire();
        Held of = held.get(version);
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

    /** Whether the volume allows peers, as long as somebody holds this version of a file in it; empty: it was not said. */
    synchronized Optional<Boolean> allows(VersionId version, VolumeName volume) {
        Held of = held.get(version);
        return of == null ? Optional.empty() : Optional.ofNullable(of.allowed.get(volume));
    }

    /** Says it, once for all who look for that version: a volume does not change its mind. */
    synchronized void allow(VersionId version, VolumeName volume, boolean allowed) {
        Held of = held.get(version);
        if (of != null) {
            of.allowed.put(volume, allowed);
        }
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
