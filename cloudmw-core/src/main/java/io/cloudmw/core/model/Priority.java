package io.cloudmw.core.model;

import java.util.Locale;

/** The class of a piece of work in the I/O scheduler, the most urgent first. */
public enum Priority {
    /** A caller waits for these bytes. */
    INTERACTIVE,
    /** A whole file is moved: the time of its last byte counts. */
    BATCH,
    /** No caller has asked for the bytes yet. */
    PREFETCH,
    /** Upkeep of the replicas. */
    REPAIR;

    /** Returns true when this priority goes before the other one. */
    public boolean isMoreUrgentThan(Priority other) {
        return compareTo(other) < 0;
    }

    /** The name used in settings, on the command line, in reports and as a tag of meters. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
