package io.cloudmw.core.model;

import java.util.Locale;

/** What a piece of work is for: the classes that the I/O scheduler tells apart, the most urgent first. */
public enum Priority {
    /** Somebody waits for these very bytes. */
    INTERACTIVE,
    /** A whole file is to be moved; what counts is when the last byte is there. */
    BATCH,
    /** Nobody asked for it yet. */
    PREFETCH,
    /** Upkeep of the copies. */
    REPAIR;

    public boolean isMoreUrgentThan(Priority other) {
        return compareTo(other) < 0;
    }

    /** The name used in settings, on the command line, in reports and as a tag of meters. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
