package io.cloudmw.client.pack;

import io.cloudmw.client.file.FilePut;
import io.cloudmw.client.progress.PutReceipt;

/** A put that shares a pack, or waits for one. Safe for any thread. */
final class SmallPut {
    private final FilePut file;
    private final SharedCall<PutReceipt> call = new SharedCall<>();
    private volatile long sizeBytes = -1;

    SmallPut(FilePut file) {
        this.file = file;
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

    /** The caller's; a cancelled put is left out of the commit. */
    SharedCall<PutReceipt> call() {
        return call;
    }
}
