package io.cloudmw.helper.serve;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Chunking;
import io.cloudmw.core.schedule.FairPool;
import io.cloudmw.core.schedule.Tenant;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.wire.BulkRequest;
import io.cloudmw.helper.disk.OwnDisks;
import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.Semaphore;

/** Serves ranges of the chunks on this helper's disks. Safe for any thread. */
public final class Reads {
    private final OwnDisks disks;
    private final TransferTokens tokens;
    private final FairPool pool;
    private final ByteBufAllocator allocator;
    private final int limit;
    private final Semaphore room;

    /**
     * Serves nothing yet.
     *
     * @param pool refuses nothing while no more than {@code 2 * limit} tasks wait in it
     * @param limit reads at once
     */
    public Reads(OwnDisks disks, TransferTokens tokens, FairPool pool, ByteBufAllocator allocator, int limit) {
        this.disks = disks;
        this.tokens = tokens;
        this.pool = pool;
        this.allocator = allocator;
        this.limit = limit;
        this.room = new Semaphore(limit);
    }

    BulkStreamListener open(BulkStream stream, BulkRequest.Read request) throws CloudMwException {
        TransferClaims claims = tokens.verify(request.token().bytes());
        claims.require(TransferRight.READ, request.chunk());
        ChunkStore disk = disks.find(request.store())
                .orElseThrow(() -> new CloudMwException(
                        ErrorCode.STORE_UNAVAILABLE, "store=" + request.store() + ": not attached here"));
        if (request.range().length() > Chunking.MAX_CHUNK_BYTES) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "range: " + request.range() + " is too long");
        }
        if (!room.tryAcquire()) {
            throw CloudMwException.full("chunk=" + request.chunk() + ": " + limit + " reads at once already");
        }
        Tenant tenant = new Tenant(
                stream.connection().sessionId(), claims.file().volume().value(), request.priority());
        ServedRead read = new ServedRead(disk, request, stream, allocator, new ReadTurns(pool, tenant), room::release);
        read.start();
        return read;
    }
}
