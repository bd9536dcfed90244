package io.cloudmw.core.status.collect;

/** A number of copies, and of their bytes. */
public record CopyTotal(long copies, long bytes) {
    /** No copies. */
    public static final CopyTotal NONE = new CopyTotal(0, 0);

    public CopyTotal {
        if (copies < 0 || bytes < 0) {
            throw new IllegalArgumentException("total: " + copies + " copies, " + bytes + " bytes (expected: >= 0)");
        }
    }

    /** The sum of both. */
    public CopyTotal plus(CopyTotal more) {
        return new CopyTotal(copies + more.copies, bytes + more.bytes);
    }

    /** Returns the difference, at least 0. */
    public CopyTotal minus(CopyTotal less) {
        return new CopyTotal(Math.max(0, copies - less.copies), Math.max(0, bytes - less.bytes));
    }

    CopyTotal times(double factor) {
        return new CopyTotal(Math.round(copies * factor), Math.round(bytes * factor));
    }
}
