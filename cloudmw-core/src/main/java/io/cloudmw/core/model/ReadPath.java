package io.cloudmw.core.model;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The path by which a read's bytes come. */
public enum ReadPath {
    /**
     * Through helpers, or from the stores by the client itself where that is measured to be as good. Volumes with
     * switches are read through them.
     */
    AUTO,
    /** From the stores by the client itself, through presigned URLs. Disks are read only on their own machine. */
    DIRECT,
    /** Through helpers; by the client itself only what no helper can bring. */
    FLEET;

    /** The path of a client that names none. */
    public static final ReadPath DEFAULT = AUTO;

    /** All names, for messages. */
    public static String labels() {
        return Arrays.stream(values()).map(ReadPath::label).collect(Collectors.joining(", "));
    }

    /**
     * Parses a name.
     *
     * @throws IllegalArgumentException when there is no such path
     */
    public static ReadPath parse(String label) {
        return Arrays.stream(values())
                .filter(path -> path.label().equals(label.strip().toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("\"" + label + "\" (expected: " + labels() + ")"));
    }

    /** The name used in settings, on the command line and in reports. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
