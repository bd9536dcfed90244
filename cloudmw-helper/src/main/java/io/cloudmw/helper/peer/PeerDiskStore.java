package io.cloudmw.helper.peer;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.ChunkId;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.Store;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.StoredChunk;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.PutOutcome;
import io.cloudmw.core.wire.BulkRequest;
import io.cloudmw.core.wire.WriteTargets;
import java.util.List;
import java.util.OptionalLong;

/**
 * A disk of another helper, read and written through its owner, with the rights of one transfer. Chunks can be read
 * and put; nothing else is asked of a peer's disk. Holds no connection of its own.
 */
public final class PeerDiskStore implements ChunkStore {
    private final Store store;
    private final HelperAddress owner;
    private final PeerConnections connections;
    private final PeerRights rights;

    public PeerDiskStore(Store store, HelperAddress owner, PeerConnections connections, PeerRights rights) {
        this.store = store;
        this.owner = owner;
        this.connections = connections;
        this.rights = rights;
    }

    @Override
    public StoreId id() {
        return store.id();
    }

    @Override
    public ChunkReader read(ChunkId chunk, ByteRange range) throws CloudMwException {
        PeerConnections.Lease lease = connections.to(owner);
        boolean opened = false;
        try {
            PeerReader reader = new PeerReader(
                    "chunk=" + chunk + " store=" + store.id() + " owner=" + owner.id(), range, lease::close);
            BulkRequest request = new BulkRequest.Read(
                    rights.toRead(chunk),
                    store.id(),
                    chunk,
                    range,
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
    public PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException {
        WriteTargets targets = new WriteTargets(List.of(store), List.of(owner));
        PeerWriter.copy(connections, owner, rights, targets, chunk, source);
        return PutOutcome.WRITTEN;
    }

    @Override
    public OptionalLong length(ChunkId chunk) throws CloudMwException {
        throw notServed("length");
    }

    @Override
    public boolean delete(ChunkId chunk) throws CloudMwException {
        throw notServed("delete");
    }

    @Override
    public Page<StoredChunk> list(String pageToken, int limit) throws CloudMwException {
        throw notServed("list");
    }

    @Override
    public void close() {
        // The connection is everybody's.
    }

    private CloudMwException notServed(String what) {
        return new CloudMwException(
                ErrorCode.STORE_DENIED, what + " store=" + store.id() + ": a disk of helper " + owner.id());
    }
}
