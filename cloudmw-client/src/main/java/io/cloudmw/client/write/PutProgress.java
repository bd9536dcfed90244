package io.cloudmw.client.write;

import java.util.HashMap;
import java.util.Map;

/**
 * The progress of a put: bytes stored, and bytes sent. Neither number falls when a chunk is sent again, and no byte
 * counts twice. Confined to one thread; its memory is that of the chunks in flight.
 */
public final class PutProgress {
    /** A chunk that is not stored yet. */
    private static final class UnderWay {
        private long sent;
        private long most;
    }

    private final Map<Long, UnderWay> chunks = new HashMap<>();
    private long stored;
    private long sent;

    /** Counts bytes that an earlier put had stored. */
    public void resumed(long bytes) {
        stored += bytes;
        sent += bytes;
    }

    /**
     * Counts sent bytes of a chunk.
     *
     * @return whether this is more of the chunk than was ever sent
     */
    public boolean sent(long chunk, long bytes) {
        UnderWay one = chunks.computeIfAbsent(chunk, index -> new UnderWay());
        one.sent += bytes;
        long more = Math.max(0, one.sent - one.most);
        one.most += more;
        sent += more;
        return more > 0;
    }

    /** A chunk is to be sent again, from its beginning. */
    public void again(long chunk) {
        UnderWay one = chunks.get(chunk);
        if (one != null) {
            one.sent = 0;
        }
    }

    /** A whole chunk is stored. */
    public void stored(long chunk, long length) {
        UnderWay one = chunks.remove(chunk);
        sent += length - (one == null ? 0 : one.most);
        stored += length;
    }

    /** Bytes of chunks that are stored. */
    public long storedBytes() {
        return stored;
    }

    /** Bytes that were sent; at least those that are stored. */
    public long sentBytes() {
        return sent;
    }
}
