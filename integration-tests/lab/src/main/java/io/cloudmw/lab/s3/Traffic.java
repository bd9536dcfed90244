package io.cloudmw.lab.s3;

/**
 * The traffic through the proxy.
 *
 * @param requests reads of objects
 * @param bytes of their responses, bodies only, as far as they were sent: also of those that were given up
 */
public record Traffic(long requests, long bytes) {
    public static final Traffic NOTHING = new Traffic(0, 0);

    public Traffic plus(Traffic other) {
        return new Traffic(requests + other.requests, bytes + other.bytes);
    }
}
