package io.cloudmw.lab.s3;

/**
 * The traffic through the proxy.
 *
 * @param requests number of reads of objects
 * @param bytes of response bodies that were sent, including aborted responses
 */
public record Traffic(long requests, long bytes) {
    public static final Traffic NOTHING = new Traffic(0, 0);

    public Traffic plus(Traffic other) {
        return new Traffic(requests + other.requests, bytes + other.bytes);
    }
}
