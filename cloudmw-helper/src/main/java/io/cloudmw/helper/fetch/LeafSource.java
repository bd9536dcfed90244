package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.core.store.LeafTarget;
import io.cloudmw.core.store.StoreLeafVerifier;
import io.cloudmw.helper.block.LeafFiles;
import io.cloudmw.helper.block.LeavesBlock;
import java.util.function.LongConsumer;

/** The source of an attempt's leaves. A single thread runs it, once; any thread may cancel it. */
interface LeafSource {
    /**
     * Delivers all leaves in order, or fails. Blocks.
     *
     * @param progress hears the bytes delivered so far after each leaf, on this thread
     */
    void run(LongConsumer progress) throws CloudMwException;

    /** Bytes read from the store so far. Any thread. */
    long bytesRead();

    /** Cancels {@link #run}, also before it starts; it fails with {@code CANCELLED}. Idempotent. */
    void cancel();

    /** A source that reads a store and passes verified leaves on. */
    static LeafSource of(StoreLeafVerifier verifier, LeafTarget target) {
        return new LeafSource() {
            @Override
            public void run(LongConsumer progress) throws CloudMwException {
                verifier.run(target, progress);
            }

            @Override
            public long bytesRead() {
                return verifier.bytesRead();
            }

            @Override
            public void cancel() {
                verifier.cancel();
                target.cancel();
            }
        };
    }

    /** A source that opens files. The source closes them at the end; leaves in {@code block} keep theirs open. */
    static LeafSource of(LeafFiles files, LeavesBlock block) {
        return new LeafSource() {
            private volatile long bytesRead;

            @Override
            public void run(LongConsumer progress) throws CloudMwException {
                LeafRange leaves = block.block().leaves();
                for (int leaf = 0; leaf < leaves.leaves(); leaf++) {
                    block.put(leaf, files.open(leaf));
                    long bytes = leaves.offset(leaf) + leaves.length(leaf);
                    bytesRead = bytes;
                    progress.accept(bytes);
                }
            }

            @Override
            public long bytesRead() {
                return bytesRead;
            }

            @Override
            public void cancel() {
                files.close();
            }
        };
    }
}
