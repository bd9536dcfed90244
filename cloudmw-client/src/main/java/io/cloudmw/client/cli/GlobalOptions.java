package io.cloudmw.client.cli;

import io.cloudmw.client.CloudMwOptions;
import io.cloudmw.core.config.Durations;
import io.cloudmw.core.race.Governor;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What every command takes. */
final class GlobalOptions {
    private static final String COORDINATOR = "client.coordinator";
    private static final String TIMEOUT = "client.coordinator-timeout";
    private static final String REDUNDANCY = "client.redundancy";
    private static final Pattern PERCENT = Pattern.compile("(100|[0-9]{1,2}(?:\\.[0-9]{1,3})?)%");
    private static final Set<String> KEYS = new TreeSet<>(Set.of(COORDINATOR, TIMEOUT, REDUNDANCY));

    @Option(
            names = {"-c", "--coordinator"},
            paramLabel = "HOST:PORT",
            description = "the cluster's coordinator, or several with commas between (CLOUDMW_COORDINATOR; default "
                    + CloudMwOptions.DEFAULT_COORDINATOR + ")")
    private @Nullable String coordinator;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "properties: " + COORDINATOR + ", " + TIMEOUT + " (like 30s), " + REDUNDANCY + " (like 5%%)")
    private @Nullable Path config;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "how long to wait for a coordinator that does not answer (default 30)")
    private @Nullable Integer timeoutSeconds;

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

    CloudMwOptions clientOptions(Map<String, String> environment) {
        Properties file = read();
        String address = coordinator;
        if (address == null) {
            address = environment.get("CLOUDMW_COORDINATOR");
        }
        if (address == null) {
            address = file.getProperty(COORDINATOR, CloudMwOptions.DEFAULT_COORDINATOR);
        }
        CloudMwOptions options = CloudMwOptions.of(address).withRedundancy(redundancy(file));
        if (timeoutSeconds != null) {
            return options.withCoordinatorTimeout(Duration.ofSeconds(timeoutSeconds));
        }
        String timeout = file.getProperty(TIMEOUT);
        return timeout == null ? options : options.withCoordinatorTimeout(Durations.parse(timeout));
    }

    private static Governor.Budget redundancy(Properties file) {
        String text = file.getProperty(REDUNDANCY);
        if (text == null) {
            return Governor.Budget.DEFAULT;
        }
        Matcher percent = PERCENT.matcher(text);
        if (!percent.matches()) {
            throw new IllegalArgumentException(REDUNDANCY + ": \"" + text + "\" (expected: 0%..100%, like 5%)");
        }
        return Governor.Budget.ofShare(Double.parseDouble(percent.group(1)) / 100);
    }

    private Properties read() {
        Properties file = new Properties();
        if (config == null) {
            return file;
        }
        try (Reader reader = Files.newBufferedReader(config)) {
            file.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new IllegalArgumentException("config: cannot read " + config + ": " + e.getMessage(), e);
        }
        for (Object key : new TreeSet<>(file.stringPropertyNames())) {
            if (!KEYS.contains(key)) {
                throw new IllegalArgumentException("config: unknown key " + key + " in " + config + " (expected: "
                        + String.join(", ", KEYS) + ")");
            }
        }
        return file;
    }
}
