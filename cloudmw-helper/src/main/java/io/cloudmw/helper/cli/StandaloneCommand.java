package io.cloudmw.helper.cli;

import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.HelperAddress;
import io.cloudmw.helper.HelperServer;
import io.cloudmw.helper.standalone.StandaloneCluster;
import io.cloudmw.helper.standalone.StandaloneConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cloudmw standalone}. */
@Command(
        name = "standalone",
        mixinStandardHelpOptions = true,
        versionProvider = ServerVersion.class,
        description = "A coordinator and helpers with a disk each, in one process: for development.")
final class StandaloneCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions options = new ServerOptions();

    @Option(names = "--listen", paramLabel = "HOST:PORT", description = "Where the coordinator serves.")
    private @Nullable String listen;

    @Option(names = "--dir", paramLabel = "DIRECTORY", description = "Where everything is kept (standalone.dir).")
    private @Nullable String directory;

    @Option(names = "--helpers", paramLabel = "N", description = "How many helpers (standalone.helpers).")
    private @Nullable String helpers;

    @Option(
            names = "--replace-disk",
            paramLabel = "STORE",
            description =
                    "Take an empty directory in for a disk that is lost, like disk-2: all copies it had are made anew."
                            + " Repeatable.")
    private List<String> replacedDisks = new ArrayList<>();

    @Override
    public Integer call() throws CloudMwException, InterruptedException {
        options.watchInput();
        Map<String, @Nullable String> given = new LinkedHashMap<>();
        given.put("coordinator.listen", listen);
        given.put("standalone.dir", directory);
        given.put("standalone.helpers", helpers);
        Settings settings = options.settings(given);
        StandaloneConfig config = StandaloneConfig.read(settings).replacing(replacedDisks);
        Duration stopTimeout = ServingProcess.stopTimeout(settings);
        settings.finish();
        try (ServingProcess serving = ServingProcess.begin("standalone", stopTimeout)) {
            StandaloneCluster cluster = serving.with(StandaloneCluster.start(config));
            Map<String, Object> said = new LinkedHashMap<>();
            said.put("address", cluster.coordinator().toString());
            said.put(
                    "helpers",
                    cluster.helpers().stream()
                            .map(HelperServer::address)
                            .map(HelperAddress::id)
                            .map(Object::toString)
                            .toList());
            serving.started(said, settings);
            said.put("pid", ProcessHandle.current().pid());
            ServingProcess.ready(System.out, options.json(), "standalone", said);
            serving.awaitSignal();
        }
        return 0;
    }
}
