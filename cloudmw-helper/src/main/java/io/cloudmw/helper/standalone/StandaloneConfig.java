package io.cloudmw.helper.standalone;

import io.cloudmw.core.config.HostPort;
import io.cloudmw.core.config.Settings;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What a standalone cluster is told before it starts. See {@code docs/configuration.md}.
 *
 * @param listen where the coordinator listens; port 0: any free one
 * @param directory everything is kept below it; made when it is not there
 * @param secretFile the cluster's secret; made with a random one where there is none
 * @param helpers how many
 * @param replacedDisks ids of disks that are in the place of lost ones
 */
public record StandaloneConfig(
        HostPort listen, Path directory, Path secretFile, int helpers, List<String> replacedDisks) {
    public StandaloneConfig {
        replacedDisks = List.copyOf(replacedDisks);
    }

    /** Without lost disks. */
    public StandaloneConfig(HostPort listen, Path directory, Path secretFile, int helpers) {
        this(listen, directory, secretFile, helpers, List.of());
    }

    /**
     * Direct memory a helper needs, in bytes: its two event loops take it in pieces of 16 MiB, of which one each is always
     * there and a second while many send at once; the blocks it keeps in memory are in them.
     */
    static final long HELPER_BYTES = 64 << 20;

    /**
     * Refuses more helpers than there is memory for.
     *
     * @param bytes direct memory this process may take
     * @throws CloudMwException {@code INVALID_ARGUMENT}, saying how many fit
     */
    void requireFits(long bytes) throws CloudMwException {
        long most = bytes / HELPER_BYTES;
        if (helpers > most) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "standalone.helpers: " + helpers + " (expected: <= " + most + ", as each needs "
                            + (HELPER_BYTES >> 20) + " MiB of the " + (bytes >> 20)
                            + " MiB of direct memory there is; -XX:MaxDirectMemorySize in CLOUDMW_JAVA_OPTS gives more)");
        }
    }

    /**
     * The same with disks that are in the place of lost ones.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when one is no disk of a helper
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

    /** The id of a helper's disk. */
    static String disk(int helper) {
        return "disk-" + helper;
    }

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
