package io.cloudmw.core.status.fleet;

import java.util.List;

/** The class of a read's size: the speed of a page says little about the speed of a gigabyte. */
public enum SizeClass {
    /** At most 256 KiB: one leaf. */
    TINY(256L << 10),
    /** At most 4 MiB. */
    SMALL(4L << 20),
    /** At most 64 MiB. */
    MEDIUM(64L << 20),
    /** More than 64 MiB. */
    LARGE(Long.MAX_VALUE);

    private final long maxBytes;

    SizeClass(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** The longest read of this class, in bytes. */
    public long maxBytes() {
        return maxBytes;
    }

    /** All classes, this one first, then by distance; of two equally near ones the larger first. */
    public List<SizeClass> nearestFirst() {
        return switch (this) {
            case TINY -> List.of(TINY, SMALL, MEDIUM, LARGE);
            case SMALL -> List.of(SMALL, MEDIUM, TINY, LARGE);
            case MEDIUM -> List.of(MEDIUM, LARGE, SMALL, TINY);
            case LARGE -> List.of(LARGE, MEDIUM, SMALL, TINY);
        };
    }

    /** The class of reads of this size. */
    public static SizeClass of(long bytes) {
        for (SizeClass size : values()) {
            if (bytes <= size.maxBytes) {
                return size;
            }
        }
        return LARGE;
    }
}
