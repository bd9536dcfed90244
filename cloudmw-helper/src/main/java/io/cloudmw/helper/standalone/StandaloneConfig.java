package io.cloudmw.helper.standalone;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import java.nio.file.Path;

/**
 * What a standalone cluster is told before it starts. See {@code docs/configuration.md}.
 *
 * @param listen where the coordinator listens; port 0: any free one
 * @param directory everything is kept below it; made when it is not there
 * @param secretFile the cluster's secret; made with a random one where there is none
 * @param helpers how many
 */
public record StandaloneConfig(HostPort listen, Path directory, Path secretFile, int helpers) {
    /** Reads the settings under {@code standalone}, where the coordinator listens, and the key. */
    public static StandaloneConfig read(Settings settings) throws CloudMwException {
        Path directory = settings.path("standalone.dir", Path.of("cloudmw-data"));
        return new StandaloneConfig(
                settings.address("coordinator.listen", new HostPort("127.0.0.1", 7400)),
                directory,
                settings.path("cluster.secret-file", directory.resolve("cluster.secret")),
                settings.integer("standalone.helpers", 3, 1, 16));
    }
}
