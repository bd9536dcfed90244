package io.cloudmw.client.progress;

/**
 * The share of one helper in a put.
 *
 * @param chunks chunks stored through the helper
 * @param bytes bytes of those chunks, counted once for all copies
 * @param requests uploads sent to the helper, failed ones included
 * @param wastedBytes bytes sent to the helper by uploads that failed
 */
public record WriteShare(long chunks, long bytes, long requests, long wastedBytes) {
    /** A share of nothing. */
    public static final WriteShare NONE = new WriteShare(0, 0, 0, 0);

    /** Adds a chunk that was stored. */
    public WriteShare stored(long length) {
        return new WriteShare(chunks + 1, bytes + length, requests + 1, wastedBytes);
    }

    /** Adds an upload that failed. */
    public WriteShare failed(long sentBytes) {
        return new WriteShare(chunks, bytes, requests + 1, wastedBytes + sentBytes);
    }
}
