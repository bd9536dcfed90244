package io.cloudmw.helper.cli;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.helper.standalone.StandaloneCluster;
import io.cloudmw.helper.standalone.StandaloneConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/**
 * The hidden command {@code cloudmw warm-up}, which loads classes for the launcher's class-data archive. The command
 * starts a coordinator and a helper on loopback, stops them, and leaves no files.
 */
@Command(name = "warm-up", hidden = true, description = "Loads classes for the class-data archive.")
final class ServerWarmUp implements Callable<Integer> {
    @Override
    public Integer call() throws CloudMwException, IOException {
        Path directory = Files.createTempDirectory("cloudmw-warm-up-");
        try {
            StandaloneConfig config = new StandaloneConfig(
                    new HostPort("127.0.0.1", 0), directory, directory.resolve("cluster.secret"), 1);
            StandaloneCluster.start(config).close();
        } finally {
            delete(directory);
        }
        return 0;
    }

    private static void delete(Path directory) throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(directory)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }
}
