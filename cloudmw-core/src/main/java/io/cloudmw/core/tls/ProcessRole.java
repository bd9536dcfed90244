package io.cloudmw.core.tls;

import java.util.Locale;

/** The role of a process in its cluster. */
public enum ProcessRole {
    COORDINATOR,
    HELPER,
    CLIENT;

    /** Its name in an identity. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
