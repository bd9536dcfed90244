package io.cloudmw.client.peer;

import io.cloudmw.core.address.AddressPolicy;
import io.cloudmw.core.config.HostPort;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Options of a client that serves its neighbours the chunks it has read, in volumes that allow it. Immutable.
 *
 * @param listen the address it listens on; port 0 takes any free one
 * @param advertiseHost the host under which neighbours reach it; empty: the listening host, or, for a wildcard, the
 *     address by which it reaches the coordinator
 * @param directory the directory of cached chunks, in nameless files that vanish with the process; created if missing
 * @param keepBytes the limit on cached chunks, including incomplete ones; the least recently used is evicted
 * @param uploads the limit on concurrent uploads; further requests fail with {@code OVERLOADED}
 * @param meters takes the metrics {@code cloudmw.peer.*} and, of its connections, {@code cloudmw.bulk.*}; stays the
 *     caller's to close
 */
public record PeerOptions(
        HostPort listen, String advertiseHost, Path directory, long keepBytes, int uploads, MeterRegistry meters) {
    public static final long DEFAULT_KEEP_BYTES = 1L << 30;
    public static final int DEFAULT_UPLOADS = 16;
    public static final int MAX_UPLOADS = 1024;
    public static final long MIN_KEEP_BYTES = 1 << 20;
    public static final long MAX_KEEP_BYTES = 1L << 44;

    public PeerOptions {
        if (keepBytes < MIN_KEEP_BYTES || keepBytes > MAX_KEEP_BYTES) {
            throw new IllegalArgumentException(
                    "keepBytes: " + keepBytes + " (expected: " + MIN_KEEP_BYTES + ".." + MAX_KEEP_BYTES + ")");
        }
        if (uploads < 1 || uploads > MAX_UPLOADS) {
            throw new IllegalArgumentException("uploads: " + uploads + " (expected: 1.." + MAX_UPLOADS + ")");
        }
    }

    /** The defaults: 1 GiB in the user's cache directory, 16 concurrent uploads, no metrics. */
    public static PeerOptions at(HostPort listen) {
        return new PeerOptions(
                listen,
                "",
                defaultDirectory(System.getenv()),
                DEFAULT_KEEP_BYTES,
                DEFAULT_UPLOADS,
                new CompositeMeterRegistry());
    }

    /**
     * The user's cache directory in an environment: {@code $XDG_CACHE_HOME/cloudmw/peer}, or {@code
     * ~/.cache/cloudmw/peer}. Without either variable, the temporary directory, which is often in memory.
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

    public PeerOptions withAdvertiseHost(String host) {
        return new PeerOptions(listen, host, directory, keepBytes, uploads, meters);
    }

    public PeerOptions withKept(Path where, long bytes) {
        return new PeerOptions(listen, advertiseHost, where, bytes, uploads, meters);
    }

    public PeerOptions withUploads(int atOnce) {
        return new PeerOptions(listen, advertiseHost, directory, keepBytes, atOnce, meters);
    }

    /**
     * The same options with metrics.
     *
     * @param registry one for each node: it would not show a second node's meters
     */
    public PeerOptions withMeters(MeterRegistry registry) {
        return new PeerOptions(listen, advertiseHost, directory, keepBytes, uploads, registry);
    }

    /** The requested listening address. */
    AddressPolicy.Wish wish() {
        return new AddressPolicy.Wish("listen", Optional.of(listen), "advertise-host", advertiseHost, 0);
    }
}
