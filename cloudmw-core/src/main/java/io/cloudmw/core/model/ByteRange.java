package io.cloudmw.core.model;

/** The half-open range of bytes {@code [offset, offset + length)}. */
public record ByteRange(long offset, long length) {
    public ByteRange {
        if (offset < 0) {
            throw new IllegalArgumentException("offset: " + offset + " (expected: >= 0)");
        }
        if (length < 0) {
            throw new IllegalArgumentException("length: " + length + " (expected: >= 0)");
        }
        if (offset + length < 0) {
            throw new IllegalArgumentException("offset + length overflows: " + offset + " + " + length);
        }
    }

    /** The first byte after the range. */
    public long end() {
        return offset + length;
    }

    /** Returns true for a range without bytes. */
    public boolean isEmpty() {
        return length == 0;
    }

    /** Returns whether every byte of {@code other} is in this range. */
    public boolean contains(ByteRange other) {
        return other.offset >= offset && other.end() <= end();
    }

    @Override
    public String toString() {
        return "[" + offset + ", " + end() + ")";
    }
}
