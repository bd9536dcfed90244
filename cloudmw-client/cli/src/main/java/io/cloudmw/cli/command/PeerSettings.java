package io.cloudmw.cli.command;

import io.cloudmw.client.peer.PeerOptions;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.error.CloudMwException;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The settings of a client that serves peers. Those of the command line override those of the settings file. */
public final class PeerSettings {
    /** The settings of the settings file. */
    record FromFile(
            Optional<HostPort> listen, String advertiseHost, Optional<Path> directory, long keepBytes, int uploads) {
        static FromFile of(Settings settings) throws CloudMwException {
            return new FromFile(
                    settings.optionalAddress("client.peer.listen"),
                    settings.text("client.peer.advertise-host", ""),
                    settings.optionalPath("client.peer.directory"),
                    settings.size(
                            "client.peer.keep",
                            PeerOptions.DEFAULT_KEEP_BYTES,
                            PeerOptions.MIN_KEEP_BYTES,
                            PeerOptions.MAX_KEEP_BYTES),
                    settings.integer("client.peer.uploads", PeerOptions.DEFAULT_UPLOADS, 1, PeerOptions.MAX_UPLOADS));
        }
    }

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            converter = OptionConverters.Address.class,
            description = "where to serve; port 0 takes any free one")
    private @Nullable HostPort listen;

    @Option(
            names = "--advertise-host",
            paramLabel = "HOST",
            description =
                    "the host others reach this machine by (default: the one it listens on; of 0.0.0.0 the address that reaches the coordinator)")
    private @Nullable String advertiseHost;

    @Option(
            names = "--directory",
            paramLabel = "DIRECTORY",
            description = "where chunks are kept, without a name (default: ~/.cache/cloudmw/peer)")
    private @Nullable Path directory;

    @Option(
            names = "--keep",
            paramLabel = "SIZE",
            converter = OptionConverters.Size.class,
            description = "how much is kept at most (default 1GiB)")
    private @Nullable Long keep;

    @Option(names = "--uploads", paramLabel = "N", description = "chunks given at once (default 16)")
    private @Nullable Integer uploads;

    /**
     * Returns the command line's settings, completed by those of the settings file and by defaults.
     *
     * @param environment the variables that locate the user's cache directory
     */
    public PeerOptions over(FromFile file, Map<String, String> environment) {
        HostPort where = listen == null ? file.listen().orElse(null) : listen;
        if (where == null) {
            throw new IllegalArgumentException(
                    "--listen: missing (expected: HOST:PORT at which neighbours reach this machine)");
        }
        if (keep != null && (keep < PeerOptions.MIN_KEEP_BYTES || keep > PeerOptions.MAX_KEEP_BYTES)) {
            throw new IllegalArgumentException("keep: " + keep + " (expected: "
                    + Sizes.format(PeerOptions.MIN_KEEP_BYTES) + ".." + Sizes.format(PeerOptions.MAX_KEEP_BYTES) + ")");
        }
        Path kept = directory == null
                ? file.directory().orElseGet(() -> PeerOptions.defaultDirectory(environment))
                : directory;
        return new PeerOptions(
                where.toString(),
                advertiseHost == null ? file.advertiseHost() : advertiseHost,
                kept,
                keep == null ? file.keepBytes() : keep,
                uploads == null ? file.uploads() : uploads,
                new CompositeMeterRegistry());
    }
}
