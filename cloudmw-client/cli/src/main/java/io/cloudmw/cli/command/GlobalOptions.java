package io.cloudmw.cli.command;

import io.cloudmw.client.ClientSecurity;
import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.client.DefaultSecurity;
import io.cloudmw.core.config.Durations;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.ReadPath;
import io.cloudmw.core.model.RedundancyLimits;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.core.security.SecretFiles;
import io.cloudmw.core.tls.TlsFiles;
import io.cloudmw.core.tls.TlsOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The options that every command takes, after its name or before it. An option given to a subcommand overrides the same
 * option of its parent.
 */
public final class GlobalOptions {
    /** The names of the options that {@link #isClusterGiven} tests. */
    public static final String OF_CLUSTER = "--coordinator, --config, --timeout, --location, --token-file, --insecure";

    private static final String COORDINATOR = "client.coordinator";
    private static final String TIMEOUT = "client.coordinator-timeout";
    private static final String REDUNDANCY = "client.redundancy";
    private static final String LOCATION = "client.location";
    private static final String LINK = "client.link";
    private static final String PATH = "client.path";
    private static final String TOKEN_FILE = "client.token-file";
    private static final Pattern PERCENT = Pattern.compile("(100|[0-9]{1,2}(?:\\.[0-9]{1,3})?)%");
    private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);

    /** The time to wait where no process listens; a person sees sooner then that the address is wrong. */
    private static final Duration REFUSED_TIMEOUT = Duration.ofSeconds(3);

    /** The name of the field that holds these options in each command. */
    private static final String MIXIN = "options";

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

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
                    + LINK + " (like 100MiB, a second), " + PATH + " (auto, direct or fleet), " + TOKEN_FILE
                    + ", tls.*, client.peer.*")
    private @Nullable Path config;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = OptionConverters.Timeout.class,
            description =
                    "how long to wait for a coordinator that does not answer, like 90s, 2m or 90 (seconds); default 30s,"
                            + " 15s for one that never answered, 3s where the connection is refused")
    private @Nullable Duration timeout;

    @Option(
            names = "--location",
            paramLabel = "LABELS",
            description =
                    "where this machine is, like zone-a/rack-1/host-3: shared volumes are read through the nearest "
                            + "switch (CLOUDMW_LOCATION)")
    private @Nullable String location;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "the token that says for whom this command acts (CLOUDMW_TOKEN_FILE, or the token itself in"
                    + " CLOUDMW_TOKEN; default that of cloudmw login, else the administrator's on the"
                    + " coordinator's machine, ~/.cloudmw/admin.token)")
    private @Nullable Path tokenFile;

    @Option(names = "--insecure", description = "plain text instead of TLS, for a cluster that runs with --insecure")
    private boolean insecure;

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

    public boolean json() {
        return anywhere(all -> all.json);
    }

    public boolean quiet() {
        return anywhere(all -> all.quiet);
    }

    public boolean verbose() {
        return anywhere(all -> all.verbose);
    }

    /** Returns whether this command or a parent has an option that selects a cluster, or the way to reach it. */
    public boolean isClusterGiven() {
        return anywhere(all -> all.coordinator != null
                || all.config != null
                || all.timeout != null
                || all.location != null
                || all.tokenFile != null
                || all.insecure);
    }

    private boolean anywhere(Predicate<GlobalOptions> given) {
        return given.test(this) || outer().map(all -> all.anywhere(given)).orElse(false);
    }

    private <T> Optional<T> nearest(Function<GlobalOptions, @Nullable T> option) {
        T own = option.apply(this);
        return own != null ? Optional.of(own) : outer().flatMap(all -> all.nearest(option));
    }

    private Optional<GlobalOptions> outer() {
        return above(command);
    }

    /** Returns the options of the parent of a command. */
    public static Optional<GlobalOptions> above(@Nullable CommandSpec command) {
        CommandSpec parent = command == null ? null : command.parent();
        CommandSpec mixin = parent == null ? null : parent.mixins().get(MIXIN);
        return mixin != null && mixin.userObject() instanceof GlobalOptions found
                ? Optional.of(found)
                : Optional.empty();
    }

    /**
     * Returns the client options. The command line overrides the environment, and both override the settings file.
     *
     * @throws CloudMwException {@code LOCAL_IO} when the file cannot be read; {@code INVALID_ARGUMENT} when a value is
     *     wrong
     */
    public CloudMwOptions clientOptions(Map<String, String> environment) throws CloudMwException {
        Settings settings = Settings.load(nearest(all -> all.config), Map.of(), Map.of());
        String fromFile = settings.text(COORDINATOR, CloudMwOptions.DEFAULT_COORDINATOR);
        Optional<Duration> configured =
                settings.optional(TIMEOUT, "a duration like 2s, 1ms..1d", GlobalOptions::inBounds);
        RedundancyLimits budget = settings.optional(REDUNDANCY, "0%..100%, like 5%", GlobalOptions::share)
                .orElse(RedundancyLimits.DEFAULT);
        String place = settings.text(LOCATION, "");
        PeerSettings.FromFile unused = PeerSettings.FromFile.of(settings);
        Optional<Long> link = settings.optional(LINK, "like 100MiB", GlobalOptions::positive);
        ReadPath path = settings.read(PATH, ReadPath.DEFAULT.label(), ReadPath.labels(), ReadPath::parse);
        ClientSecurity security = security(settings, environment);
        settings.finish();
        String address = nearest(all -> all.coordinator)
                .orElseGet(() -> environment.getOrDefault("CLOUDMW_COORDINATOR", fromFile));
        String near = nearest(all -> all.location).orElseGet(() -> environment.getOrDefault("CLOUDMW_LOCATION", place));
        CloudMwOptions options = CloudMwOptions.of(address)
                .withRefusedTimeout(REFUSED_TIMEOUT)
                .withRedundancy(budget)
                .withPath(path)
                .withLocation(Location.parse(near))
                .withSecurity(security)
                .withCertificateDirectory(SecretFiles.CERTIFICATES);
        options = link.map(options::withLink).orElse(options);
        return given().or(() -> configured).map(options::withCoordinatorTimeout).orElse(options);
    }

    private ClientSecurity security(Settings settings, Map<String, String> environment) throws CloudMwException {
        TlsOptions tls = TlsOptions.read(settings);
        Optional<Path> fromFile = settings.optionalPath(TOKEN_FILE);
        Optional<Path> file = nearest(all -> all.tokenFile);
        if (anywhere(all -> all.insecure)) {
            return ClientSecurity.insecure();
        }
        if (file.isPresent()) {
            return ClientSecurity.tokenFile(file.get());
        }
        Optional<ClientSecurity> fromEnvironment = DefaultSecurity.fromEnvironment(environment);
        if (fromEnvironment.isPresent()) {
            return fromEnvironment.get();
        }
        if (tls.files().isPresent()) {
            TlsFiles files = tls.files().get();
            return ClientSecurity.certificate(files.key(), files.certificate(), files.authorities());
        }
        if (tls.insecure()) {
            return ClientSecurity.insecure();
        }
        return fromFile.map(ClientSecurity::tokenFile).orElseGet(ClientSecurity::byDefault);
    }

    /**
     * Returns the settings for serving peers that the settings file has.
     *
     * @throws CloudMwException as {@link #clientOptions}
     */
    public PeerSettings.FromFile peerSettings() throws CloudMwException {
        return PeerSettings.FromFile.of(Settings.load(nearest(all -> all.config), Map.of(), Map.of()));
    }

    private Optional<Duration> given() {
        Optional<Duration> given = nearest(all -> all.timeout);
        if (given.isPresent() && !isInBounds(given.get())) {
            throw new IllegalArgumentException("--timeout: " + Durations.format(given.get()) + " (expected: 1ms..1d)");
        }
        return given;
    }

    private static Duration inBounds(String text) {
        Duration time = Durations.parse(text);
        if (!isInBounds(time)) {
            throw new IllegalArgumentException(text);
        }
        return time;
    }

    private static boolean isInBounds(Duration time) {
        return time.toMillis() >= 1 && time.compareTo(LONGEST_TIMEOUT) <= 0;
    }

    private static long positive(String text) {
        long bytes = Sizes.parse(text);
        if (bytes < 1) {
            throw new IllegalArgumentException(text);
        }
        return bytes;
    }

    private static RedundancyLimits share(String text) {
        Matcher percent = PERCENT.matcher(text);
        if (!percent.matches()) {
            throw new IllegalArgumentException(text);
        }
        return RedundancyLimits.ofShare(Double.parseDouble(percent.group(1)) / 100);
    }
}
