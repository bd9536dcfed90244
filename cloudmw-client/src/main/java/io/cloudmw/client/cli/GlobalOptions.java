package io.cloudmw.client.cli;

import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.Location;
import io.cloudmw.core.race.Governor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What every command takes. */
final class GlobalOptions {
    private static final String COORDINATOR = "client.coordinator";
    private static final String TIMEOUT = "client.coordinator-timeout";
    private static final String REDUNDANCY = "client.redundancy";
    private static final String LOCATION = "client.location";
    private static final String LINK = "client.link";
    private static final Pattern PERCENT = Pattern.compile("(100|[0-9]{1,2}(?:\\.[0-9]{1,3})?)%");
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);

    @Option(
            names = {"-c", "--coordinator"},
            paramLabel = "HOST:PORT",
            description = "the cluster's coordinator, or several with commas between (CLOUDMW_COORDINATOR; default "
                    + CloudMwOptions.DEFAULT_COORDINATOR + ")")
    private @Nullable String coordinator;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "properties: " + COORDINATOR + ", " + TIMEOUT + " (like 30s), " + REDUNDANCY + " (like 5%%), "
                    + LOCATION + ", "
                    + LINK + " (like 100MiB, a second), client.peer.*")
    private @Nullable Path config;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "how long to wait for a coordinator that does not answer (default 30)")
    private @Nullable Integer timeoutSeconds;

    @Option(
            names = "--location",
            paramLabel = "LABELS",
            description =
                    "where this machine is, like zone-a/rack-1/host-3: shared volumes are read through the nearest "
                            + "switch (CLOUDMW_LOCATION)")
    private @Nullable String location;

    @Option(names = "--json", description = "the last line on standard output is one JSON object")
    private boolean json;

    @Option(
            names = {"-q", "--quiet"},
            description = "no progress")
    private boolean quiet;

    @Option(
            names = {"-v", "--verbose"},
            description = "stack traces")
    private boolean verbose;

    boolean json() {
        return json;
    }

    boolean quiet() {
        return quiet;
    }

    boolean verbose() {
        return verbose;
    }

    /**
     * What the command line, the environment and the settings file say.
     *
     * @throws CloudMwException {@code LOCAL_IO} when the file cannot be read; {@code INVALID_ARGUMENT}
     */
    CloudMwOptions clientOptions(Map<String, String> environment) throws CloudMwException {
        Settings settings = Settings.load(Optional.ofNullable(config), Map.of(), Map.of());
        String fromFile = settings.text(COORDINATOR, CloudMwOptions.DEFAULT_COORDINATOR);
        Duration timeout = settings.duration(TIMEOUT, DEFAULT_TIMEOUT, Duration.ofMillis(1), LONGEST_TIMEOUT);
        Governor.Budget budget = settings.optional(REDUNDANCY, "0%..100%, like 5%", GlobalOptions::share)
                .orElse(Governor.Budget.DEFAULT);
        String place = settings.text(LOCATION, "");
        PeerSettings.FromFile unused = PeerSettings.FromFile.of(settings);
        Optional<Long> link = settings.optional(LINK, "like 100MiB", GlobalOptions::positive);
        settings.finish();
        String address = coordinator == null ? environment.getOrDefault("CLOUDMW_COORDINATOR", fromFile) : coordinator;
        String near = location == null ? environment.getOrDefault("CLOUDMW_LOCATION", place) : location;
        CloudMwOptions options = CloudMwOptions.of(address)
                .withRedundancy(budget)
                .withCoordinatorTimeout(or(timeout))
                .withLocation(Location.parse(near));
        return link.map(options::withLink).orElse(options);
    }

    /**
     * What the settings file says of serving neighbours.
     *
     * @throws CloudMwException as {@link #clientOptions}
     */
    PeerSettings.FromFile peerSettings() throws CloudMwException {
        return PeerSettings.FromFile.of(Settings.load(Optional.ofNullable(config), Map.of(), Map.of()));
    }

    private Duration or(Duration configured) {
        if (timeoutSeconds == null) {
            return configured;
        }
        if (timeoutSeconds < 1 || timeoutSeconds > LONGEST_TIMEOUT.toSeconds()) {
            throw new IllegalArgumentException(
                    "--timeout: " + timeoutSeconds + " (expected: 1.." + LONGEST_TIMEOUT.toSeconds() + " seconds)");
        }
        return Duration.ofSeconds(timeoutSeconds);
    }

    private static long positive(String text) {
        long bytes = Sizes.parse(text);
        if (bytes < 1) {
            throw new IllegalArgumentException(text);
        }
        return bytes;
    }

    private static Governor.Budget share(String text) {
        Matcher percent = PERCENT.matcher(text);
        if (!percent.matches()) {
            throw new IllegalArgumentException(text);
        }
        return Governor.Budget.ofShare(Double.parseDouble(percent.group(1)) / 100);
    }
}
