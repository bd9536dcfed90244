package io.cloudmw.helper.serve;

import io.cloudmw.core.bulk.BulkStream;
import io.cloudmw.core.bulk.BulkStreamListener;
import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.bulk.message.WriteObstacle;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.security.TransferClaims;
import io.cloudmw.core.security.TransferRight;
import io.cloudmw.helper.fetch.StoreResolver;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/** The handler of requests to write chunks. Safe for any thread. */
public final class WriteHandler {
    private final WriteServices services;
    private final Semaphore uploadsRoom;
    private final Semaphore copiesRoom;
    private final Map<ChunkId, ChunkReplication> underWay = new ConcurrentHashMap<>();

    public WriteHandler(WriteServices services) {
        this.services = services;
        this.uploadsRoom = new Semaphore(services.uploads().limit());
        this.copiesRoom = new Semaphore(services.copies().limit());
    }

    /** The troubles of a chunk that is being written; empty when there are none, or it is not being written. */
    public List<WriteObstacle> troubles(ChunkId chunk) {
        ChunkReplication replication = underWay.get(chunk);
        return replication == null ? List.of() : replication.troubles();
    }

    public BulkStreamListener open(BulkStream stream, BulkRequest.Write request) throws CloudMwException {
        ChunkId chunk = request.chunk();
        AuthorizedStreams.AuthorizedStream authorization = services.authorized().authorize(request.token(), stream);
        TransferClaims claims = authorization.claims();
        claims.require(TransferRight.WRITE, chunk);
        boolean own =
                request.stores().stream().allMatch(store -> services.stores().isWrittenHere(request.targets(), store));
        Semaphore room = own ? copiesRoom : uploadsRoom;
        WriteServices.Resources resources = own ? services.copies() : services.uploads();
        if (!room.tryAcquire()) {
            throw CloudMwException.full(
                    "chunk=" + chunk + ": " + resources.limit() + (own ? " copies" : " uploads") + " at once already");
        }
        StoreResolver stores = services.stores().resolver(request.targets(), request.token(), claims);
        ChunkReplication replication = new ChunkReplication(request, claims, stores, services, resources.storing());
        underWay.put(chunk, replication);
        Upload upload = new Upload(request, stream, resources, services, replication, () -> {
            underWay.remove(chunk, replication);
            room.release();
            authorization.end();
        });
        upload.start();
        authorization.watch(upload);
        return upload;
    }
}
