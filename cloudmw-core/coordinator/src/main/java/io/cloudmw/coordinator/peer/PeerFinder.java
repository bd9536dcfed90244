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
 * The search for clients that serve others. A reader shows the tokens of its plan. For each peer it gets a token of the
 * same content, signed with that peer's key. Safe for any thread.
 */
public final class PeerFinder {
    /** The most peers named for a chunk. */
    static final int MAX_PER_CHUNK = 3;

    private static final Logger log = LoggerFactory.getLogger(PeerFinder.class);

    private final PeerRegistry registry;
    private final Catalog catalog;
    private final TransferTokens tokens;
    private final WallClock clock;
    private final Duration interval;
    private final LongAdder wantedChunks = new LongAdder();
    private final LongAdder foundChunks = new LongAdder();

    public PeerFinder(
            PeerRegistry registry, Catalog catalog, TransferTokens tokens, WallClock clock, Duration interval) {
        this.registry = registry;
        this.catalog = catalog;
        this.tokens = tokens;
        this.clock = clock;
        this.interval = interval;
    }

    /**
     * Replaces what a peer holds.
     *
     * @return how soon the peer must announce itself again
     * @throws CloudMwException {@code OVERLOADED} when there are too many peers; {@code ALREADY_EXISTS} when another
     *     process has this name
     */
    public Duration announce(PeerAnnouncement said) throws CloudMwException {
        registry.announce(said);
        return interval;
    }

    /** Removes a peer that stops. */
    public void leave(PeerId peer, PeerKey key) throws CloudMwException {
        registry.leave(peer, key);
    }

    /** Returns a few near peers for each wanted chunk; chunks whose token does not allow reading get none. */
    public List<FoundPeer> find(PeerSearch search) throws CloudMwException {
        List<FoundPeer> found = new ArrayList<>();
        for (PeerSearch.WantedChunks some : search.wanted()) {
            Optional<TransferClaims> claims = read(some.token());
            if (claims.isPresent()) {
                wantedChunks.add(some.indexes().size());
                found.addAll(holders(search, some, claims.get()));
            }
        }
        return found;
    }

    /**
     * Returns the claims of a token that allows reading. A token that does not must not fail the search for the others.
     */
    private Optional<TransferClaims> read(TransferToken token) {
        try {
            TransferClaims claims = tokens.verify(token.bytes());
            return claims.rights().contains(TransferRight.READ) ? Optional.of(claims) : Optional.empty();
        } catch (CloudMwException e) {
            log.debug("peers: a token is no good", e);
            return Optional.empty();
        }
    }

    private List<FoundPeer> holders(PeerSearch search, PeerSearch.WantedChunks some, TransferClaims claims)
            throws CloudMwException {
        List<NearPeer> near = registry.near(claims.version(), search.reader()).stream()
                .filter(peer -> search.self().filter(peer.peer()::equals).isEmpty())
                .map(peer -> new NearPeer(peer, search.reader(), claims.version()))
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
        // The new token grants no more than the shown one: the same rights for the same time.
        TransferClaims same = new TransferClaims(
                Set.of(TransferRight.READ), claims.file(), claims.version(), claims.expiresAtMillis(), claims.holder());
        return near.stream()
                .filter(peer -> !peer.named.isEmpty())
                .sorted(Comparator.comparingInt(peer -> -peer.shared))
                .map(peer -> peer.found(same, clock))
                .toList();
    }

    /** Returns whether the volume allows peers; asks the catalog once, as long as some peer holds the version. */
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

    /** Returns the best few of all peers that hold the chunk. */
    private static List<Choice> nearest(List<NearPeer> near, ChunkId chunk) {
        List<Choice> best = new ArrayList<>(MAX_PER_CHUNK + 1);
        for (NearPeer peer : near) {
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

    /** A peer in one search for chunks of a version. */
    private static final class NearPeer {
        final PeerAnnouncement peer;
        final int shared;
        final long hash;

        /** The chunks that the reader may request from it. */
        final Set<ChunkId> named = new HashSet<>();

        NearPeer(PeerAnnouncement peer, Location reader, VersionId version) {
            this.peer = peer;
            shared = reader.shared(peer.location());
            hash = RendezvousHash.hash(version.value(), peer.peer().value());
        }

        FoundPeer found(TransferClaims claims, WallClock clock) {
            TransferToken token = peer.key().tokens(clock).issue(claims);
            return new FoundPeer(peer.peer(), peer.address(), token, named, shared);
        }
    }

    /** A peer for one chunk. Equally near peers are ordered by a hash of the chunk, which spreads the load. */
    private record Choice(NearPeer near, long hash) {
        private static final Comparator<Choice> NEAREST = Comparator.comparingInt(
                        (Choice choice) -> -choice.near().shared)
                .thenComparingLong(Choice::hash)
                .thenComparing(choice -> choice.near().peer.peer());
    }

    /** Returns how many clients serve others, as far as is known here. */
    public int serving() {
        return registry.size();
    }

    /** Returns how many chunks readers with rights have searched so far. */
    public long wanted() {
        return wantedChunks.sum();
    }

    /** Returns for how many of those chunks a peer was named. */
    public long found() {
        return foundChunks.sum();
    }
}
