package io.cloudmw.helper.serve;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.SwitchMetrics;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.VolumeSet;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.wire.BulkRequest;
import io.cloudmw.core.wire.IssuedBlock;
import io.cloudmw.helper.fetch.Fetcher;
import io.cloudmw.helper.fetch.Fetching;
import io.cloudmw.helper.fetch.Requester;
import io.cloudmw.helper.fetch.WantedBlock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives blocks to the switches below this one, and parts of them to readers. Safe for any thread; never blocks. */
public final class SharedReads {
    /** Says how one who was shown to have a right gets what is not here. */
    @FunctionalInterface
    public interface Requesters {
        Requester of(BulkRequest.Shared request, TransferClaims claims, Tenant tenant);
    }

    /**
     * What others may ask of this one.
     *
     * @param children switches below it at once, for one block; each may ask for several parts of it
     * @param reads blocks, or parts of them, in all at once; one connection has half of them at most
     */
    public record Limits(int children, int reads) {}

    private static final Logger LOG = LoggerFactory.getLogger(SharedReads.class);

    private record Given(ChunkId chunk, long block) {}

    /** Some of a block for a switch, which is known by its connection. */
    private record Key(Given block, String child) {}

    private final VolumeSet switched;
    private final TransferTokens tokens;
    private final Fetching shared;
    private final Requesters requesters;
    private final Fetcher fetcher;
    private final SwitchMetrics meters;
    private final Limits limits;

    /** To which switches each is being given, and in how many parts. */
    @GuardedBy("this")
    private final Map<Given, Map<String, Integer>> given = new HashMap<>();

    private final Places places;

    /**
     * Gives nothing yet.
     *
     * @param switched the volumes this helper is a switch for
     * @param fetcher looks at replicas that were sent and did not arrive as they should
     */
    public SharedReads(
            VolumeSet switched,
            TransferTokens tokens,
            Fetching shared,
            Requesters requesters,
            Fetcher fetcher,
            SwitchMetrics meters,
            Limits limits) {
        this.switched = switched;
        this.tokens = tokens;
        this.shared = shared;
        this.requesters = requesters;
        this.fetcher = fetcher;
        this.meters = meters;
        this.limits = limits;
        this.places = new Places("blocks", limits.reads());
    }

    BulkStreamListener open(BulkStream stream, BulkRequest.Shared request) throws CloudMwException {
        try {
            return start(stream, request);
        } catch (CloudMwException e) {
            if (e.code() != ErrorCode.NOT_FOUND) {
                meters.refused();
            }
            throw e;
        }
    }

    private BulkStreamListener start(BulkStream stream, BulkRequest.Shared request) throws CloudMwException {
        TransferClaims claims = tokens.verify(request.token().bytes());
        WantedBlock block = wanted(request.block(), claims.expiresAtMillis());
        claims.require(TransferRight.READ, block.leaves().chunk());
        if (!switched.contains(claims.file().volume())) {
            throw new CloudMwException(
                    ErrorCode.HELPER_UNAVAILABLE,
                    block + ": this helper is no switch for volume "
                            + claims.file().volume());
        }
        // Who reads slowly holds what he asked for until he has it: others who must ask this way are to have room, too.
        if (request.kept() && (places.isHalfTaken() || !shared.keeps(block))) {
            throw new CloudMwException(
                    ErrorCode.NOT_FOUND, block + ": not all of it is kept here, or many others are given already");
        }
        String session = stream.connection().sessionId();
        Optional<Key> key = request.reader()
                ? Optional.empty()
                : Optional.of(new Key(
                        new Given(
                                block.leaves().chunk(),
                                block.leaves().range().offset() / ModePolicy.SWITCHED_BLOCK_BYTES),
                        session));
        take(session, block, key);
        if (request.reader() && !request.kept()) {
            stream.connection().expect();
        }
        boolean started = false;
        try {
            Requester requester = requesters.of(request, claims, tenant(stream, request, claims));
            SharedRead read = new SharedRead(
                    stream,
                    request.kept(),
                    new SharedRead.Events(
                            () -> giveBack(session, key),
                            key.isPresent() ? meters::sent : toReader -> {},
                            () -> doubt(requester, block, request.replica())));
            read.started(shared.start(requester, block, request.replica(), read));
            started = true;
            return read;
        } finally {
            if (!started) {
                giveBack(session, key);
            }
        }
    }

    /** A reader; or a switch, on behalf of some of its own clients. */
    private static Tenant tenant(BulkStream stream, BulkRequest.Shared request, TransferClaims claims) {
        Tenant asking = new Tenant(
                stream.connection().sessionId(),
                claims.file().volume().value(),
                request.urgency().priority());
        return request.reader() ? asking : asking.ofShare(request.share());
    }

    /** What is kept of it is kept no longer, and a replica that is sent from where it lies is looked at. */
    private void doubt(Requester requester, WantedBlock block, StoreId store) {
        LOG.warn("{} store={} arrived damaged", block, store);
        shared.doubt(block);
        try {
            fetcher.check(requester, block, store, wrong -> {});
        } catch (CloudMwException e) {
            LOG.warn("{} store={} was doubted and not looked at", block, store, e);
        }
    }

    private static WantedBlock wanted(IssuedBlock issued, long untilMillis) throws CloudMwException {
        if (issued.block().range().length() > ModePolicy.SWITCHED_BLOCK_BYTES) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "range: " + issued.block().range() + " (expected: <= " + ModePolicy.SWITCHED_BLOCK_BYTES
                            + " bytes)");
        }
        return WantedBlock.of(issued, untilMillis);
    }

    /** @param child empty: a reader asks, who is none of the switches below */
    private synchronized void take(String session, WantedBlock block, Optional<Key> child) throws CloudMwException {
        if (child.isPresent()) {
            requireRoom(child.get());
        }
        places.take(session, block.toString());
        child.ifPresent(this::take);
    }

    @GuardedBy("this")
    private void requireRoom(Key key) throws CloudMwException {
        Map<String, Integer> children = given.getOrDefault(key.block(), Map.of());
        if (!children.containsKey(key.child()) && children.size() >= limits.children()) {
            throw CloudMwException.full("chunk=" + key.block().chunk() + ": given to " + children.size()
                    + " switches (expected: < " + limits.children() + ")");
        }
    }

    @GuardedBy("this")
    private void take(Key key) {
        given.computeIfAbsent(key.block(), block -> new HashMap<>()).merge(key.child(), 1, Integer::sum);
    }

    /** Switches below this one that blocks are being given to now. */
    public synchronized int children() {
        return (int) given.values().stream()
                .flatMap(children -> children.keySet().stream())
                .distinct()
                .count();
    }

    private synchronized void giveBack(String session, Optional<Key> child) {
        child.ifPresent(this::giveBack);
        places.giveBack(session);
    }

    @GuardedBy("this")
    private void giveBack(Key key) {
        given.computeIfPresent(key.block(), (block, children) -> {
            children.computeIfPresent(key.child(), (name, parts) -> parts == 1 ? null : parts - 1);
            return children.isEmpty() ? null : children;
        });
    }
}
