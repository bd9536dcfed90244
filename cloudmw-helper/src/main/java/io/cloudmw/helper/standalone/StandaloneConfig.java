package io.cloudmw.helper.standalone;

import io.cloudmw.coordinator.identity.AuthorityFile;
import io.cloudmw.coordinator.identity.AuthorityOptions;
import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.security.TokenFile;
import io.cloudmw.core.tls.TlsOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The configuration of a standalone cluster. See {@code docs/configuration.md}.
 *
 * @param listen the coordinator's address; port 0 takes any free port
 * @param directory holds all data; created when it is missing
 * @param secretFile holds the cluster's secret; created with a random secret when it is missing
 * @param helpers number of helpers
 * @param replacedDisks ids of disks that replace lost ones
 * @param tls the encryption of connections
 */
public record StandaloneConfig(
        HostPort listen, Path directory, Path secretFile, int helpers, List<String> replacedDisks, Tls tls) {
    public StandaloneConfig {
        replacedDisks = List.copyOf(replacedDisks);
    }

    /** A configuration in plain text, without replaced disks, for processes that use the cluster themselves. */
    public StandaloneConfig(HostPort listen, Path directory, Path secretFile, int helpers) {
        this(
                listen,
                directory,
                secretFile,
                helpers,
                List.of(),
                new Tls(true, AuthorityFile.DEFAULT, TokenFile.OF_ADMINISTRATOR));
    }

    /**
     * The encryption of a cluster's connections.
     *
     * @param insecure whether they are in plain text
     * @param authority the file of the cluster's authority; made when it is missing
     * @param adminToken the file of the administrator's token; made when it is missing
     */
    public record Tls(boolean insecure, Path authority, Path adminToken) {
        private static Tls read(Settings settings) throws CloudMwException {
            return new Tls(
                    settings.flag(TlsOptions.INSECURE, false),
                    settings.path(AuthorityOptions.FILE, AuthorityFile.DEFAULT),
                    settings.path(AuthorityOptions.ADMIN_TOKEN, TokenFile.OF_ADMINISTRATOR));
        }

        /** The settings of a helper. */
        Map<String, String> helper() {
            return Map.of(TlsOptions.INSECURE, Boolean.toString(insecure));
        }

        /** The settings of the coordinator. */
        Map<String, String> coordinator() {
            return Map.of(
                    TlsOptions.INSECURE,
                    Boolean.toString(insecure),
                    AuthorityOptions.FILE,
                    authority.toString(),
                    AuthorityOptions.ADMIN_TOKEN,
                    adminToken.toString());
        }
    }

    /**
     * Checks that the helpers fit into direct memory.
     *
     * @param bytes direct memory that this process may take
     * @throws CloudMwException {@code INVALID_ARGUMENT}, with the number of helpers that fit
     */
    void requireFits(long bytes) throws CloudMwException {
        long most = bytes / HostedHelper.DIRECT_MEMORY_BYTES;
        if (helpers > most) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "standalone.helpers: " + helpers + " (expected: <= " + most + ", as each needs "
                            + (HostedHelper.DIRECT_MEMORY_BYTES >> 20) + " MiB of the " + (bytes >> 20)
                            + " MiB of direct memory there is; -XX:MaxDirectMemorySize in CLOUDMW_JAVA_OPTS gives more)");
        }
    }

    /**
     * The same configuration with disks that replace lost ones.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when a disk belongs to no helper
     */
    public StandaloneConfig replacing(List<String> disks) throws CloudMwException {
        for (String disk : disks) {
            if (IntStream.rangeClosed(1, helpers).noneMatch(i -> disk.equals(disk(i)))) {
                throw new CloudMwException(
                        ErrorCode.INVALID_ARGUMENT,
                        "--replace-disk: " + disk + " (expected: " + disk(1) + " to " + disk(helpers) + ")");
            }
        }
        return new StandaloneConfig(listen, directory, secretFile, helpers, disks, tls);
    }

    /** The id of a helper's disk; helpers count from 1. */
    static String disk(int helper) {
        return "disk-" + helper;
    }

    /** Reads the settings below {@code standalone}, the coordinator's address, the secret file and those of TLS. */
    public static StandaloneConfig read(Settings settings) throws CloudMwException {
        Path directory = settings.path("standalone.dir", Path.of("cloudmw-data"));
        return new StandaloneConfig(
                settings.address("coordinator.listen", new HostPort("127.0.0.1", 7400)),
                directory,
                settings.path("cluster.secret-file", directory.resolve("cluster.secret")),
                settings.integer("standalone.helpers", 3, 1, 16),
                List.of(),
                Tls.read(settings));
    }
}
