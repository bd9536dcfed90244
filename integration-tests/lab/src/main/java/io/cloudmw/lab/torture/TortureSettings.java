package io.cloudmw.lab.torture;

import io.cloudmw.lab.fleet.LiveOutput;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The settings of a torture run.
 *
 * @param duration of operations and faults, without the start of the fleet and the final check
 * @param seed of all random draws
 * @param clients number of clients; each changes its own and some shared files and reads all files
 * @param helpers number of helpers with a disk each
 * @param coordinators their number and their catalog
 * @param bytes the budget for puts; clients put only small files while they are ahead of the budget
 */
public record TortureSettings(
        Duration duration,
        long seed,
        int clients,
        int helpers,
        Coordinators coordinators,
        long bytes,
        Path launcher,
        LiveOutput output) {
    /** The replicas of each chunk. */
    static final int REPLICAS = 3;
    /** The durable replicas when a put is acknowledged. At most one fewer may be unreachable at a time. */
    static final int WRITE_QUORUM = 2;

    private static final long SMALLEST_DISK = 256L << 20;
    private static final int MAX_COORDINATORS = 5;
    private static final int MAX_CLIENTS = 32;
    private static final int MAX_HELPERS = 16;

    /**
     * The coordinators, which share one catalog.
     *
     * @param count of processes
     * @param catalog {@code sqlite} or {@code dynamodb:TABLE}, a table that no other cluster uses
     * @param endpoint of DynamoDB; empty: the region's
     * @param region of the table; empty: from the AWS configuration
     */
    public record Coordinators(int count, String catalog, String endpoint, String region) {
        public static final String SQLITE = "sqlite";

        /** The default number of coordinators with a shared catalog. */
        public static final int SHARING = 3;

        private static final String DYNAMODB = "dynamodb:";

        public Coordinators {
            between("coordinators", count, 1, MAX_COORDINATORS);
            if (!catalog.equals(SQLITE) && !catalog.startsWith(DYNAMODB)) {
                throw new IllegalArgumentException(
                        "catalog: \"" + catalog + "\" (expected: " + SQLITE + " or " + DYNAMODB + "TABLE)");
            }
            if (catalog.equals(SQLITE) && count > 1) {
                throw new IllegalArgumentException(
                        "coordinators: " + count + " (expected: 1, or --catalog dynamodb:TABLE)");
            }
            if (catalog.equals(SQLITE) && !(endpoint + region).isEmpty()) {
                throw new IllegalArgumentException(
                        "catalog: " + SQLITE + " (expected: dynamodb:TABLE, with an endpoint or a region)");
            }
        }

        List<String> names() {
            return count == 1
                    ? List.of(TortureFleet.COORDINATOR)
                    : IntStream.rangeClosed(1, count)
                            .mapToObj(i -> TortureFleet.COORDINATOR + "-" + i)
                            .toList();
        }

        /** Returns the settings of each coordinator. */
        Map<String, String> settings() {
            Map<String, String> settings = new LinkedHashMap<>();
            settings.put("coordinator.catalog", catalog);
            if (!catalog.equals(SQLITE)) {
                settings.put("coordinator.catalog-create", "true");
            }
            if (!endpoint.isEmpty()) {
                settings.put("coordinator.catalog-endpoint", endpoint);
            }
            if (!region.isEmpty()) {
                settings.put("coordinator.catalog-region", region);
            }
            return settings;
        }

        private String options() {
            return catalog.equals(SQLITE)
                    ? ""
                    : " --coordinators " + count + " --catalog " + catalog
                            + (endpoint.isEmpty() ? "" : " --catalog-endpoint " + endpoint)
                            + (region.isEmpty() ? "" : " --catalog-region " + region);
        }
    }

    public TortureSettings {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException("minutes: " + duration + " (expected: > 0)");
        }
        between("clients", clients, 1, MAX_CLIENTS);
        between("helpers", helpers, REPLICAS, MAX_HELPERS);
        if (bytes < 1) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: >= 1)");
        }
    }

    private static void between(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + least + ".." + most + ")");
        }
    }

    /** Returns the size of each disk: twice its share of the bytes, since it takes over chunks of lost stores. */
    long diskBytes() {
        return Math.max(SMALLEST_DISK, Math.multiplyExact(2L * REPLICAS, bytes) / helpers);
    }

    /** Returns the command that repeats the run; the timing of threads and processes may still differ. */
    String command() {
        return "./cloudmw torture --minutes " + duration.toMillis() / 60_000.0 + " --seed " + seed + " --clients "
                + clients + " --helpers " + helpers + " --bytes " + bytes + coordinators.options();
    }
}
