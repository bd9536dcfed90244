package io.cloudmw.coordinator.peer;

import io.cloudmw.coordinator.catalog.Catalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.model.volume.Volume;
import io.cloudmw.core.placement.FoundPeer;
import io.cloudmw.core.placement.PeerAnnouncement;
import io.cloudmw.core.placement.PeerSearch;
import io.cloudmw.core.placement.RendezvousHash;
import io.cloudmw.core.security.PeerKey;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.time.WallClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Clients that serve what they hold, and those who look for them. A reader shows the tokens its plan gave it; for each peer it
 * is told of it gets one that says the same, signed with that peer's key. Safe for any thread.
 */
public final class Peers {
    /** So many peers are named for a chunk, at most. */
    static final int MAX_PER_CHUNK = 3;

    private static final Logger log = LoggerFactory.getLogger(Peers.class);

    private final PeerRegistry registry;
    private final Catalog catalog;
    private final TransferTokens tokens;
    private final WallClock clock;
    private final Duration interval;
    private final LongAdder wantedChunks = new LongAdder();
    private final LongAdder foundChunks = new LongAdder();

    public Peers(PeerRegistry registry, Catalog catalog, TransferTokens tokens, WallClock clock, Duration interval) {
        this.registry = registry;
        this.catalog = catalog;
        this.tokens = tokens;
        this.clock = clock;
        this.interval = interval;
    }

    /**
     * Takes what a peer holds in the place of what it held before.
     *
     * @return how soon it should be said again
     * @throws CloudMwException {@code OVERLOADED} when there are too many peers; {@code ALREADY_EXISTS} when another process
     *     goes by this name
     */
    public Duration announce(PeerAnnouncement said) throws CloudMwException {
        registry.announce(said);
        return interval;
    }

    /** A peer stops. */
    public void leave(PeerId peer, PeerKey key) throws CloudMwException {
        registry.leave(peer, key);
    }

    /** A few near peers for each chunk that is wanted, but for those whose token is not good for reading. */
    public List<FoundPeer> find(PeerSearch search) throws CloudMwException {
        List<FoundPeer> found = new ArrayList<>();
        for (PeerSearch.Wanted some : search.wanted()) {
            Optional<TransferClaims> claims = read(some.token());
            if (claims.isPresent()) {
                wantedChunks.add(some.indexes().size());
                found.addAll(holders(search, some, claims.get()));
            }
        }
        return found;
    }

    /** What a token says that is good for reading: one that is not must not spoil the search for what others are for. */
    private Optional<TransferClaims> read(TransferToken token) {
        try {
            TransferClaims claims = tokens.verify(token.bytes());
            return claims.rights().contains(TransferRight.READ) ? Optional.of(claims) : Optional.empty();
        } catch (CloudMwException e) {
            log.debug("peers: a token is no good", e);
            return Optional.empty();
        }
    }

    private List<FoundPeer> holders(PeerSearch search, PeerSearch.Wanted some, TransferClaims claims)
            throws CloudMwException {
        List<Near> near = registry.near(claims.version(), search.reader()).stream()
                .filter(peer -> search.self().filter(peer.peer()::equals).isEmpty())
                .map(peer -> new Near(peer, search.reader(), claims.version()))
                .toList();
        if (near.isEmpty() || !isAllowed(claims)) {
            return List.of();
        }
        for (long index : some.indexes()) {
            ChunkId chunk = new ChunkId(claims.version(), index);
            List<Choice> nearest = nearest(near, chunk);
            foundChunks.add(nearest.isEmpty() ? 0 : 1);
            nearest.forEach(choice -> choice.near().named.add(chunk));
        }
        // No right of its own: as far, and for as long, as the token that was shown.
        TransferClaims same = new TransferClaims(
                Set.of(TransferRight.READ), claims.file(), claims.version(), claims.expiresAtMillis());
        return near.stream()
                .filter(peer -> !peer.named.isEmpty())
                .sorted(Comparator.comparingInt(peer -> -peer.shared))
                .map(peer -> peer.found(same, clock))
                .toList();
    }

    /** The catalog is asked once, as long as somebody holds the version. */
    private boolean isAllowed(TransferClaims claims) throws CloudMwException {
        VolumeName volume = claims.file().volume();
        Optional<Boolean> known = registry.allows(claims.version(), volume);
        if (known.isPresent()) {
            return known.get();
        }
        Optional<Boolean> allowed = catalog.volume(volume).map(Volume::peers);
        allowed.ifPresent(says -> registry.allow(claims.version(), volume, says));
        return allowed.orElse(false);
    }

    /** The best few of those that hold the chunk, however many they are. */
    private static List<Choice> nearest(List<Near> near, ChunkId chunk) {
        List<Choice> best = new ArrayList<>(MAX_PER_CHUNK + 1);
        for (Near peer : near) {
            if (peer.peer.chunks().contains(chunk)) {
                Choice choice = new Choice(peer, RendezvousHash.hash(peer.hash, chunk.index()));
                int at = best.size();
                while (at > 0 && Choice.NEAREST.compare(choice, best.get(at - 1)) < 0) {
                    at--;
                }
                best.add(at, choice);
                if (best.size() > MAX_PER_CHUNK) {
                    best.remove(MAX_PER_CHUNK);
                }
            }
        }
        return best;
    }

    /** A peer as one search for chunks of a version sees it. */
    private static final class Near {
        final PeerAnnouncement peer;
        final int shared;
        final long hash;

        /** Chunks that it is to be asked for. */
        final Set<ChunkId> named = new HashSet<>();

        Near(PeerAnnouncement peer, Location reader, VersionId version) {
            this.peer = peer;
            shared = reader.shared(peer.location());
            hash = RendezvousHash.hash(version.value(), peer.peer().value());
        }

        FoundPeer found(TransferClaims claims, WallClock clock) {
            TransferToken token = peer.key().tokens(clock).issue(claims);
            return new FoundPeer(peer.peer(), peer.address(), token, named, shared);
        }
    }

    /** The same for one chunk; of those that are equally near, others for each chunk: the load is spread. */
    private record Choice(Near near, long hash) {
        private static final Comparator<Choice> NEAREST = Comparator.comparingInt(
                        (Choice choice) -> -choice.near().shared)
                .thenComparingLong(Choice::hash)
                .thenComparing(choice -> choice.near().peer.peer());
    }

    /** Clients that serve, as far as is known here. */
    public int serving() {
        return registry.size();
    }

    /** Chunks that readers who may read them have looked for here so far. */
    public long wanted() {
        return wantedChunks.sum();
    }

    /** Those of them for which a peer was named. */
    public long found() {
        return foundChunks.sum();
    }
}
