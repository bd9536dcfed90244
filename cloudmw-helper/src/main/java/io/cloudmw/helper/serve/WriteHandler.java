package io.cloudmw.helper.serve;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.time.Ticker;
import io.cloudmw.core.wire.BulkRequest;
import io.cloudmw.core.wire.WriteTrouble;
import io.cloudmw.helper.block.Spool;
import io.cloudmw.helper.fetch.StoreResolver;
import io.cloudmw.helper.remote.StoreDirectory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;

/** Takes chunks and writes their replicas. Safe for any thread. */
public final class WriteHandler {
    /**
     * What writes need of the process around them.
     *
     * @param uploads for chunks that clients send
     * @param copies for chunks that go to disks of this helper alone, or to buckets that it writes for a peer, as peers'
     *     copies do. They share nothing with uploads: an upload here waits for copies at peers, and theirs for copies here, so copies must never wait for
     *     uploads
     * @param late for copies of both that are written after their chunk was acknowledged
     * @param silence how long a writer may send nothing of what it was granted
     * @param retryDelays how long to wait before each further try at a store that failed
     */
    public record Surroundings(
            TransferTokens tokens,
            StoreDirectory stores,
            ReplicaLedger ledger,
            Means uploads,
            Means copies,
            LateCopyBudget late,
            Duration silence,
            Ticker ticker,
            ScheduledExecutorService timer,
            List<Duration> retryDelays) {
        public Surroundings {
            retryDelays = List.copyOf(retryDelays);
        }
    }

    /**
     * What one kind of chunks may use.
     *
     * @param spool keeps them until they are stored
     * @param receiving may block; takes at least {@code limit} tasks
     * @param storing runs their puts
     * @param limit chunks at once
     */
    public record Means(Spool spool, Executor receiving, StoreLanes storing, int limit) {}

    private final Surroundings around;
    private final Semaphore uploadsRoom;
    private final Semaphore copiesRoom;
    private final Map<ChunkId, ChunkReplication> underWay = new ConcurrentHashMap<>();

    public WriteHandler(Surroundings around) {
        this.around = around;
        this.uploadsRoom = new Semaphore(around.uploads().limit());
        this.copiesRoom = new Semaphore(around.copies().limit());
    }

    /** Obstacles to a chunk that is being written; empty: none so far, or it is not being written. */
    public List<WriteTrouble> troubles(ChunkId chunk) {
        ChunkReplication replication = underWay.get(chunk);
        return replication == null ? List.of() : replication.troubles();
    }

    public BulkStreamListener open(BulkStream stream, BulkRequest.Write request) throws CloudMwException {
        ChunkId chunk = request.chunk();
        TransferClaims claims = around.tokens().verify(request.token().bytes());
        claims.require(TransferRight.WRITE, chunk);
        boolean own =
                request.stores().stream().allMatch(store -> around.stores().isWrittenHere(request.targets(), store));
        Semaphore room = own ? copiesRoom : uploadsRoom;
        Means means = own ? around.copies() : around.uploads();
        if (!room.tryAcquire()) {
            throw CloudMwException.full(
                    "chunk=" + chunk + ": " + means.limit() + (own ? " copies" : " uploads") + " at once already");
        }
        StoreResolver stores = around.stores().resolver(request.targets(), request.token(), claims);
        ChunkReplication replication = new ChunkReplication(request, claims, stores, around, means.storing());
        underWay.put(chunk, replication);
        Upload upload = new Upload(request, stream, means, around, replication, () -> {
            underWay.remove(chunk, replication);
            room.release();
        });
        upload.start();
        return upload;
    }
}
