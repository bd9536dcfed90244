package io.cloudmw.core.audit;

import java.util.regex.Pattern;

/** Texts from other processes, made fit for one line of a log. Stateless; safe for any thread. */
public final class AuditText {
    private static final Pattern CONTROL = Pattern.compile("\\p{C}");

    private AuditText() {}

    /** Replaces control characters by {@code ?} and truncates the text to {@code max} characters. */
    public static String plain(String text, int max) {
        String cut = text.length() <= max ? text : text.substring(0, max) + "...";
        return CONTROL.matcher(cut).replaceAll("?");
    }
}
