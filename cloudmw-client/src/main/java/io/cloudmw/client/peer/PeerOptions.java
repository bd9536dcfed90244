package io.cloudmw.client.peer;

import io.cloudmw.core.address.AddressPolicy;
import io.cloudmw.core.config.HostPort;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * How a client serves its neighbours what it has read of volumes that allow it. Immutable.
 *
 * @param listen where it serves; port 0 takes any free one
 * @param advertiseHost the host under which others reach it; empty: the one it listens on, for a wildcard the address by which
 *     it reaches the coordinator
 * @param directory where it keeps chunks, in files without a name that are gone when the process is; made when it is not there
 * @param keepBytes of chunks it keeps at most, those under way included; the one used longest ago makes room
 * @param uploads chunks, or parts of them, that it gives at once; who asks for more is told {@code OVERLOADED}
 * @param meters takes what is measured of it, {@code cloudmw.peer.*} and the {@code cloudmw.bulk.*} of its connections; stays
 *     the caller's to close
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

    /** The defaults: 1 GiB in the user's directory for caches, 16 uploads at once, nothing measured. */
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
     * Where an environment says that caches are: {@code $XDG_CACHE_HOME/cloudmw/peer}, or {@code ~/.cache/cloudmw/peer}. The
     * temporary directory, which often is memory, only where it says neither.
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
     * Counts what it serves.
     *
     * @param registry one for each node: a second node's meters would not be seen in it
     */
    public PeerOptions withMeters(MeterRegistry registry) {
        return new PeerOptions(listen, advertiseHost, directory, keepBytes, uploads, registry);
    }

    /** The wish for its listening socket. */
    AddressPolicy.Wish wish() {
        return new AddressPolicy.Wish("listen", Optional.of(listen), "advertise-host", advertiseHost, 0);
    }
}
