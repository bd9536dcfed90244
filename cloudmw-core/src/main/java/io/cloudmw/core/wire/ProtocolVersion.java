package io.cloudmw.core.wire;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A version of the wire contract. Processes with the same major version understand each other; a minor version only
 * adds.
 */
public record ProtocolVersion(int major, int minor) {
    /** The version of this build. */
    public static final ProtocolVersion CURRENT = new ProtocolVersion(1, 0);

    private static final Pattern FORM = Pattern.compile("(\\d{1,6})\\.(\\d{1,6})");

    /** Reads {@code major.minor}; empty when it is not of that form. */
    public static Optional<ProtocolVersion> parse(String text) {
        var matcher = FORM.matcher(text);
        return matcher.matches()
                ? Optional.of(
                        new ProtocolVersion(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
                : Optional.empty();
    }

    /** Returns whether this process can talk to one that speaks {@code other}. */
    public boolean understands(ProtocolVersion other) {
        return major == other.major;
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
