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
 * @param helpers how many
 */
public record StandaloneConfig(HostPort listen, Path directory, int helpers) {
    /** Reads the settings under {@code standalone}, and where the coordinator listens. */
    public static StandaloneConfig read(Settings settings) throws CloudMwException {
        return new StandaloneConfig(
                settings.address("coordinator.listen", new HostPort("127.0.0.1", 7400)),
                settings.path("standalone.dir", Path.of("cloudmw-data")),
                settings.integer("standalone.helpers", 3, 1, 16));
    }
}
