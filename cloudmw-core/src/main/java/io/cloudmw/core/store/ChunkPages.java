package io.cloudmw.core.store;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.chunk.ChunkId;
import io.cloudmw.core.model.chunk.StoredChunk;
import java.util.List;
import java.util.stream.Stream;

/** The rules that every store's listing shares: the page token is the name of the last chunk listed. */
public final class ChunkPages {
    public static final int MAX_LIMIT = 1000;

    private ChunkPages() {}

    /**
     * Checks the arguments of {@link ChunkStore#list}.
     *
     * @throws CloudMwException {@code INVALID_ARGUMENT}
     */
    public static void check(String pageToken, int limit) throws CloudMwException {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, "limit: " + limit + " (expected: 1.." + MAX_LIMIT + ")");
        }
        if (!pageToken.isEmpty() && !isChunk(pageToken)) {
            throw new CloudMwException(
                    ErrorCode.INVALID_ARGUMENT, "pageToken: \"" + pageToken + "\" (expected: the token of a page)");
        }
    }

    /** Returns whether a file or object of this name is a chunk. */
    public static boolean isChunk(String name) {
        try {
            return ChunkId.parse(name).slice().isEmpty();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The page that starts with the first of {@code chunks}, which are sorted and follow the page token. */
    public static Page<StoredChunk> page(Stream<StoredChunk> chunks, int limit) {
        List<StoredChunk> found = chunks.limit(limit + 1L).toList();
        if (found.size() <= limit) {
            return new Page<>(found, "");
        }
        List<StoredChunk> items = found.subList(0, limit);
        return new Page<>(items, items.get(limit - 1).id().toString());
    }
}
