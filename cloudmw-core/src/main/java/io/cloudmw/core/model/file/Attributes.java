package io.cloudmw.core.model.file;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The attributes of a file: values by name, set by its users. Immutable.
 *
 * <p>Names have 1 to 64 letters, digits, {@code '.'}, {@code '_'} and {@code '-'}, beginning with a letter or digit.
 * Values have no control characters. A file has at most {@value #MAX_COUNT} attributes, of {@value #MAX_BYTES} bytes
 * of UTF-8 altogether, names included, so that its entry fits one item of any catalog's database.
 */
public record Attributes(SortedMap<String, String> values) {
    /** The largest number of attributes of a file. */
    public static final int MAX_COUNT = 32;
    /** The largest total of names and values, in bytes of UTF-8. */
    public static final int MAX_BYTES = 8192;
    /** No attributes. */
    public static final Attributes NONE = new Attributes(Collections.emptySortedMap());

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    public Attributes {
        values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
        if (values.size() > MAX_COUNT) {
            throw new IllegalArgumentException("attributes: " + values.size() + " (expected: <= " + MAX_COUNT + ")");
        }
        int bytes = 0;
        for (Map.Entry<String, String> value : values.entrySet()) {
            check(value.getKey(), value.getValue());
            bytes += utf8(value.getKey()) + utf8(value.getValue());
        }
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("attributes: " + bytes + " bytes (expected: <= " + MAX_BYTES + ")");
        }
    }

    /** The attributes with these values by name. */
    public static Attributes of(Map<String, String> values) {
        return new Attributes(new TreeMap<>(values));
    }

    private static void check(String name, String value) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("attribute: \"" + name
                    + "\" (expected: 1 to 64 of letters, digits, '.', '_' and '-', beginning with a letter or digit)");
        }
        if (value.chars().anyMatch(c -> c < 0x20 || c == 0x7f)) {
            throw new IllegalArgumentException("attribute " + name + ": its value contains a control character");
        }
    }

    private static int utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    /** The attributes after a change. */
    public Attributes with(AttributeChange change) {
        SortedMap<String, String> changed = new TreeMap<>(values);
        changed.putAll(change.set());
        changed.keySet().removeAll(change.remove());
        return new Attributes(changed);
    }
}
