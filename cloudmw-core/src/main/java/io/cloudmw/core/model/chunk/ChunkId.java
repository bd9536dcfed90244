package io.cloudmw.core.model.chunk;

import io.cloudmw.core.model.VersionId;
import java.util.HexFormat;

/**
 * The name of a chunk in every store: the version that first wrote it, and its index there. Its text is {@code
 * <version>-<index, 8 hexadecimal digits>}.
 */
public record ChunkId(VersionId version, long index) {
    /** The largest index of a chunk in one version. */
    public static final long MAX_INDEX = 0xFFFF_FFFFL;

    private static final int INDEX_DIGITS = 8;

    public ChunkId {
        if (index < 0 || index > MAX_INDEX) {
            throw new IllegalArgumentException("index: " + index + " (expected: 0.." + MAX_INDEX + ")");
        }
    }

    /**
     * Reads what {@link #toString()} wrote.
     *
     * @throws IllegalArgumentException when it is not of that form
     */
    public static ChunkId parse(String text) {
        if (text.length() != 41 || text.charAt(32) != '-') {
            throw new IllegalArgumentException("chunk: \"" + text + "\" (expected: <32 hex>-<8 hex>)");
        }
        ChunkId id = new ChunkId(new VersionId(text.substring(0, 32)), parseIndex(text));
        if (!id.toString().equals(text)) {
            throw new IllegalArgumentException("chunk: \"" + text + "\" (expected: <32 hex>-<8 hex>)");
        }
        return id;
    }

    private static long parseIndex(String text) {
        try {
            return Long.parseLong(text.substring(33), 16);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("chunk: \"" + text + "\" (expected: <32 hex>-<8 hex>)", e);
        }
    }

    @Override
    public String toString() {
        // Every request names its chunk: a formatter would cost more than the rest of the request.
        return version.value() + "-" + HexFormat.of().toHexDigits(index, INDEX_DIGITS);
    }
}
