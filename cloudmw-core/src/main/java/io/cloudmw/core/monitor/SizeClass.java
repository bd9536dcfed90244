package io.cloudmw.core.monitor;

import java.util.List;

/** How much one read asks for: what a store does for a page says little about what it does for a gigabyte. */
public enum SizeClass {
    /** At most 256 KiB: one leaf. */
    TINY(256L << 10),
    /** At most 4 MiB. */
    SMALL(4L << 20),
    /** At most 64 MiB. */
    MEDIUM(64L << 20),
    /** More. */
    LARGE(Long.MAX_VALUE);

    private final long maxBytes;

    SizeClass(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** The longest read of this class, in bytes. */
    public long maxBytes() {
        return maxBytes;
    }

    /** All of them, this one first, then those nearer to it; of two equally near the larger. */
    List<SizeClass> nearestFirst() {
        return switch (this) {
            case TINY -> List.of(TINY, SMALL, MEDIUM, LARGE);
            case SMALL -> List.of(SMALL, MEDIUM, TINY, LARGE);
            case MEDIUM -> List.of(MEDIUM, LARGE, SMALL, TINY);
            case LARGE -> List.of(LARGE, MEDIUM, SMALL, TINY);
        };
    }

    public static SizeClass of(long bytes) {
        for (SizeClass size : values()) {
            if (bytes <= size.maxBytes) {
                return size;
            }
        }
        return LARGE;
    }
}
