package io.cloudmw.core.grant;

import java.util.Arrays;
import java.util.Locale;

/** A right to a volume, or to the paths below one of its directories. */
public enum Right {
    /** Read files and list names. */
    READ,
    /** Create, change, rename and remove files and directories. */
    WRITE,
    /** Grant others the rights that the subject has itself. */
    SHARE,
    /** Change and delete the volume, and take, restore and remove its snapshots. Has the other rights, too. */
    ADMIN;

    /** Its name on the command line and on the wire. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Parses a name.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static Right parse(String word) {
        return Arrays.stream(values())
                .filter(right -> right.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "right: \"" + word.replaceAll("\\p{C}", "?") + "\" (expected: read, write, share or admin)"));
    }

    /** Returns whether a subject with this right has the other one, too. */
    public boolean includes(Right other) {
        return this == other || this == ADMIN;
    }
}
