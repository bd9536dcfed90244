package io.cloudmw.helper.cli;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.core.trace.Telemetry;
import io.cloudmw.core.trace.Traces;
import io.cloudmw.helper.HelperServer;
import io.cloudmw.helper.bucket.HelperBuckets;
import io.cloudmw.helper.config.DirectMemory;
import io.cloudmw.helper.config.HelperConfig;
import io.cloudmw.helper.disk.DiskOpener;
import io.cloudmw.helper.http.HttpEndpoint;
import io.cloudmw.helper.log.AuditFile;
import io.cloudmw.helper.log.LogFormat;
import io.cloudmw.helper.warmup.HelperWarmUp;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.GlobalOpenTelemetry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code cloudmw helper}. */
@Command(
        name = "helper",
        mixinStandardHelpOptions = true,
        versionProvider = ServerVersion.class,
        description = "Stores chunks on its disks, races for blocks, and relays the blocks it won.",
        footer = {
            "",
            "A switch is a helper that reads volumes for many clients and caches what they read:",
            "set helper.switch.volumes (-D helper.switch.volumes=VOLUME,...).",
            "docs/configuration.md lists all settings."
        })
final class HelperCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(HelperCommand.class);

    /** Time after which an unregistered helper prints that it is ready; it serves all the same. */
    private static final long REGISTRATION_SECONDS = 15;

    private static final String COORDINATOR = "helper.coordinator";

    /** The environment variable that the client commands read, too. */
    private static final String COORDINATOR_VARIABLE = "CLOUDMW_COORDINATOR";

    @Mixin
    private ServerOptions options = new ServerOptions();

    @Option(names = "--id", paramLabel = "NAME", description = "The helper's name in its cluster (helper.id).")
    private @Nullable String id;

    @Option(
            names = {"-c", "--coordinator"},
            paramLabel = "HOST:PORT[,HOST:PORT...]",
            description = {
                "The coordinator, or several that share a catalog (helper.coordinator).",
                "Default: CLOUDMW_COORDINATOR, then 127.0.0.1:7400."
            })
    private @Nullable String coordinator;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = {
                "The address of the control plane (helper.control.listen).",
                "Default: the address by which this machine reaches the coordinator, any port."
            })
    private @Nullable String listen;

    @Option(
            names = "--bulk-listen",
            paramLabel = "HOST:PORT",
            description = "The address of the bulk plane (helper.bulk.listen). Default: as --listen, any port.")
    private @Nullable String bulkListen;

    @Option(
            names = {"--advertise", "--advertise-host"},
            paramLabel = "HOST[:PORT]",
            description = {
                "The host by which others reach this helper (helper.advertise-host),",
                "and the port of its control plane (helper.control.advertise-port).",
                "Default: the address it listens on."
            })
    private @Nullable String advertise;

    @Option(names = "--disk", paramLabel = "STORE=DIRECTORY", description = "A disk of this helper. Repeatable.")
    private List<String> disks = new ArrayList<>();

    @Option(
            names = "--replace-disk",
            paramLabel = "STORE",
            description =
                    "Replace a lost disk by this one: all of its copies are made again. Give the option once, after the disk is"
                            + " mounted. Repeatable.")
    private List<String> replacedDisks = new ArrayList<>();

    @Option(
            names = "--http",
            paramLabel = "HOST:PORT",
            description = "The address for /metrics, /healthz and /readyz (helper.http.listen).")
    private @Nullable String http;

    @Override
    public Integer call() throws CloudMwException, InterruptedException {
        options.watchInput();
        Settings settings = options.settings(given());
        settings.fallBack(COORDINATOR, COORDINATOR_VARIABLE, System.getenv().getOrDefault(COORDINATOR_VARIABLE, ""));
        requireId(settings);
        Path secretFile = ClusterKey.file(settings);
        HelperConfig config = HelperConfig.read(settings).replacing(replacedDisks);
        Duration stopTimeout = ServingProcess.stopTimeout(settings);
        Duration warmUpTime = ServingProcess.warmUpTime(settings);
        settings.finish();
        config.requireFits(DirectMemory.limitBytes());
        // After all settings were checked: it may create the file.
        ClusterSecret secret = ClusterKey.ofHelper(secretFile, config.coordinator());
        LogFormat.name("helper", config.id().value());
        try (ServingProcess serving = ServingProcess.begin("helper", stopTimeout)) {
            AuditFile unusedFile = serving.with(AuditFile.openCalls(config.audit()));
            PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            serving.with((AutoCloseable) meters::close);
            Optional<HttpEndpoint> endpoint = serving.listen("helper.http.listen", config.http());
            endpoint.ifPresent(http -> serving.answer(http, meters));
            serving.warmUp(warmUpTime, (directory, budget) -> HelperWarmUp.run(config, directory, budget));
            HelperConfig.FetchLimits fetch = config.limits().fetch();
            HelperBuckets buckets = serving.with(new HelperBuckets(
                    fetch.threads(), fetch.extraThreads(), fetch.warmConnections(), config.s3Throttle(), meters));
            Telemetry telemetry = new Telemetry(meters, Traces.tracer(GlobalOpenTelemetry.get()));
            HelperServer helper =
                    serving.with(HelperServer.start(config, secret, buckets, DiskOpener.throttling(), telemetry));
            Map<String, Object> where = new LinkedHashMap<>();
            where.put("id", config.id().value());
            where.put("control", helper.address().control());
            where.put("bulk", helper.address().bulk());
            where.put(
                    "disks",
                    helper.disks().stream().map(Store::id).map(Object::toString).toList());
            serving.started(where, settings);
            serving.serves(helper::isServing, helper::unready);
            endpoint.ifPresent(http -> where.put("http", http.address().toString()));
            boolean registered = awaitRegistration(helper);
            where.put("registered", registered);
            if (!helper.lostDisks().isEmpty()) {
                where.put(
                        "lost_disks",
                        helper.lostDisks().stream().map(Object::toString).toList());
            }
            where.put("pid", ProcessHandle.current().pid());
            if (registered) {
                ServingProcess.ready(System.out, options.json(), "helper", where);
            } else {
                String reason = helper.unready().orElse("it registers just now");
                ServingProcess.unready(System.out, options.json(), "helper", where, reason);
                Map<String, Object> later = new LinkedHashMap<>(where);
                later.put("registered", true);
                var unused = helper.accepted()
                        .thenRun(() -> ServingProcess.ready(System.out, options.json(), "helper", later));
            }
            serving.awaitSignal(helper.refused());
        }
        return 0;
    }

    /** Requires an id, which has no default; the message names the option before the setting. */
    private static void requireId(Settings settings) throws CloudMwException {
        if (settings.text("helper.id", "").isEmpty()) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "--id: missing (expected: the helper's name in its cluster, here or as the setting helper.id)");
        }
    }

    /** The coordinator that was given before the command. */
    private @Nullable String coordinatorBefore() {
        CommandSpec parent = spec == null ? null : spec.parent();
        return parent != null && parent.userObject() instanceof ServerMain main
                ? main.coordinator().orElse(null)
                : null;
    }

    private Map<String, @Nullable String> given() throws CloudMwException {
        Map<String, @Nullable String> given = new LinkedHashMap<>();
        given.put("helper.id", id);
        given.put(COORDINATOR, coordinator == null ? coordinatorBefore() : coordinator);
        given.put("helper.control.listen", listen);
        given.put("helper.bulk.listen", bulkListen);
        if (advertise != null) {
            Map.Entry<String, Optional<Integer>> reached = advertised(advertise);
            given.put("helper.advertise-host", reached.getKey());
            reached.getValue().ifPresent(port -> given.put("helper.control.advertise-port", Integer.toString(port)));
        }
        given.put("helper.http.listen", http);
        for (String disk : disks) {
            Map.Entry<String, String> pair = ServerOptions.pair("--disk", "STORE=DIRECTORY", disk);
            given.put("helper.disk." + pair.getKey() + ".path", pair.getValue());
        }
        return given;
    }

    /**
     * Parses {@code HOST}, {@code HOST:PORT} or {@code [IPV6]:PORT}; an IPv6 address without a port needs no brackets.
     */
    private static Map.Entry<String, Optional<Integer>> advertised(String text) throws CloudMwException {
        try {
            boolean hasPort = text.startsWith("[") ? !text.endsWith("]") : text.indexOf(':') == text.lastIndexOf(':');
            if (hasPort && text.indexOf(':') >= 0) {
                HostPort address = HostPort.parse(text);
                return Map.entry(address.host(), Optional.of(address.port()));
            }
            return Map.entry(text.replaceAll("^\\[|\\]$", ""), Optional.empty());
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, "--advertise: \"" + text + "\" (expected: HOST or HOST:PORT)", e);
        }
    }

    private static boolean awaitRegistration(HelperServer helper) throws CloudMwException, InterruptedException {
        try {
            helper.registered().get(REGISTRATION_SECONDS, TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException e) {
            LOG.warn(
                    "helper {} serves, but no client finds it: {}; retrying (is the coordinator there? --coordinator"
                            + " HOST:PORT names another)",
                    helper.address().id(),
                    helper.unready().orElse("it registers just now"));
            return false;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof CloudMwException refused
                    ? refused
                    : new CloudMwException(ErrorCode.INTERNAL, "registration failed: " + e.getCause(), e);
        }
    }
}
