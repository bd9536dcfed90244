package io.cloudmw.client.progress;

import java.util.HashMap;
import java.util.Map;

/**
 * How far a put is: bytes that are stored, and bytes that were sent. Neither falls when a chunk has to be sent again, and no byte
 * counts twice. Confined to one thread; its memory is that of the chunks under way.
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

    /** An earlier put had stored so many bytes. */
    public void resumed(long bytes) {
        stored += bytes;
        sent += bytes;
    }

    /**
     * More of a chunk was sent.
     *
     * @return whether that is more than was ever sent of it
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

    /** All of a chunk is stored. */
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
