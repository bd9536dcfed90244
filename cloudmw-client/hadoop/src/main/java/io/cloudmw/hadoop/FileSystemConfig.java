package io.cloudmw.hadoop;

import io.cloudmw.client.channel.ChannelOptions;
import io.cloudmw.connector.ClusterOptions;
import io.cloudmw.connector.RangeLimits;
import io.cloudmw.core.model.ReadPath;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.hadoop.stream.InputOptions;
import io.cloudmw.hadoop.stream.ReadPolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;

/**
 * The settings of a file system. Immutable.
 *
 * @param blockSizeBytes the size of the blocks in which jobs divide a file
 * @param writeBufferBytes bytes that a stream collects
 * @param deleteParallel removals under way at once
 * @param checksums whether files have checksums
 * @param refusesSync whether {@code hflush} and {@code hsync} throw
 */
record FileSystemConfig(
        InputOptions input,
        long blockSizeBytes,
        int writeBufferBytes,
        int deleteParallel,
        boolean checksums,
        boolean refusesSync) {
    /**
     * Reads the settings.
     *
     * @throws IllegalArgumentException when a value is out of bounds, or a key is none of the file system's
     */
    static FileSystemConfig read(Configuration from) {
        requireKnown(from);
        InputOptions input = new InputOptions(
                readPolicy(text(from, HadoopSetting.READ_POLICY)),
                1,
                new RangeLimits(
                        (int) bytes(from, HadoopSetting.VECTORED_MERGE, 0, 1 << 30),
                        (int) bytes(from, HadoopSetting.VECTORED_LARGEST, 1, 1 << 30),
                        number(from, HadoopSetting.VECTORED_PARALLEL, 1, 256)));
        return new FileSystemConfig(
                input,
                bytes(from, HadoopSetting.BLOCK_SIZE, 1, Long.MAX_VALUE),
                (int) bytes(from, HadoopSetting.WRITE_BUFFER, 1, 1 << 30),
                number(from, HadoopSetting.DELETE_PARALLEL, 1, 64),
                checksums(text(from, HadoopSetting.CHECKSUM)),
                from.getBoolean(
                        HadoopSetting.SYNC_REFUSED.key(), Boolean.parseBoolean(HadoopSetting.SYNC_REFUSED.standard())));
    }

    /** The options of the client for a cluster. */
    static ClusterOptions cluster(String coordinators, Configuration from) {
        String location = text(from, HadoopSetting.LOCATION);
        return new ClusterOptions(
                coordinators,
                timeout(from),
                location.isEmpty() ? Location.NONE : Location.parse(location),
                path(from),
                bytes(from, HadoopSetting.MEMORY, 4 << 20, Long.MAX_VALUE),
                bytes(from, HadoopSetting.MEMORY_PER_READ, 4 << 20, Long.MAX_VALUE),
                bytes(from, HadoopSetting.READ_AHEAD_MEMORY, 1 << 20, Long.MAX_VALUE),
                number(from, HadoopSetting.WRITE_STREAMS, 1, ChannelOptions.MAX_STREAMS),
                ClusterOptions.security(
                        text(from, HadoopSetting.TOKEN_FILE),
                        from.getBoolean(
                                HadoopSetting.INSECURE.key(),
                                Boolean.parseBoolean(HadoopSetting.INSECURE.standard()))));
    }

    private static ReadPath path(Configuration from) {
        try {
            return ReadPath.parse(text(from, HadoopSetting.READ_PATH));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(HadoopSetting.READ_PATH.key() + ": " + e.getMessage(), e);
        }
    }

    private static Duration timeout(Configuration from) {
        HadoopSetting setting = HadoopSetting.COORDINATOR_TIMEOUT;
        long millis = from.getTimeDuration(setting.key(), setting.standard(), TimeUnit.MILLISECONDS);
        return Duration.ofMillis(checked(setting, millis, 1, TimeUnit.DAYS.toMillis(1)));
    }

    private static void requireKnown(Configuration from) {
        for (String name :
                new TreeSet<>(from.getPropsWithPrefix(HadoopSetting.PREFIX).keySet())) {
            String key = HadoopSetting.PREFIX + name;
            boolean isHadoops = name.equals("impl") || name.startsWith("impl.");
            if (!isHadoops
                    && Arrays.stream(HadoopSetting.values())
                            .noneMatch(each -> each.key().equals(key))) {
                throw new IllegalArgumentException(
                        key + ": is no setting of this file system (docs/configuration.md has all of them)");
            }
        }
    }

    static String text(Configuration from, HadoopSetting setting) {
        return from.getTrimmed(setting.key(), setting.standard());
    }

    private static long bytes(Configuration from, HadoopSetting setting, long least, long most) {
        long given = from.getLongBytes(setting.key(), -1);
        long bytes = given == -1 ? standardBytes(setting) : given;
        return checked(setting, bytes, least, most);
    }

    private static long standardBytes(HadoopSetting setting) {
        Configuration defaults = new Configuration(false);
        defaults.set(setting.key(), setting.standard());
        return defaults.getLongBytes(setting.key(), -1);
    }

    private static int number(Configuration from, HadoopSetting setting, int least, int most) {
        return (int) checked(setting, from.getInt(setting.key(), Integer.parseInt(setting.standard())), least, most);
    }

    private static long checked(HadoopSetting setting, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    setting.key() + ": " + value + " (expected: " + least + ".." + most + ")");
        }
        return value;
    }

    private static ReadPolicy readPolicy(String name) {
        return ReadPolicy.find(name)
                .orElseThrow(() -> new IllegalArgumentException(HadoopSetting.READ_POLICY.key() + ": " + name
                        + " (expected: a read policy of Hadoop, like adaptive or random)"));
    }

    private static boolean checksums(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "none" -> false;
            case "crc32c" -> true;
            default ->
                throw new IllegalArgumentException(
                        HadoopSetting.CHECKSUM.key() + ": " + name + " (expected: none or crc32c)");
        };
    }
}
