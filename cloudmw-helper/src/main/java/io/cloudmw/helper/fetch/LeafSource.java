package io.cloudmw.helper.fetch;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.store.LeafRange;
import io.cloudmw.core.store.LeafTarget;
import io.cloudmw.core.store.LeafVerifier;
import io.cloudmw.helper.block.LeafFiles;
import io.cloudmw.helper.block.LeavesBlock;
import java.util.function.LongConsumer;

/** How an attempt comes to its leaves. One thread runs it, once; any thread may cancel it. */
interface LeafSource {
    /**
     * Brings all leaves, in order, or fails. Blocks.
     *
     * @param progress is told the bytes brought so far after every leaf, on this thread
     */
    void run(LongConsumer progress) throws CloudMwException;

    /** Bytes that came from the store so far. Any thread. */
    long bytesRead();

    /** Stops {@link #run} at once, or before it starts: it fails with {@code CANCELLED}. Idempotent. */
    void cancel();

    /** Reads them, and passes them on. */
    static LeafSource of(LeafVerifier verifier, LeafTarget target) {
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

    /** Opens the files they lie in, which are closed in the end but for the leaves in {@code block}. */
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
