package io.cloudmw.core.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The comparison of {@code docs/traces.md} with the names in {@link Traces}. */
final class TracesDocumentTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(cloudmw\\.[a-z.]+)` \\|");

    @Test
    void theDocumentListsEverySpanAndAttributeAndNoOther() throws Exception {
        Set<String> names = new TreeSet<>();
        for (Field field : Traces.class.getFields()) {
            assertThat(Modifier.isStatic(field.getModifiers())).isTrue();
            Object value = field.get(null);
            if (value instanceof AttributeKey<?> key) {
                names.add(key.getKey());
            } else if (value instanceof String name && name.startsWith("cloudmw.")) {
                names.add(name);
            }
        }
        Set<String> documented = new TreeSet<>();
        Matcher rows = ROW.matcher(Files.readString(Path.of("../docs/traces.md")));
        while (rows.find()) {
            documented.add(rows.group(1));
        }
        assertThat(documented).isEqualTo(names);
    }
}
