package io.cloudmw.client.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class TemporaryPropertyTest {
    private static final String NAME = "io.cloudmw.test.temporary";

    private final List<String> seen = new ArrayList<>();

    @AfterEach
    void clear() {
        System.clearProperty(NAME);
    }

    @Test
    void propertyIsSetOnlyWhileTheLibraryStarts() {
        TemporaryProperty.set(NAME, "quiet", () -> seen.add(System.getProperty(NAME)));

        assertThat(seen).containsExactly("quiet");
        assertThat(System.getProperty(NAME)).isNull();
    }

    @Test
    void failedStartLeavesNoProperty() {
        assertThatThrownBy(() -> TemporaryProperty.set(NAME, "quiet", () -> {
                    throw new IllegalStateException("broken");
                }))
                .hasMessage("broken");

        assertThat(System.getProperty(NAME)).isNull();
    }

    @Test
    void applicationsPropertyStays() {
        System.setProperty(NAME, "loud");

        TemporaryProperty.set(NAME, "quiet", () -> seen.add(System.getProperty(NAME)));

        assertThat(seen).isEmpty();
        assertThat(System.getProperty(NAME)).isEqualTo("loud");
    }
}
