package io.cloudmw.core.model;

import java.util.regex.Pattern;

/** The rule for names of volumes, stores and helpers. */
public final class NameRule {
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");

    private NameRule() {}

    public static String check(String what, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    what + ": \"" + name + "\" (expected: 1 to 63 of a-z, 0-9 and '-', not starting with '-')");
        }
        return name;
    }
}
