package io.cloudmw.core.coordinator;

import io.cloudmw.core.catalog.Catalog;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.PeerId;
import io.cloudmw.core.model.Volume;
import io.cloudmw.core.placement.FoundPeer;
import io.cloudmw.core.placement.PeerAnnouncement;
import io.cloudmw.core.placement.PeerSearch;
import io.cloudmw.core.placement.Rendezvous;
import io.cloudmw.core.security.PeerKey;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferToken;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.time.WallClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

    Peers(PeerRegistry registry, Catalog catalog, TransferTokens tokens, WallClock clock, Duration interval) {
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

    /**
     * A few near peers for each chunk that is wanted, but for those whose token is not good for reading.
     */
    public List<FoundPeer> find(PeerSearch search) throws CloudMwException {
        List<FoundPeer> found = new ArrayList<>();
        for (PeerSearch.Wanted wanted : search.wanted()) {
            Optional<TransferClaims> claims = read(wanted.token());
            if (claims.isPresent()
                    && catalog.volume(claims.get().file().volume())
                            .map(Volume::peers)
                            .orElse(false)) {
                found.addAll(holders(search, wanted, claims.get()));
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

    private List<FoundPeer> holders(PeerSearch search, PeerSearch.Wanted wanted, TransferClaims claims) {
        Map<PeerId, Set<ChunkId>> held = new HashMap<>();
        Map<PeerId, PeerAnnouncement> peers = new LinkedHashMap<>();
        for (long index : wanted.indexes()) {
            ChunkId chunk = new ChunkId(claims.version(), index);
            registry.holders(chunk, search.reader()).stream()
                    .filter(peer -> search.self().filter(peer.peer()::equals).isEmpty())
                    .map(peer -> Near.of(peer, search, chunk))
                    .sorted(Near.NEAREST)
                    .limit(MAX_PER_CHUNK)
                    .forEach(near -> {
                        PeerId id = near.peer().peer();
                        peers.putIfAbsent(id, near.peer());
                        held.computeIfAbsent(id, first -> new HashSet<>()).add(chunk);
                    });
        }
        // No right of its own: as far, and for as long, as the token that was shown.
        TransferClaims same = new TransferClaims(
                Set.of(TransferRight.READ), claims.file(), claims.version(), claims.expiresAtMillis());
        List<FoundPeer> found = new ArrayList<>();
        peers.forEach((id, peer) -> found.add(new FoundPeer(
                id,
                peer.address(),
                peer.key().tokens(clock).issue(same),
                held.getOrDefault(id, Set.of()),
                search.reader().shared(peer.location()))));
        return found;
    }

    /** A peer as one chunk's readers see it; of those that are equally near, others for each chunk: the load is spread. */
    private record Near(PeerAnnouncement peer, int shared, long hash) {
        private static final Comparator<Near> NEAREST = Comparator.comparingInt((Near near) -> -near.shared)
                .thenComparingLong(Near::hash)
                .thenComparing(near -> near.peer.peer());

        static Near of(PeerAnnouncement peer, PeerSearch search, ChunkId chunk) {
            return new Near(
                    peer,
                    search.reader().shared(peer.location()),
                    Rendezvous.hash(chunk.toString(), peer.peer().value()));
        }
    }
}
