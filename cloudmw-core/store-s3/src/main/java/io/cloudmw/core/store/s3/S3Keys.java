package io.cloudmw.core.store.s3;

import io.cloudmw.core.model.chunk.ChunkId;

/** The key of a chunk, or of the one that holds a slice, in a bucket: {@code <prefix>chunks/<first two digits>/<chunk>}. Keys sort like chunks. */
record S3Keys(String prefix) {
    String chunks() {
        return prefix + "chunks/";
    }

    String key(ChunkId chunk) {
        return key(chunk.stored().toString());
    }

    String key(String chunk) {
        return chunks() + chunk.substring(0, 2) + "/" + chunk;
    }

    /** The last segment of a key. */
    static String name(String key) {
        return key.substring(key.lastIndexOf('/') + 1);
    }
}
