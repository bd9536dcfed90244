package io.cloudmw.core.cost;

/**
 * What one store was asked for.
 *
 * @param reads requests, cancelled and failed ones included
 * @param readBytes that left the store, used or not
 * @param writes requests
 * @param writtenBytes that went in
 */
public record Usage(long reads, long readBytes, long writes, long writtenBytes) {
    public static final Usage NONE = new Usage(0, 0, 0, 0);

    public Usage {
        if (reads < 0 || readBytes < 0 || writes < 0 || writtenBytes < 0) {
            throw new IllegalArgumentException("usage: a negative count");
        }
    }

    public static Usage ofReads(long reads, long bytes) {
        return new Usage(reads, bytes, 0, 0);
    }

    public static Usage ofWrites(long writes, long bytes) {
        return new Usage(0, 0, writes, bytes);
    }

    public Usage plus(Usage other) {
        return new Usage(
                reads + other.reads,
                readBytes + other.readBytes,
                writes + other.writes,
                writtenBytes + other.writtenBytes);
    }
}
