package io.cloudmw.helper.cli;

import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.security.ClusterSecret;

/** The setting of the secret that all processes of a cluster share. */
final class ClusterKey {
    static final String SETTING = "cluster.secret-file";

    private ClusterKey() {}

    static ClusterSecret read(Settings settings) throws CloudMwException {
        return ClusterSecret.readOrCreate(settings.path(SETTING, ClusterSecret.DEFAULT_FILE));
    }
}
