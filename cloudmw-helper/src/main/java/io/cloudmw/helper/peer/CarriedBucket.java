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
import io.cloudmw.core.wire.WriteTargets;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A bucket that this helper cannot use, written through a helper that can, with the rights of one transfer. Chunks can be
 * put; nothing else is asked of a carrier. Holds no connection of its own.
 */
final class CarriedBucket implements ChunkStore {
    private final Store bucket;
    private final HelperAddress carrier;
    private final PeerConnections connections;
    private final PeerRights rights;

    CarriedBucket(Store bucket, HelperAddress carrier, PeerConnections connections, PeerRights rights) {
        this.bucket = bucket;
        this.carrier = carrier;
        this.connections = connections;
        this.rights = rights;
    }

    @Override
    public StoreId id() {
        return bucket.id();
    }

    @Override
    public PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException {
        WriteTargets targets = new WriteTargets(List.of(bucket), List.of(carrier), Map.of(bucket.id(), carrier.id()));
        PeerWriter.copy(connections, carrier, rights, targets, chunk, source);
        return PutOutcome.WRITTEN;
    }

    @Override
    public ChunkReader read(ChunkId chunk, ByteRange range) throws CloudMwException {
        throw notCarried("read");
    }

    @Override
    public OptionalLong length(ChunkId chunk) throws CloudMwException {
        throw notCarried("length");
    }

    @Override
    public boolean delete(ChunkId chunk) throws CloudMwException {
        throw notCarried("delete");
    }

    @Override
    public Page<StoredChunk> list(String pageToken, int limit) throws CloudMwException {
        throw notCarried("list");
    }

    @Override
    public void close() {
        // The connection is everybody's.
    }

    private CloudMwException notCarried(String what) {
        return new CloudMwException(
                ErrorCode.STORE_DENIED,
                what + " store=" + bucket.id() + ": helper " + carrier.id() + " only writes there for this helper");
    }
}
