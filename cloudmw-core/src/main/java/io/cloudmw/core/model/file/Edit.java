package io.cloudmw.core.model.file;

import io.cloudmw.core.model.ByteRange;

/**
 * A change of part of a file.
 *
 * @param offset the first byte to write, or the size to truncate to; ignored for an append
 * @param lengthBytes the number of bytes to write
 */
public record Edit(Kind kind, long offset, long lengthBytes) {
    /** The kinds of edits. */
    public enum Kind {
        /** Bytes are added after the last one. */
        APPEND,
        /** Bytes replace others, and may extend the file. */
        WRITE,
        /** Only the first bytes stay. */
        TRUNCATE
    }

    public Edit {
        if (offset < 0 || lengthBytes < 0) {
            throw new IllegalArgumentException("offset: " + offset + ", length: " + lengthBytes + " (expected: >= 0)");
        }
    }

    /** An append of this length. */
    public static Edit append(long lengthBytes) {
        return new Edit(Kind.APPEND, 0, lengthBytes);
    }

    /** An overwrite of these bytes. */
    public static Edit write(long offset, long lengthBytes) {
        return new Edit(Kind.WRITE, offset, lengthBytes);
    }

    /** Keeps the first {@code sizeBytes} bytes. */
    public static Edit truncate(long sizeBytes) {
        return new Edit(Kind.TRUNCATE, sizeBytes, 0);
    }

    /**
     * The range of the file that the bytes go to, in a file of this size.
     *
     * @throws IllegalArgumentException when they would leave a gap, the file is shorter than what is to stay, or the
     * file would exceed the largest size
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

    /** The size of the file after the edit; see {@link #written}. */
    public long sizeAfter(long sizeBytes) {
        long end = written(sizeBytes).end();
        return kind == Kind.TRUNCATE ? end : Math.max(sizeBytes, end);
    }
}
