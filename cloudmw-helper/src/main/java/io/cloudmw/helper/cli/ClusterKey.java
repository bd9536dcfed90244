package io.cloudmw.helper.cli;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.HostPorts;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.security.ClusterSecret;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;

/** The setting of the secret that all processes of a cluster share. */
final class ClusterKey {
    static final String SETTING = "cluster.secret-file";

    private ClusterKey() {}

    static Path file(Settings settings) throws CloudMwException {
        return settings.path(SETTING, ClusterSecret.DEFAULT_FILE);
    }

    /**
     * Reads the secret of a helper. It is created only for a cluster of this machine: a new secret is of no use to a
     * helper whose coordinator has another one.
     *
     * @throws CloudMwException as {@link ClusterSecret#readOrCreate}; {@code LOCAL_IO} when there is no file and no
     *     coordinator is on this machine
     */
    static ClusterSecret ofHelper(Path file, HostPorts coordinators) throws CloudMwException {
        if (!Files.exists(file) && coordinators.all().stream().noneMatch(ClusterKey::isHere)) {
            throw new CloudMwException(
                    ErrorCode.LOCAL_IO,
                    SETTING + ": there is no file " + file + ", and the coordinator " + coordinators
                            + " is on another machine (expected: a copy of its secret file, which only this user can read)");
        }
        return ClusterSecret.readOrCreate(file);
    }

    private static boolean isHere(HostPort coordinator) {
        try {
            InetAddress address = InetAddress.getByName(coordinator.host());
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (IOException e) {
            return false;
        }
    }
}
