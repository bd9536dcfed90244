package io.cloudmw.core.cost;

/**
 * The usage of one store: requests and bytes.
 *
 * @param reads requests, cancelled and failed ones included
 * @param readBytes bytes that left the store, used or not
 * @param writes requests
 * @param writtenBytes bytes sent to the store
 */
public record StoreUsage(long reads, long readBytes, long writes, long writtenBytes) {
    /** No use. */
    public static final StoreUsage NONE = new StoreUsage(0, 0, 0, 0);

    public StoreUsage {
        if (reads < 0 || readBytes < 0 || writes < 0 || writtenBytes < 0) {
            throw new IllegalArgumentException("usage: a negative count");
        }
    }

    /** The use by reads. */
    public static StoreUsage ofReads(long reads, long bytes) {
        return new StoreUsage(reads, bytes, 0, 0);
    }

    /** The use by writes. */
    public static StoreUsage ofWrites(long writes, long bytes) {
        return new StoreUsage(0, 0, writes, bytes);
    }

    /** The sum of both. */
    public StoreUsage plus(StoreUsage other) {
        return new StoreUsage(
                reads + other.reads,
                readBytes + other.readBytes,
                writes + other.writes,
                writtenBytes + other.writtenBytes);
    }
}
