package io.cloudmw.cli.cluster;

import io.cloudmw.cli.command.ExitCode;
import io.cloudmw.core.config.Sizes;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.fleet.Store;
import io.cloudmw.core.status.StoreStatus;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A disk in {@code store check}. Its owner alone uses it and reports on it with every heartbeat, so the report is the
 * check.
 */
record DiskCheck(StoreStatus status, Store.Disk disk, String condition, String details) {
    static DiskCheck of(StoreStatus status, Store.Disk disk) {
        String owner = "helper " + disk.owner();
        if (status.store().isLost()) {
            return new DiskCheck(status, disk, "lost", owner + " had it at " + disk.path());
        }
        if (!status.available()) {
            return new DiskCheck(
                    status,
                    disk,
                    "unavailable",
                    owner + " with " + disk.path() + " is not running or cannot use it: see the helper's log, and"
                            + " \"cloudmw helpers\"");
        }
        boolean full = status.freeBytes().orElse(1) == 0;
        return new DiskCheck(status, disk, full ? "full" : "ok", disk.path() + ", " + free(status));
    }

    private static String free(StoreStatus status) {
        return status.freeBytes().isEmpty()
                ? "free space not known"
                : Sizes.approximate(status.freeBytes().getAsLong()) + " free besides the reserve of "
                        + Sizes.approximate(status.reserveBytes());
    }

    StoreId store() {
        return status.store().id();
    }

    /** The process that the finding is from. */
    String process() {
        return "helper " + disk.owner();
    }

    /** The exit code of the finding; a full disk can still be read. */
    ExitCode exit() {
        return switch (condition) {
            case "lost" -> ExitCode.NOT_FOUND;
            case "unavailable" -> ExitCode.UNAVAILABLE;
            default -> ExitCode.OK;
        };
    }

    /** The finding as JSON. */
    Map<String, Object> row() {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("store", store().value());
        row.put("process", process());
        row.put("ok", exit() == ExitCode.OK);
        if (!condition.equals("ok")) {
            row.put("condition", condition);
            row.put("reason", details);
        }
        row.put("path", disk.path().toString());
        status.freeBytes().ifPresent(free -> {
            row.put("free_bytes", free);
            row.put("reserve_bytes", status.reserveBytes());
        });
        return row;
    }
}
