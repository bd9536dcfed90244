package io.cloudmw.helper.serve;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.core.security.TransferTokens;
import io.cloudmw.core.thread.SerialExecutor;
import io.cloudmw.core.wire.BulkRequest;
import io.cloudmw.helper.disk.OwnDisks;
import io.cloudmw.helper.fetch.Spool;
import io.cloudmw.helper.fetch.StoreResolver;
import io.cloudmw.helper.peer.StoreDirectory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;

/** Takes chunks and writes their replicas. Safe for any thread. */
public final class Writes {
    /**
     * What writes need of the process around them.
     *
     * @param receiving may block; takes at least {@code limit} tasks
     * @param storing may block; runs the puts of uploads
     * @param storingLocally may block; runs puts that peers ask for: separate, because theirs wait for ours
     * @param limit uploads at once
     * @param retryDelays how long to wait before each further try at a store that failed
     */
    public record Surroundings(
            TransferTokens tokens,
            StoreDirectory stores,
            OwnDisks disks,
            Spool spool,
            ReplicaLedger ledger,
            Executor receiving,
            Executor storing,
            Executor storingLocally,
            ScheduledExecutorService timer,
            int limit,
            List<Duration> retryDelays) {
        public Surroundings {
            retryDelays = List.copyOf(retryDelays);
        }
    }

    private final Surroundings around;
    private final Semaphore room;

    /** Of its own: an upload here waits for peers' copies there, and they for ours, so these must never wait for each other. */
    private final Semaphore copiesRoom;

    public Writes(Surroundings around) {
        this.around = around;
        this.room = new Semaphore(around.limit());
        this.copiesRoom = new Semaphore(around.limit());
    }

    BulkStreamListener open(BulkStream stream, BulkRequest.Write request) throws CloudMwException {
        ChunkId chunk = request.chunk();
        TransferClaims claims = around.tokens().verify(request.token().bytes());
        claims.require(TransferRight.WRITE, chunk);
        boolean own = request.stores().stream()
                .allMatch(store -> around.disks().find(store.id()).isPresent());
        Semaphore permits = own ? copiesRoom : room;
        if (!permits.tryAcquire()) {
            throw new CloudMwException(ErrorCode.OVERLOADED, "chunk=" + chunk + ": too many uploads at once");
        }
        StoreResolver stores = around.stores().resolver(request.stores(), request.helpers(), request.token(), claims);
        Executor storing = own ? around.storingLocally() : around.storing();
        Replication replication = new Replication(request, claims, stores, around, storing);
        Upload upload = new Upload(
                request, stream, around.spool(), replication, new SerialExecutor(around.receiving()), permits::release);
        upload.start();
        return upload;
    }
}
