package io.cloudmw.helper.standalone;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The configuration of a standalone cluster. See {@code docs/configuration.md}.
 *
 * @param listen the coordinator's address; port 0 takes any free port
 * @param directory holds all data; created when it is missing
 * @param secretFile holds the cluster's secret; created with a random secret when it is missing
 * @param helpers number of helpers
 * @param replacedDisks ids of disks that replace lost ones
 */
public record StandaloneConfig(
        HostPort listen, Path directory, Path secretFile, int helpers, List<String> replacedDisks) {
    public StandaloneConfig {
        replacedDisks = List.copyOf(replacedDisks);
    }

    /** A configuration without replaced disks. */
    public StandaloneConfig(HostPort listen, Path directory, Path secretFile, int helpers) {
        this(listen, directory, secretFile, helpers, List.of());
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
        return new StandaloneConfig(listen, directory, secretFile, helpers, disks);
    }

    /** The id of a helper's disk; helpers count from 1. */
    static String disk(int helper) {
        return "disk-" + helper;
    }

    /** Reads the settings below {@code standalone}, the coordinator's address and the secret file. */
    public static StandaloneConfig read(Settings settings) throws CloudMwException {
        Path directory = settings.path("standalone.dir", Path.of("cloudmw-data"));
        return new StandaloneConfig(
                settings.address("coordinator.listen", new HostPort("127.0.0.1", 7400)),
                directory,
                settings.path("cluster.secret-file", directory.resolve("cluster.secret")),
                settings.integer("standalone.helpers", 3, 1, 16));
    }
}
