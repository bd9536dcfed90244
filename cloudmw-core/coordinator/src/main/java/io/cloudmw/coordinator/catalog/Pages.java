package io.cloudmw.coordinator.catalog;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.StoreId;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.ReplicaRecord;
import io.cloudmw.core.model.chunk.ReplicaReport;
import io.cloudmw.core.model.chunk.ReplicaState;
import java.util.List;
import java.util.function.Function;

/** What pages of all catalogs have in common. */
public final class Pages {
    private Pages() {}

    /**
     * Returns {@code limit} when a page may have it.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} otherwise
     */
    public static int checkLimit(int limit) throws CloudMwException {
        if (limit < 1 || limit > Catalog.MAX_PAGE) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, "limit: " + limit + " (expected: 1.." + Catalog.MAX_PAGE + ")");
        }
        return limit;
    }

    /** A page of at most {@code limit} of the items, which were asked for one beyond it to see whether more follow. */
    public static <T> Page<T> cut(List<T> items, int limit, Function<T, String> token) {
        if (items.size() <= limit) {
            return new Page<>(items, "");
        }
        List<T> page = items.subList(0, limit);
        return new Page<>(page, token.apply(page.get(limit - 1)));
    }

    /** The token of the page after this replica. */
    public static String token(ReplicaRecord last) {
        return token(last.report());
    }

    /**
     * Returns {@code records} when they may be settled in one call.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} otherwise
     */
    public static List<ReplicaRecord> checkSettled(List<ReplicaRecord> records) throws CloudMwException {
        if (records.size() > UpkeepRecords.MAX_SETTLED) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "records: " + records.size() + " (expected: <= " + UpkeepRecords.MAX_SETTLED + ")");
        }
        return records;
    }

    /**
     * Checks what is to be noted.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT}
     */
    public static void checkNote(String key, String text) throws CloudMwException {
        if (key.isEmpty() || text.length() > Notes.MAX_TEXT) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "note \"" + key + "\": " + text.length() + " characters (expected: a key, <= " + Notes.MAX_TEXT
                            + ")");
        }
    }

    /** The token of the page after this replica. */
    public static String token(ReplicaReport last) {
        return last.chunk() + "/" + last.store();
    }

    /**
     * The replica a page begins after.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT} when the token is malformed
     */
    public static ReplicaReport parse(String token) throws CloudMwException {
        int slash = token.indexOf('/');
        try {
            return new ReplicaReport(
                    ChunkId.parse(token.substring(0, Math.max(0, slash))),
                    new StoreId(token.substring(slash + 1)),
                    ReplicaState.GOOD);
        } catch (IllegalArgumentException e) {
            throw new CloudMwException(ErrorCode.INVALID_ARGUMENT, "page token: malformed", e);
        }
    }
}
