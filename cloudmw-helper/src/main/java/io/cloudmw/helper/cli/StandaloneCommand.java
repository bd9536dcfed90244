package io.cloudmw.helper.cli;

import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.fleet.HelperAddress;
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

/** The command {@code cloudmw standalone}. */
@Command(
        name = "standalone",
        mixinStandardHelpOptions = true,
        versionProvider = ServerVersion.class,
        description = "Runs a coordinator and helpers with a disk each in one process, for development.")
final class StandaloneCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions options = new ServerOptions();

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "The coordinator's address (coordinator.listen).")
    private @Nullable String listen;

    @Option(names = "--dir", paramLabel = "DIRECTORY", description = "The directory of all data (standalone.dir).")
    private @Nullable String directory;

    @Option(names = "--helpers", paramLabel = "N", description = "The number of helpers (standalone.helpers).")
    private @Nullable String helpers;

    @Option(
            names = "--replace-disk",
            paramLabel = "STORE",
            description =
                    "Replace a lost disk, such as disk-2, by an empty directory: all of its copies are made again."
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
        // The setting may be there for all processes of a machine. This one is for development, and does not warm up.
        var unused = ServingProcess.warmUpTime(settings);
        settings.finish();
        try (ServingProcess serving = ServingProcess.begin("standalone", stopTimeout)) {
            StandaloneCluster cluster = serving.with(StandaloneCluster.start(config));
            Map<String, Object> where = new LinkedHashMap<>();
            where.put("address", cluster.coordinator().toString());
            where.put(
                    "helpers",
                    cluster.helpers().stream()
                            .map(HelperServer::address)
                            .map(HelperAddress::id)
                            .map(Object::toString)
                            .toList());
            serving.started(where, settings);
            where.put("pid", ProcessHandle.current().pid());
            ServingProcess.ready(System.out, options.json(), "standalone", where);
            serving.awaitSignal();
        }
        return 0;
    }
}
