package io.cloudmw.client.peer;

import io.cloudmw.core.config.HostPort;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.nio.file.Path;
import java.util.Map;

/**
 * The settings of a client that serves other clients. Immutable.
 *
 * @param listen address to serve at, {@code host:port}; port 0 takes any free one
 * @param advertiseHost host under which other clients reach this one; empty: the host of {@code listen}, or for a wildcard
 *     the address by which this client reaches the coordinator
 * @param directory place for chunks, in unnamed files that are gone when the process is; created when it does not exist
 * @param keepBytes largest total of chunks kept, incomplete ones included; the least recently used are evicted
 * @param uploads chunks, or parts of them, sent at once; more requests are refused with {@code OVERLOADED}
 * @param meters registry for {@code cloudmw.peer.*}, and {@code cloudmw.bulk.*} of the connections to other clients; the
 *     caller closes it
 */
public record PeerOptions(
        String listen, String advertiseHost, Path directory, long keepBytes, int uploads, MeterRegistry meters) {
    /** The default of {@link #keepBytes}: 1 GiB. */
    public static final long DEFAULT_KEEP_BYTES = 1L << 30;
    /** The default of {@link #uploads}. */
    public static final int DEFAULT_UPLOADS = 16;
    /** The upper limit of {@link #uploads}. */
    public static final int MAX_UPLOADS = 1024;
    /** The lower limit of {@link #keepBytes}: 1 MiB. */
    public static final long MIN_KEEP_BYTES = 1 << 20;
    /** The upper limit of {@link #keepBytes}: 16 TiB. */
    public static final long MAX_KEEP_BYTES = 1L << 44;

    /** Checks the limits. */
    public PeerOptions {
        HostPort unused = HostPort.parse(listen);
        if (keepBytes < MIN_KEEP_BYTES || keepBytes > MAX_KEEP_BYTES) {
            throw new IllegalArgumentException(
                    "keepBytes: " + keepBytes + " (expected: " + MIN_KEEP_BYTES + ".." + MAX_KEEP_BYTES + ")");
        }
        if (uploads < 1 || uploads > MAX_UPLOADS) {
            throw new IllegalArgumentException("uploads: " + uploads + " (expected: 1.." + MAX_UPLOADS + ")");
        }
    }

    /** The defaults: 1 GiB in the user's directory for caches, 16 uploads at once, no meters. */
    public static PeerOptions at(String listen) {
        return new PeerOptions(
                listen,
                "",
                defaultDirectory(System.getenv()),
                DEFAULT_KEEP_BYTES,
                DEFAULT_UPLOADS,
                new CompositeMeterRegistry());
    }

    /**
     * The directory for caches that an environment names: {@code $XDG_CACHE_HOME/cloudmw/peer}, or
     * {@code ~/.cache/cloudmw/peer}. Without either variable it is the temporary directory, which often is memory.
     */
    public static Path defaultDirectory(Map<String, String> environment) {
        String caches = environment.getOrDefault("XDG_CACHE_HOME", "");
        String home = environment.getOrDefault("HOME", "");
        if (caches.isEmpty() && home.isEmpty()) {
            return Path.of(System.getProperty("java.io.tmpdir", "."));
        }
        Path all = caches.isEmpty() ? Path.of(home, ".cache") : Path.of(caches);
        return all.resolve("cloudmw").resolve("peer");
    }

    /** Sets the host under which other clients reach this one. */
    public PeerOptions withAdvertiseHost(String host) {
        return new PeerOptions(listen, host, directory, keepBytes, uploads, meters);
    }

    /** Sets the directory for chunks, and the largest total of bytes in it. */
    public PeerOptions withKept(Path where, long bytes) {
        return new PeerOptions(listen, advertiseHost, where, bytes, uploads, meters);
    }

    /** Sets the largest number of simultaneous uploads. */
    public PeerOptions withUploads(int atOnce) {
        return new PeerOptions(listen, advertiseHost, directory, keepBytes, atOnce, meters);
    }

    /**
     * Counts what it serves.
     *
     * @param registry one for each node: a second node's meters would not be seen in it
     */
    public PeerOptions withMeters(MeterRegistry registry) {
        return new PeerOptions(listen, advertiseHost, directory, keepBytes, uploads, registry);
    }
}
