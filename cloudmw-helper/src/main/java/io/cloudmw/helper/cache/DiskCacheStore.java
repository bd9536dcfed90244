package io.cloudmw.helper.cache;

import io.cloudmw.core.cache.disk.DiskCache;
import io.cloudmw.core.cache.disk.DiskCacheFiles;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import io.cloudmw.core.store.ChunkReader;
import io.cloudmw.core.store.ChunkSource;
import io.cloudmw.core.store.ChunkStore;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.core.store.PutOutcome;
import io.cloudmw.helper.block.FileLeaf;
import io.cloudmw.helper.block.Leaf;
import io.cloudmw.helper.block.LeafFileStore;
import io.cloudmw.helper.block.LeafFiles;
import java.util.Optional;
import java.util.OptionalLong;

/** The disk cache as a read-only store, which has some leaves of some chunks. Safe for any thread. */
public final class DiskCacheStore implements ChunkStore, LeafFileStore {
    private final DiskCache cache;
    private final int leafSizeBytes;

    /** @param leafSizeBytes leaf size of the chunks that are read */
    public DiskCacheStore(DiskCache cache, int leafSizeBytes) {
        this.cache = cache;
        this.leafSizeBytes = leafSizeBytes;
    }

    @Override
    public StoreId id() {
        return DiskCache.ID;
    }

    @Override
    public ChunkReader read(ChunkId chunk, ByteRange range) {
        return cache.read(chunk, range, leafSizeBytes);
    }

    @Override
    public Optional<LeafFiles> leafFiles(LeafRange wanted) {
        return cache.files(wanted).map(files -> new CachedLeafFiles(files, wanted));
    }

    /** The files of cached leaves, each of which becomes a leaf. */
    private record CachedLeafFiles(DiskCacheFiles files, LeafRange wanted) implements LeafFiles {
        @Override
        public Leaf open(int index) throws CloudMwException {
            return new FileLeaf(files.open(index), wanted.length(index), wanted.crc32c(index), files::closed);
        }

        @Override
        public void close() {
            files.close();
        }
    }

    @Override
    public PutOutcome put(ChunkId chunk, ChunkSource source) throws CloudMwException {
        throw readOnly("put");
    }

    @Override
    public OptionalLong length(ChunkId chunk) throws CloudMwException {
        throw readOnly("length");
    }

    @Override
    public boolean delete(ChunkId chunk) throws CloudMwException {
        throw readOnly("delete");
    }

    @Override
    public Page<StoredChunk> list(String pageToken, int limit) throws CloudMwException {
        throw readOnly("list");
    }

    @Override
    public void close() {
        // The opener of the cache closes it.
    }

    private static CloudMwException readOnly(String what) {
        return new CloudMwException(
                ErrorCode.STORE_DENIED, what + " store=" + DiskCache.ID + ": the cache is read-only");
    }
}
