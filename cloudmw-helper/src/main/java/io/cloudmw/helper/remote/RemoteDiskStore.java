package io.cloudmw.helper.remote;

import io.cloudmw.core.bulk.message.BulkRequest;
import io.cloudmw.core.bulk.message.WriteTargets;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkStore;
import java.util.List;

/**
 * A disk of another helper, which its owner reads and writes with the rights of one transfer. The store supports reads
 * and puts only. Holds no connection of its own.
 */
public final class RemoteDiskStore extends RemoteStore {
    public RemoteDiskStore(Store store, HelperAddress owner, HelperConnections connections, RemoteRights rights) {
        super(store, owner, new WriteTargets(List.of(store), List.of(owner)), connections, rights);
    }

    @Override
    public ChunkReader read(ChunkId chunk, ByteRange range) throws CloudMwException {
        HelperConnections.Lease lease = connections.to(helper);
        boolean opened = false;
        try {
            RemoteReader reader = new RemoteReader(
                    "chunk=" + chunk + " store=" + store.id() + " owner=" + helper.id(), range, lease::close);
            BulkRequest request = new BulkRequest.Read(
                    rights.toRead(chunk),
                    store.id(),
                    chunk.stored(),
                    ChunkStore.inStored(this, chunk, range),
                    rights.urgency().get());
            reader.open(lease.connection(), request.encode());
            opened = true;
            return reader;
        } finally {
            if (!opened) {
                lease.close();
            }
        }
    }

    @Override
    CloudMwException refused(String operation) {
        return new CloudMwException(
                ErrorCode.STORE_DENIED,
                operation + " store=" + store.id() + ": not supported on a disk of helper " + helper.id()
                        + " (expected: read or put)");
    }
}
