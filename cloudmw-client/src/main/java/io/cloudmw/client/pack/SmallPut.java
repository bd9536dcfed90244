package io.cloudmw.client.pack;

import io.cloudmw.client.file.FilePut;
import io.cloudmw.client.progress.PutReceipt;
import io.cloudmw.client.rpc.CancellableFuture;

/** A put that shares a pack, or waits for one. Safe for any thread. */
final class SmallPut {
    private final FilePut file;
    private volatile long sizeBytes = -1;
    private final CancellableFuture<PutReceipt> result;

    SmallPut(FilePut file) {
        this.file = file;
        this.result = new CancellableFuture<>(() -> {});
    }

    FilePut file() {
        return file;
    }

    /** Records the size of the source, before the put is queued. */
    void measured(long bytes) {
        sizeBytes = bytes;
    }

    /** The size of the source when it was measured; negative before. */
    long sizeBytes() {
        return sizeBytes;
    }

    /** The caller's future; a cancelled put is left out of the commit. */
    CancellableFuture<PutReceipt> result() {
        return result;
    }
}
