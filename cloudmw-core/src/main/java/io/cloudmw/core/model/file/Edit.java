package io.cloudmw.core.model.file;

import io.cloudmw.core.model.ByteRange;

/**
 * A change of part of a file.
 *
 * @param offset where in the file bytes are written, or where it is cut off; of an append not looked at
 * @param lengthBytes how many are written
 */
public record Edit(Kind kind, long offset, long lengthBytes) {
    /** What is done. */
    public enum Kind {
        /** Bytes follow the last one. */
        APPEND,
        /** Bytes replace those that are there, and may go beyond the last one. */
        WRITE,
        /** Only the first bytes stay. */
        TRUNCATE
    }

    public Edit {
        if (offset < 0 || lengthBytes < 0) {
            throw new IllegalArgumentException("offset: " + offset + ", length: " + lengthBytes + " (expected: >= 0)");
        }
    }

    public static Edit append(long lengthBytes) {
        return new Edit(Kind.APPEND, 0, lengthBytes);
    }

    public static Edit write(long offset, long lengthBytes) {
        return new Edit(Kind.WRITE, offset, lengthBytes);
    }

    /** Keeps the first {@code sizeBytes} bytes. */
    public static Edit truncate(long sizeBytes) {
        return new Edit(Kind.TRUNCATE, sizeBytes, 0);
    }

    /**
     * Where the bytes go in a file of this size.
     *
     * @throws IllegalArgumentException when they would leave a gap, or there is not so much to keep, or the file would be
     *     longer than can be said
     */
    public ByteRange written(long sizeBytes) {
        if (kind != Kind.APPEND && offset > sizeBytes) {
            throw new IllegalArgumentException((kind == Kind.TRUNCATE ? "size: " : "offset: ") + offset
                    + " (expected: <= the file's " + sizeBytes + " bytes)");
        }
        long from = kind == Kind.APPEND ? sizeBytes : offset;
        if (lengthBytes > Long.MAX_VALUE - from) {
            throw new IllegalArgumentException(
                    "length: " + lengthBytes + " (expected: <= " + (Long.MAX_VALUE - from) + ")");
        }
        return new ByteRange(from, lengthBytes);
    }

    /** What size a file of this size has afterwards; see {@link #written}. */
    public long sizeAfter(long sizeBytes) {
        long end = written(sizeBytes).end();
        return kind == Kind.TRUNCATE ? end : Math.max(sizeBytes, end);
    }
}
