package io.cloudmw.iceberg;

import io.cloudmw.client.channel.ChannelOptions;
import io.cloudmw.client.nio.ClusterUri;
import io.cloudmw.connector.ClusterOptions;
import io.cloudmw.connector.RangeLimits;
import io.cloudmw.core.model.ReadPath;
import io.cloudmw.core.model.fleet.Location;
import io.cloudmw.iceberg.file.WriteLimits;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The settings of a file I/O. Immutable.
 *
 * @param standard the options of a client, with the coordinators of locations that name none
 * @param ranges the limits of vectored reads
 * @param writes the limits of streams that write
 * @param deleteParallel removals under way at once
 */
record FileIOConfig(ClusterOptions standard, RangeLimits ranges, WriteLimits writes, int deleteParallel) {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,18})([kmgt]?)");
    private static final String UNITS = "kmgt";
    private static final int MOST_PARALLEL = 64;

    /**
     * Reads the settings; properties without the prefix {@value IcebergSetting#PREFIX} are of no concern here.
     *
     * @throws IllegalArgumentException when a key is unknown or a value is out of bounds
     */
    static FileIOConfig read(Map<String, String> properties) {
        for (String key : properties.keySet()) {
            if (key.startsWith(IcebergSetting.PREFIX)
                    && IcebergSetting.find(key).isEmpty()) {
                throw new IllegalArgumentException(key + ": unknown property (expected: one of "
                        + Arrays.stream(IcebergSetting.values())
                                .map(IcebergSetting::key)
                                .toList() + ")");
            }
        }
        return new Reader(properties).read();
    }

    /** The options of the client for a cluster. */
    ClusterOptions of(ClusterUri clusterUri) {
        return new ClusterOptions(
                clusterUri.coordinators(Optional.of(standard.coordinators()).filter(text -> !text.isEmpty())),
                standard.coordinatorTimeout(),
                standard.location(),
                standard.path(),
                standard.memoryBytes(),
                standard.memoryPerReadBytes(),
                standard.readAheadBytes(),
                standard.streams(),
                standard.security());
    }

    private record Reader(Map<String, String> properties) {
        private FileIOConfig read() {
            String location = text(IcebergSetting.LOCATION);
            ClusterOptions standard = new ClusterOptions(
                    text(IcebergSetting.COORDINATOR),
                    duration(IcebergSetting.COORDINATOR_TIMEOUT),
                    location.isEmpty() ? Location.NONE : Location.parse(location),
                    path(),
                    bytes(IcebergSetting.MEMORY, 4 << 20, Long.MAX_VALUE),
                    bytes(IcebergSetting.MEMORY_PER_READ, 4 << 20, Long.MAX_VALUE),
                    bytes(IcebergSetting.READ_AHEAD_MEMORY, 1 << 20, Long.MAX_VALUE),
                    number(IcebergSetting.WRITE_STREAMS, ChannelOptions.MAX_STREAMS),
                    ClusterOptions.security(
                            text(IcebergSetting.TOKEN_FILE), Boolean.parseBoolean(text(IcebergSetting.INSECURE))));
            RangeLimits ranges = new RangeLimits(
                    (int) bytes(IcebergSetting.VECTORED_MERGE, 0, 1 << 30),
                    (int) bytes(IcebergSetting.VECTORED_LARGEST, 1, 1 << 30),
                    number(IcebergSetting.VECTORED_PARALLEL, 256));
            WriteLimits writes = new WriteLimits(
                    (int) bytes(IcebergSetting.WRITE_BUFFER, 1, 1 << 30),
                    bytes(IcebergSetting.WRITE_STAGING, 0, Long.MAX_VALUE));
            return new FileIOConfig(standard, ranges, writes, number(IcebergSetting.DELETE_PARALLEL, MOST_PARALLEL));
        }

        private String text(IcebergSetting setting) {
            return properties.getOrDefault(setting.key(), setting.standard()).strip();
        }

        private ReadPath path() {
            try {
                return ReadPath.parse(text(IcebergSetting.READ_PATH));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(IcebergSetting.READ_PATH.key() + ": " + e.getMessage(), e);
            }
        }

        private Duration duration(IcebergSetting setting) {
            try {
                Duration duration = Duration.parse("PT" + text(setting));
                if (duration.toMillis() >= 1) {
                    return duration;
                }
            } catch (DateTimeParseException | ArithmeticException e) {
                // not of that form
            }
            throw new IllegalArgumentException(
                    setting.key() + ": " + text(setting) + " (expected: more than 0s, like 30s or 2m)");
        }

        private long bytes(IcebergSetting setting, long least, long most) {
            String text = text(setting);
            Matcher form = SIZE.matcher(text.toLowerCase(Locale.ROOT));
            try {
                if (form.matches()) {
                    int power = form.group(2).isEmpty() ? 0 : UNITS.indexOf(form.group(2)) + 1;
                    return checked(
                            setting,
                            Math.multiplyExact(Long.parseLong(form.group(1)), 1L << (10 * power)),
                            least,
                            most);
                }
            } catch (ArithmeticException e) {
                // too large
            }
            throw new IllegalArgumentException(setting.key() + ": " + text + " (expected: bytes, like 65536 or 64k)");
        }

        private int number(IcebergSetting setting, int most) {
            try {
                return (int) checked(setting, Long.parseLong(text(setting)), 1, most);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        setting.key() + ": " + text(setting) + " (expected: 1.." + most + ")", e);
            }
        }

        private static long checked(IcebergSetting setting, long value, long least, long most) {
            if (value < least || value > most) {
                throw new IllegalArgumentException(setting.key() + ": " + value + " (expected: "
                        + (most == Long.MAX_VALUE ? ">= " + least : least + ".." + most) + ")");
            }
            return value;
        }
    }
}
