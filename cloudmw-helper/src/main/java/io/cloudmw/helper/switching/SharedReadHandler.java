package io.cloudmw.helper.switching;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.metrics.SwitchMetrics;
import io.cloudmw.core.mode.ModePolicy;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.volume.VolumeSet;
import io.cloudmw.core.race.IssuedBlock;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.helper.block.WantedBlock;
import io.cloudmw.helper.fetch.BlockFetcher;
import io.cloudmw.helper.fetch.Requester;
import io.cloudmw.helper.fetch.StoreFetcher;
import io.cloudmw.helper.serve.AuthorizedStreams;
import io.cloudmw.helper.serve.ServeSlots;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests for blocks that switches below this one, and readers, send over the bulk plane. A reader also requests
 * blocks of volumes that this helper is no switch for: these are fetched for that reader alone. Safe for any thread;
 * never blocks.
 */
public final class SharedReadHandler {
    /** Makes the requester on whose behalf missing leaves are fetched, once its right was shown. */
    @FunctionalInterface
    public interface Requesters {
        Requester of(BulkRequest.Shared request, TransferClaims claims, Tenant tenant);
    }

    /**
     * The limits of what is served at once.
     *
     * @param children switches below that may get the same block; each may request several parts of it
     * @param reads responses in all; one client gets half of them at most
     */
    public record Limits(int children, int reads) {}

    /**
     * The fetchers of requested blocks.
     *
     * @param shared for the volumes that this helper is a switch for: once for all readers, through the cache
     * @param alone for other volumes: each block for its reader alone
     * @param stores checks replicas that were sent from this helper's disks and arrived damaged
     */
    public record Fetchers(BlockFetcher shared, BlockFetcher alone, StoreFetcher stores) {}

    private static final Logger LOG = LoggerFactory.getLogger(SharedReadHandler.class);

    private record BlockKey(ChunkId chunk, long block) {}

    /** A block and a switch that gets some of it, known by its connection. */
    private record ChildKey(BlockKey block, String child) {}

    private final VolumeSet switched;
    private final AuthorizedStreams authorized;
    private final Fetchers fetchers;
    private final Requesters requesters;
    private final SwitchMetrics meters;
    private final Limits limits;

    /** The switches that are getting each block, and the number of parts that each gets. */
    @GuardedBy("this")
    private final Map<BlockKey, Map<String, Integer>> serving = new HashMap<>();

    private final ServeSlots slots;

    /**
     * Serves nothing yet.
     *
     * @param switched the volumes this helper is a switch for
     */
    public SharedReadHandler(
            VolumeSet switched,
            AuthorizedStreams authorized,
            Fetchers fetchers,
            Requesters requesters,
            SwitchMetrics meters,
            Limits limits) {
        this.switched = switched;
        this.authorized = authorized;
        this.fetchers = fetchers;
        this.requesters = requesters;
        this.meters = meters;
        this.limits = limits;
        this.slots = new ServeSlots("blocks", limits.reads());
    }

