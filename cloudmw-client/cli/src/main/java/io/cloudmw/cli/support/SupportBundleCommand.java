package io.cloudmw.cli.support;

import io.cloudmw.cli.command.ClientCommand;
import io.cloudmw.cli.command.CommandContext;
import io.cloudmw.cli.output.Json;
import io.cloudmw.client.CloudMw;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.time.WallClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that collects what a maintainer needs to know, without secrets. */
@Command(
        name = "support-bundle",
        mixinStandardHelpOptions = true,
        description = "Collect state, configuration, logs and thread dumps in one file, without secrets.")
public final class SupportBundleCommand extends ClientCommand {
    private static final int MOST_FILES = 20;

    /** Where the packages have the secret of the cluster. */
    private static final Path PACKAGED_SECRET = Path.of("/var/lib/cloudmw/cluster.secret");

    private static final String SECRET_VARIABLE = "CLOUDMW_CLUSTER_SECRET_FILE";
    private static final Pattern SECRET_FILE =
            Pattern.compile("^\\s*(?:cluster\\.secret-file|" + SECRET_VARIABLE + ")\\s*[=:]\\s*(\\S+)");

    private static final Path CONFIGURATION = Path.of("/etc/cloudmw");
    private static final List<String> UNITS = List.of("cloudmw-coordinator", "cloudmw-helper");
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private final Map<String, ClientCommand> cluster;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "the bundle, a ZIP file; default cloudmw-support-TIME.zip")
    private @Nullable Path output;

    @Option(names = "--force", description = "replace FILE if it exists")
    private boolean force;

    @Option(
            names = "--http",
            paramLabel = "HOST:PORT",
            description =
                    "where a coordinator or helper has its metrics; also health and readiness are asked; repeatable")
    private List<String> http = new ArrayList<>();

    @Option(
            names = "--log",
            paramLabel = "PATH",
            description = "a log, or a directory of logs: the last 10 MiB of each of the newest 20; repeatable")
    private List<Path> logs = new ArrayList<>();

    @Option(
            names = "--config-file",
            paramLabel = "PATH",
            description = "a file or directory of settings; repeatable; default /etc/cloudmw")
    private List<Path> settings = new ArrayList<>();

    /** @param cluster commands whose answers are parts of the bundle, by the names of the parts */
    public SupportBundleCommand(CommandContext context, Map<String, ClientCommand> cluster) {
        super(context);
        this.cluster = new LinkedHashMap<>(cluster);
    }

    @Override
    protected Map<String, ?> run(CloudMw client) throws Exception {
        List<HostPort> endpoints = new ArrayList<>();
        for (String address : http) {
            endpoints.add(HostPort.parse(address));
        }
        Path file = output == null
                ? Path.of("cloudmw-support-"
                        + TIME.format(Instant.ofEpochMilli(WallClock.system().millis())) + ".zip")
                : output;
        SecretMask mask = SecretMask.of(context.environment(), clusterSecrets());
        try (SupportBundle bundle = SupportBundle.begin(file, force, mask)) {
            bundle.add("versions.txt", LocalSources::versions);
            bundle.add("variables.txt", () -> LocalSources.variables(context.environment()));
            addConfiguration(bundle);
            addCluster(bundle, client);
            for (HostPort endpoint : endpoints) {
                addPages(bundle, endpoint);
            }
            addLogs(bundle);
            addThreads(bundle);
            bundle.complete();
            return said(file, bundle);
        }
    }

    private Map<String, ?> said(Path file, SupportBundle bundle) {
        bundle.missing().forEach((name, reason) -> say("missing: %s: %s", name, reason));
        say("wrote %s: %d parts", file, bundle.parts().size());
        say("read it before you send it to others: secrets are replaced, names and paths are not");
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("file", file.toAbsolutePath().toString());
        answer.put("parts", bundle.parts());
        answer.put("missing", bundle.missing());
        return answer;
    }

    /** The lines of the secret files that this user may read, so that none of them gets into the bundle. */
    private List<String> clusterSecrets() {
        Set<Path> files = new LinkedHashSet<>(List.of(ClusterSecret.DEFAULT_FILE, PACKAGED_SECRET));
        Optional.ofNullable(context.environment().get(SECRET_VARIABLE))
                .map(Path::of)
                .ifPresent(files::add);
        for (Path place : configuration()) {
            for (Path file : readable(place)) {
                lines(file).stream()
                        .map(SECRET_FILE::matcher)
                        .filter(Matcher::find)
                        .forEach(line -> files.add(Path.of(line.group(1))));
            }
        }
        return files.stream().flatMap(file -> lines(file).stream()).toList();
    }

    private static List<Path> readable(Path place) {
        try {
            return LocalSources.files(place);
        } catch (IOException e) {
            return List.of();
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return List.of();
        }
    }

    private List<Path> configuration() {
        return settings.isEmpty() ? List.of(CONFIGURATION) : settings;
    }

    private void addConfiguration(SupportBundle bundle) throws CloudMwException {
        for (Path place : configuration()) {
            addFiles(bundle, "configuration", place, bundle::addSettings);
        }
    }

    private void addLogs(SupportBundle bundle) throws CloudMwException {
        for (Path log : logs) {
            addFiles(bundle, "logs", log, bundle::add);
        }
        for (String unit : UNITS) {
            bundle.add("logs/" + unit + ".journal", () -> LocalSources.journal(unit));
        }
    }

    /** Adds a part to the bundle. */
    private interface Adding {
        boolean add(String name, SupportBundle.Source source) throws CloudMwException;
    }

    private static void addFiles(SupportBundle bundle, String directory, Path place, Adding adding)
            throws CloudMwException {
        List<Path> files;
        try {
            files = LocalSources.files(place);
        } catch (IOException e) {
            bundle.missing(directory + "/" + place, String.valueOf(e.getMessage()));
            return;
        }
        for (Path file : files.subList(0, Math.min(MOST_FILES, files.size()))) {
            adding.add(directory + file.toAbsolutePath().normalize(), () -> LocalSources.file(file));
        }
        if (files.size() > MOST_FILES) {
            bundle.missing(
                    directory + place.toAbsolutePath().normalize(),
                    files.size() - MOST_FILES + " older files of " + files.size());
        }
    }

    /** Adds the answers of the cluster; once no coordinator answers, it is not asked again. */
    private void addCluster(SupportBundle bundle, CloudMw client) throws CloudMwException {
        Optional<String> away = Optional.empty();
        for (Map.Entry<String, ClientCommand> part : cluster.entrySet()) {
            String name = "cluster/" + part.getKey() + ".json";
            if (away.isPresent()) {
                bundle.missing(name, away.get());
                continue;
            }
            List<CloudMwException> failures = new ArrayList<>();
            bundle.add(name, () -> answer(part.getValue(), client, failures));
            away = failures.stream()
                    .filter(failure -> failure.code() == ErrorCode.COORDINATOR_UNAVAILABLE)
                    .map(Throwable::getMessage)
                    .findFirst();
        }
    }

    private static String answer(ClientCommand command, CloudMw client, List<CloudMwException> failures)
            throws Exception {
        try {
            return Json.line(command.answer(client)) + "\n";
        } catch (CloudMwException e) {
            failures.add(e);
            throw e;
        }
    }

    private static void addPages(SupportBundle bundle, HostPort endpoint) throws CloudMwException {
        String directory = "http/" + endpoint.toString().replace(':', '_');
        boolean there = bundle.add(directory + "/readyz.txt", () -> LocalSources.page(endpoint, "/readyz"));
        for (String page : List.of("healthz", "metrics")) {
            String name = directory + "/" + page + ".txt";
            if (there) {
                bundle.add(name, () -> LocalSources.page(endpoint, "/" + page));
            } else {
                bundle.missing(name, "the endpoint did not answer");
            }
        }
    }

    private static void addThreads(SupportBundle bundle) throws CloudMwException {
        List<ProcessHandle> servers = LocalSources.servers();
        for (ProcessHandle server : servers) {
            bundle.add("threads/" + server.pid() + ".txt", () -> LocalSources.threads(server));
        }
        if (servers.isEmpty()) {
            bundle.missing("threads", "no coordinator or helper that this user may look into runs on this machine");
        }
    }
}
