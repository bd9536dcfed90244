package io.cloudmw.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cloudmw.coordinator.server.CoordinatorConfig;
import io.cloudmw.coordinator.server.CoordinatorServer;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.security.ClusterSecret;
import io.cloudmw.helper.HelperServer;
import io.cloudmw.helper.bucket.CoordinatorBuckets;
import io.cloudmw.helper.bucket.HelperBuckets;
import io.cloudmw.helper.config.HelperConfig;
import io.cloudmw.helper.disk.DiskOpener;
import io.cloudmw.helper.http.HttpEndpoint;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A coordinator or a helper in the JVM of the test, with the settings of a process. Starts in a hundredth of the
 * processor time of a process; cannot be killed or paused.
 */
final class HostedServer implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<String, String> settings;
    private final Map<String, String> listening = new LinkedHashMap<>();
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final Map<String, Object> ready = new LinkedHashMap<>();

    private HostedServer(Map<String, String> settings) {
        this.settings = Map.copyOf(settings);
    }

    /** Starts a coordinator. */
    static HostedServer coordinator(Map<String, String> settings) throws IOException {
        HostedServer server = new HostedServer(settings);
        return server.started(server::startCoordinator);
    }

    /** Starts a helper and waits for its registration. */
    static HostedServer helper(Map<String, String> settings, List<String> replacedDisks) throws IOException {
        HostedServer server = new HostedServer(settings);
        return server.started(() -> server.startHelper(replacedDisks));
    }

    /** The start of the server. */
    private interface Start {
        void run() throws CloudMwException, InterruptedException;
    }

    private HostedServer started(Start start) throws IOException {
        try {
            start.run();
            return this;
        } catch (CloudMwException e) {
            close();
            throw e;
        } catch (InterruptedException e) {
            close();
            throw new IllegalStateException(e);
        }
    }

    private void startCoordinator() throws CloudMwException {
        Settings given = Settings.of(settings);
        CoordinatorConfig config = CoordinatorConfig.read(given);
        given.finish();
        CoordinatorBuckets direct = with(new CoordinatorBuckets());
        PrometheusMeterRegistry meters = meters();
        CoordinatorServer coordinator = with(CoordinatorServer.start(config, direct, meters));
        String address = coordinator.address().toString();
        listening.put("coordinator.listen", address);
        ready.put("address", address);
        if (config.http().isPresent()) {
            HttpEndpoint http =
                    endpoint("coordinator.http.listen", config.http().get());
            http.serve(meters, coordinator::isServing, coordinator::unready);
        }
    }

    private void startHelper(List<String> replacedDisks) throws CloudMwException, InterruptedException {
        Settings given = Settings.of(settings);
        ClusterSecret secret =
                ClusterSecret.readOrCreate(given.path("cluster.secret-file", CoordinatorConfig.DEFAULT_SECRET_FILE));
        HelperConfig config = HelperConfig.read(given).replacing(replacedDisks);
        given.finish();
        PrometheusMeterRegistry meters = meters();
        HelperConfig.FetchLimits fetch = config.limits().fetch();
        HelperBuckets buckets = with(new HelperBuckets(
                fetch.threads(), fetch.extraThreads(), fetch.warmConnections(), config.s3Throttle(), meters));
        HelperServer helper = with(HelperServer.start(config, secret, buckets, DiskOpener.throttling(), meters));
        String control = helper.address().control().toString();
        String bulk = helper.address().bulk().toString();
        listening.put("helper.control.listen", control);
        listening.put("helper.bulk.listen", bulk);
        ready.put("control", control);
        ready.put("bulk", bulk);
        if (config.http().isPresent()) {
            HttpEndpoint http = endpoint("helper.http.listen", config.http().get());
            http.serve(meters, helper::isServing, helper::unready);
        }
        awaitRegistration(helper);
        if (!helper.lostDisks().isEmpty()) {
            ready.put(
                    "lost_disks",
                    helper.lostDisks().stream().map(Object::toString).toList());
        }
    }

    /** Waits for the registration. A helper that cannot register serves nonetheless, as a process does. */
    private void awaitRegistration(HelperServer helper) throws CloudMwException, InterruptedException {
        try {
            helper.registered().get(15, TimeUnit.SECONDS);
            ready.put("registered", true);
        } catch (TimeoutException e) {
            ready.put("registered", false);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof CloudMwException refused) {
                throw refused;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private PrometheusMeterRegistry meters() {
        PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        parts.push(meters::close);
        return meters;
    }

    private HttpEndpoint endpoint(String setting, HostPort address) throws CloudMwException {
        HttpEndpoint http = with(new HttpEndpoint(setting, address));
        ready.put("http", http.address().toString());
        return http;
    }

    private <T extends AutoCloseable> T with(T part) {
        parts.push(part);
        return part;
    }

    /** Returns the fields of the line that a process prints when it is ready, except its process id. */
    JsonNode ready() {
        return JSON.valueToTree(ready);
    }

    /** Returns the settings for a restart at the same addresses. */
    Map<String, String> settingsForRestart() {
        Map<String, String> same = new LinkedHashMap<>(settings);
        same.putAll(listening);
        return same;
    }

    @Override
    public void close() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