    /**
     * Starts a response on a stream that was opened to request a block.
     *
     * @throws CloudMwException when the block is not served: {@code NOT_FOUND} when only cached bytes were requested
     *     and some are missing
     */
    public BulkStreamListener open(BulkStream stream, BulkRequest.Shared request) throws CloudMwException {
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
        AuthorizedStreams.AuthorizedStream authorization = authorized.authorize(request.token(), stream);
        TransferClaims claims = authorization.claims();
        WantedBlock block = wanted(request.block(), claims.expiresAtMillis());
        claims.require(TransferRight.READ, block.leaves().chunk());
        boolean isSwitched = switched.contains(claims.file().volume());
        if (!isSwitched && (request.kept() || !request.reader())) {
            throw new CloudMwException(
                    ErrorCode.HELPER_UNAVAILABLE,
                    block + ": this helper is no switch for volume "
                            + claims.file().volume());
        }
        BlockFetcher fetcher = isSwitched ? fetchers.shared() : fetchers.alone();
        // A slow reader holds its block until it has all of it; half of the slots stay free for requests that may
        // fetch.
        if (request.kept() && (slots.isHalfTaken() || !fetcher.keeps(block))) {
            throw new CloudMwException(
                    ErrorCode.NOT_FOUND, block + ": not cached as a whole, or half of the slots are taken");
        }
        Tenant tenant = tenant(stream, request, claims);
        String client = claims.client(stream.connection().sessionId());
        Optional<ChildKey> key = request.reader()
                ? Optional.empty()
                : Optional.of(new ChildKey(
                        new BlockKey(
                                block.leaves().chunk(),
                                block.leaves().range().offset() / ModePolicy.SWITCHED_BLOCK_BYTES),
                        stream.connection().sessionId()));
        take(client, block, key);
        if (request.reader() && !request.kept()) {
            stream.connection().expect();
        }
        boolean started = false;
        try {
            Requester requester = requesters.of(request, claims, tenant);
            SharedRead read = new SharedRead(
                    stream,
                    request.kept(),
                    new SharedRead.Events(
                            () -> {
                                giveBack(client, key);
                                authorization.end();
                            },
                            key.isPresent() ? meters::sent : toReader -> {},
                            () -> doubt(fetcher, requester, block, request.replica())));
            read.started(fetcher.start(requester, block, request.replica(), read));
            started = true;
            authorization.watch(read);
            return read;
        } finally {
            if (!started) {
                giveBack(client, key);
            }
        }
    }

    /** The client that counts: the token's holder; in plain text a reader, or a share of a switch's clients. */
    private static Tenant tenant(BulkStream stream, BulkRequest.Shared request, TransferClaims claims) {
        Tenant asking = Tenant.of(
                claims, stream.connection().sessionId(), request.urgency().priority());
        return request.reader() ? asking : asking.ofShare(request.share());
    }

    /** Drops a damaged block from the cache, and has a replica on this helper's disk checked. */
    private void doubt(BlockFetcher fetcher, Requester requester, WantedBlock block, StoreId store) {
        LOG.warn("{} store={} arrived damaged", block, store);
        fetcher.doubt(block);
        try {
            fetchers.stores().check(requester, block, store, wrong -> {});
        } catch (CloudMwException e) {
            LOG.warn("{} store={} was doubted and not checked", block, store, e);
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

    /** @param child empty when a reader asks, which is none of the switches below */
    private synchronized void take(String client, WantedBlock block, Optional<ChildKey> child) throws CloudMwException {
        if (child.isPresent()) {
            requireRoom(child.get());
        }
        slots.take(client, block.toString());
        child.ifPresent(this::take);
    }

    @GuardedBy("this")
    private void requireRoom(ChildKey key) throws CloudMwException {
        Map<String, Integer> children = serving.getOrDefault(key.block(), Map.of());
        if (!children.containsKey(key.child()) && children.size() >= limits.children()) {
            throw CloudMwException.full("chunk=" + key.block().chunk() + ": given to " + children.size()
                    + " switches (expected: < " + limits.children() + ")");
        }
    }

    @GuardedBy("this")
    private void take(ChildKey key) {
        serving.computeIfAbsent(key.block(), block -> new HashMap<>()).merge(key.child(), 1, Integer::sum);
    }

    /** Switches below this one that are getting blocks now. */
    public synchronized int children() {
        return (int) serving.values().stream()
                .flatMap(children -> children.keySet().stream())
                .distinct()
                .count();
    }

    private synchronized void giveBack(String client, Optional<ChildKey> child) {
        child.ifPresent(this::giveBack);
        slots.giveBack(client);
    }

    @GuardedBy("this")
    private void giveBack(ChildKey key) {
        serving.computeIfPresent(key.block(), (block, children) -> {
            children.computeIfPresent(key.child(), (name, parts) -> parts == 1 ? null : parts - 1);
            return children.isEmpty() ? null : children;
        });
    }
}
