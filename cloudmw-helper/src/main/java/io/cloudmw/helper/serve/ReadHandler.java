package io.cloudmw.helper.serve;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.volume.Chunking;
import io.cloudmw.core.schedule.FairPool;
import io.cloudmw.core.schedule.LocalDeadline;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.helper.disk.OwnDisks;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;

/** The handler of requests for ranges of chunks on this helper's disks. Safe for any thread. */
public final class ReadHandler {
    /**
     * The resources of served reads.
     *
     * @param silence time for which a reader may take nothing
     * @param ticker the ticker of the pool
     */
    public record Resources(
            ByteBufAllocator allocator, Duration silence, Ticker ticker, ScheduledExecutorService timer) {}

    private final OwnDisks disks;
    private final AuthorizedStreams authorized;
    private final FairPool pool;
    private final Resources resources;
    private final ServeSlots slots;

    /**
     * Creates a handler without reads.
     *
     * @param pool accepts at least {@code 2 * limit} queued tasks
     * @param limit concurrent reads; one client gets half of them at most
     */
    public ReadHandler(OwnDisks disks, AuthorizedStreams authorized, FairPool pool, Resources resources, int limit) {
        this.disks = disks;
        this.authorized = authorized;
        this.pool = pool;
        this.resources = resources;
        this.slots = new ServeSlots("reads", limit);
    }

    /** Starts a response on a stream that was opened to request a range. */
    public BulkStreamListener open(BulkStream stream, BulkRequest.Read request) throws CloudMwException {
        AuthorizedStreams.AuthorizedStream authorization = authorized.authorize(request.token(), stream);
        TransferClaims claims = authorization.claims();
        claims.require(TransferRight.READ, request.chunk());
        ChunkStore disk = disks.find(request.store())
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.STORE_UNAVAILABLE,
                        "store=" + request.store() + ": this disk is not attached to this helper"));
        if (request.range().length() > Chunking.MAX_CHUNK_BYTES) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "range: " + request.range() + " (expected: <= " + Chunking.MAX_CHUNK_BYTES + " bytes)");
        }
        Tenant tenant = Tenant.of(
                claims, stream.connection().sessionId(), request.urgency().priority());
        slots.take(tenant.client(), "chunk=" + request.chunk());
        LocalDeadline due = new LocalDeadline(request.urgency(), resources.ticker());
        ReadTurns turns = new ReadTurns(pool, tenant, due.deadlineNanos());
        ServedRead read = new ServedRead(disk, request, stream, resources, turns, () -> {
            slots.giveBack(tenant.client());
            authorization.end();
        });
        read.start();
        authorization.watch(read);
        return read;
    }
}
