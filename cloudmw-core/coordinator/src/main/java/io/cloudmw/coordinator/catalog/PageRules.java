package io.cloudmw.coordinator.catalog;

import io.cloudmw.coordinator.catalog.version.UpkeepRecords;
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

/** The limits and tokens of pages, shared by all catalogs. */
public final class PageRules {
    private PageRules() {}

    /**
     * Returns {@code limit} if a page may have that many items.
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

    /**
     * Returns a page of at most {@code limit} items. The caller queries one item more, to see whether another page
     * follows.
     */
    public static <T> Page<T> cut(List<T> items, int limit, Function<T, String> token) {
        if (items.size() <= limit) {
            return new Page<>(items, "");
        }
        List<T> page = items.subList(0, limit);
        return new Page<>(page, token.apply(page.get(limit - 1)));
    }

    /** Returns the token of the page after this replica. */
    public static String token(ReplicaRecord last) {
        return token(last.report());
    }

    /**
     * Returns {@code records} if one call may settle that many.
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
     * Checks the key and the length of a note.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT}
     */
    public static void checkNote(String key, String text) throws CloudMwException {
        if (key.isEmpty() || text.length() > UpkeepNotes.MAX_TEXT) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT,
                    "note \"" + key + "\": " + text.length() + " characters (expected: a key, <= "
                            + UpkeepNotes.MAX_TEXT + ")");
        }
    }

    /** Returns the token of the page after this replica. */
    public static String token(ReplicaReport last) {
        return last.chunk() + "/" + last.store();
    }

    /**
     * Returns the replica after which a page begins.
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
