package io.cloudmw.helper.cli;

import io.cloudmw.coordinator.server.CoordinatorConfig;
import io.cloudmw.coordinator.server.CoordinatorServer;
import io.cloudmw.coordinator.server.CoordinatorWarmUp;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.helper.bucket.CoordinatorBuckets;
import io.cloudmw.helper.http.HttpEndpoint;
import io.cloudmw.helper.log.AuditFile;
import io.cloudmw.helper.log.LogFormat;
import io.cloudmw.helper.page.PageAccessCheck;
import io.cloudmw.helper.page.WebPage;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code cloudmw coordinator}. */
@Command(
        name = "coordinator",
        mixinStandardHelpOptions = true,
        versionProvider = ServerVersion.class,
        description = "Serves the catalog: volumes, files, the places of their chunks, and the live helpers.")
final class CoordinatorCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions options = new ServerOptions();

    @Option(names = "--listen", paramLabel = "HOST:PORT", description = "The address to serve on (coordinator.listen).")
    private @Nullable String listen;

    @Option(
            names = "--data-dir",
            paramLabel = "DIRECTORY",
            description = "The directory of the catalog's file (coordinator.data-dir).")
    private @Nullable String dataDirectory;

    @Option(
            names = "--catalog",
            paramLabel = "sqlite|dynamodb:TABLE",
            description = "The storage of the catalog (coordinator.catalog).")
    private @Nullable String catalog;

    @Option(
            names = "--http",
            paramLabel = "HOST:PORT",
            description = "The address of the web page, /metrics, /healthz and /readyz (coordinator.http.listen).")
    private @Nullable String http;

    @Override
    public Integer call() throws CloudMwException, InterruptedException {
        options.watchInput();
        Map<String, @Nullable String> given = new LinkedHashMap<>();
        given.put("coordinator.listen", listen);
        given.put("coordinator.data-dir", dataDirectory);
        given.put("coordinator.catalog", catalog);
        given.put("coordinator.http.listen", http);
        Settings settings = options.settings(given);
        CoordinatorConfig config = CoordinatorConfig.read(settings);
        Duration stopTimeout = ServingProcess.stopTimeout(settings);
        Duration warmUpTime = ServingProcess.warmUpTime(settings);
        settings.finish();
        LogFormat.name("coordinator", config.listen().toString());
        PageAccessCheck.Settings access = PageAccessCheck.read(config.httpToken());
        try (ServingProcess serving = ServingProcess.begin("coordinator", stopTimeout)) {
            CoordinatorBuckets direct = serving.with(new CoordinatorBuckets());
            PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            serving.with((AutoCloseable) meters::close);
            Optional<HttpEndpoint> endpoint = serving.listen("coordinator.http.listen", config.http());
            AuditFile unused = serving.with(AuditFile.open(config.audit()));
            CoordinatorServer coordinator = serving.with(CoordinatorServer.start(config, direct, meters));
            Map<String, Object> where = new LinkedHashMap<>();
            where.put("address", coordinator.address().toString());
            Map<String, Object> started = new LinkedHashMap<>(where);
            started.put("catalog", config.catalog());
            serving.started(started, settings);
            endpoint.ifPresent(http -> {
                http.handleOthers(
                        serving.with(WebPage.of(access.at(http.address(), coordinator.logins()), coordinator.page())));
                serving.answer(http, meters);
                where.put("http", http.address().toString());
            });
            serving.warmUp(warmUpTime, (directory, budget) -> CoordinatorWarmUp.run(directory, budget::takeSmall));
            serving.serves(coordinator::isServing, coordinator::unready);
            where.put("pid", ProcessHandle.current().pid());
            ServingProcess.ready(System.out, options.json(), "coordinator", where);
            serving.awaitSignal();
        }
        return 0;
    }
}
