package io.cloudmw.lab.s3;

/**
 * What went through the proxy.
 *
 * @param requests reads of objects
 * @param bytes of their responses, bodies only, as far as they were sent: also of those that were given up
 */
public record Crossed(long requests, long bytes) {
    public static final Crossed NOTHING = new Crossed(0, 0);

    public Crossed plus(Crossed other) {
        return new Crossed(requests + other.requests, bytes + other.bytes);
    }
}
