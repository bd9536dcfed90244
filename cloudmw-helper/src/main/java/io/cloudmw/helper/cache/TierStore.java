package io.cloudmw.helper.cache;

import io.cloudmw.core.cache.LeafKey;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.error.Reasons;
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
import io.cloudmw.helper.block.LeafFileStore;
import io.cloudmw.helper.block.LeafFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The disk tier as a read-only store, which has some leaves of some chunks. Safe for any thread. */
public final class TierStore implements ChunkStore, LeafFileStore {
    public static final StoreId ID = new StoreId("cache");

    private final DiskTier tier;
    private final int leafSizeBytes;

    /** @param leafSizeBytes leaf size of the chunks that are read */
    public TierStore(DiskTier tier, int leafSizeBytes) {
        this.tier = tier;
        this.leafSizeBytes = leafSizeBytes;
    }

    @Override
    public StoreId id() {
        return ID;
    }

    @Override
    public ChunkReader read(ChunkId chunk, ByteRange range) {
        return new TierReader(chunk, range);
    }

    @Override
    public Optional<LeafFiles> leafFiles(LeafRange wanted) {
        return TierFiles.of(tier, wanted);
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
        // The opener of the tier closes it.
    }

    private static CloudMwException readOnly(String what) {
        return new CloudMwException(ErrorCode.STORE_DENIED, what + " store=" + ID + ": the cache is read-only");
    }

    /** A reader of leaves, one file after the other. */
    private final class TierReader implements ChunkReader {
        private final ChunkId chunk;
        private final long end;
        private long position;
        private volatile boolean closed;
        private volatile @Nullable FileChannel open;

        TierReader(ChunkId chunk, ByteRange range) {
            this.chunk = chunk;
            this.position = range.offset();
            this.end = range.end();
        }

        @Override
        public int read(ByteBuffer target) throws CloudMwException {
            if (position == end) {
                return -1;
            }
            LeafKey key = new LeafKey(chunk, Math.toIntExact(position / leafSizeBytes));
            long inLeaf = position % leafSizeBytes;
            int limit = target.limit();
            int most = (int) Math.min(end - position, leafSizeBytes - inLeaf);
            target.limit(Math.min(limit, target.position() + most));
            try {
                int read = file(key).read(target, inLeaf);
                if (read < 0) {
                    throw new CloudMwException(
                            ErrorCode.REPLICA_CORRUPT, "leaf " + key + " store=" + ID + ": the file is too short");
                }
                advance(read);
                return read;
            } catch (NoSuchFileException e) {
                throw new CloudMwException(
                        ErrorCode.REPLICA_MISSING, "leaf " + key + " store=" + ID + ": the file is gone", e);
            } catch (IOException e) {
                throw failure(key, e);
            } finally {
                target.limit(limit);
            }
        }

        private CloudMwException failure(LeafKey key, IOException e) {
            if (e instanceof CloudMwException known) {
                return known;
            }
            return closed
                    ? new CloudMwException(ErrorCode.CANCELLED, "leaf " + key + " store=" + ID + ": cancelled", e)
                    : new CloudMwException(
                            ErrorCode.STORE_UNAVAILABLE, "leaf " + key + " store=" + ID + ": " + Reasons.of(e), e);
        }

        private FileChannel file(LeafKey key) throws IOException {
            FileChannel file = open;
            if (file == null) {
                file = FileChannel.open(tier.file(key), StandardOpenOption.READ);
                open = file;
                if (closed) {
                    file.close();
                }
            }
            return file;
        }

        private void advance(int read) {
            position += read;
            if (position == end || position % leafSizeBytes == 0) {
                shut();
            }
        }

        private void shut() {
            FileChannel file = open;
            open = null;
            if (file != null) {
                try {
                    file.close();
                } catch (IOException e) {
                    // Nothing was written to the file.
                }
            }
        }

        @Override
        public void close() {
            closed = true;
            shut();
        }
    }
}
