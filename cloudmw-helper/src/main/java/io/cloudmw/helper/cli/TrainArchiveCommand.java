package io.cloudmw.helper.cli;

import io.cloudmw.coordinator.server.CoordinatorWarmUp;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.helper.config.HelperConfig;
import io.cloudmw.helper.standalone.StandaloneCluster;
import io.cloudmw.helper.standalone.StandaloneConfig;
import io.cloudmw.helper.warmup.HelperWarmUp;
import io.cloudmw.helper.warmup.WarmUp;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The hidden command {@code cloudmw warm-up}, which trains the launcher's class-data archive or AOT cache. The command
 * starts a coordinator and a helper on loopback, stops them, runs the warm-ups of both, and leaves no files.
 */
@Command(name = "warm-up", hidden = true, description = "Trains the archive that makes starts faster.")
final class TrainArchiveCommand implements Callable<Integer> {
    /** The bytes are the limit. */
    private static final Duration TIME = Duration.ofMinutes(2);

    @Option(names = "--mib", paramLabel = "N", description = "data that the helper and the switch move, each")
    private int mebibytes = 96;

    @Override
    public Integer call() throws CloudMwException, InterruptedException {
        WarmUp.run(TIME, 0, (directory, budget) -> {
            StandaloneConfig config = new StandaloneConfig(
                    new HostPort("127.0.0.1", 0),
                    directory,
                    directory.resolve("cluster.secret"),
                    1,
                    List.of(),
                    new StandaloneConfig.Tls(
                            false, directory.resolve("authority.pem"), directory.resolve("admin.token")));
            StandaloneCluster.start(config).close();
        });
        train(HelperConfig.read(Settings.of(Map.of("helper.id", "warm-up"))));
        train(HelperConfig.read(Settings.of(
                Map.of("helper.id", "warm-up", "helper.switch.volumes", "*", "helper.cache.disk.dir", "replaced"))));
        WarmUp.run(
                TIME,
                (long) mebibytes << 20,
                (directory, budget) -> CoordinatorWarmUp.run(directory, budget::takeSmall));
        return 0;
    }

    private void train(HelperConfig config) throws InterruptedException {
        WarmUp.run(TIME, (long) mebibytes << 20, (directory, budget) -> HelperWarmUp.run(config, directory, budget));
    }
}
