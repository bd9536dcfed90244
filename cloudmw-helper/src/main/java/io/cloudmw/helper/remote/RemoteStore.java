package io.cloudmw.helper.remote;

import io.cloudmw.core.bulk.message.WriteTargets;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.model.fleet.HelperAddress;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.PutOutcome;
import java.util.OptionalLong;

/**
 * A store that another helper writes for this one, with the rights of one transfer. The store supports puts; subclasses
 * may add other operations.
 */
abstract class RemoteStore implements ChunkStore {
    final Store store;
    final HelperAddress helper;
    final HelperConnections connections;
    final RemoteRights rights;
    private final WriteTargets targets;

    /** @param targets this one store, with the helper that writes it */
    RemoteStore(
            Store store,
            HelperAddress helper,
            WriteTargets targets,
            HelperConnections connections,
            RemoteRights rights) {
        this.store = store;
        this.helper = helper;
        this.targets = targets;
        this.connections = connections;
        this.rights = rights;
    }

    /** The failure of an operation that is not supported. */
    abstract CloudMwException refused(String operation);

    @Override
    public StoreId id() {
        return store.id();
    }

    @Override
    public PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException {
        RemoteWriter.copy(connections, helper, rights, targets, chunk, source);
        return PutOutcome.WRITTEN;
    }

    @Override
    public ChunkReader read(ChunkId chunk, ByteRange range) throws CloudMwException {
        throw refused("read");
    }

    @Override
    public OptionalLong length(ChunkId chunk) throws CloudMwException {
        throw refused("length");
    }

    @Override
    public boolean delete(ChunkId chunk) throws CloudMwException {
        throw refused("delete");
    }

    @Override
    public Page<StoredChunk> list(String pageToken, int limit) throws CloudMwException {
        throw refused("list");
    }

    @Override
    public void close() {
        // All remote stores share the connections.
    }
}
