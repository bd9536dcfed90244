package io.cloudmw.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ErrorWordingTest {
    private static String said(String message) {
        Map<String, ErrorWording.GivenValue> given = Map.of(
                "write-quorum", new ErrorWording.GivenValue("--write-quorum", Optional.of("3")),
                "chunk-size", new ErrorWording.GivenValue("--chunk-size", Optional.empty()));
        return ErrorWording.withGivenNames(name -> Optional.ofNullable(given.get(name)), message);
    }

    @Test
    void givenValuesAreNamedAsTheyWereWritten() {
        assertThat(said("writeQuorum: 3 (expected: 1..2)")).isEqualTo("--write-quorum: 3 (expected: 1..2)");
        assertThat(said("chunk size: PT1S (expected: like 64MiB)"))
                .isEqualTo("--chunk-size: PT1S (expected: like 64MiB)");
        assertThat(said("write quorum: \"x: y\" (expected: one (or two))"))
                .isEqualTo("--write-quorum: \"3\" (expected: one (or two))");
    }

    @Test
    void messagesAboutOtherValuesStayAsTheyAre() {
        for (String message : new String[] {
            "volume: \"s@one\" (expected: 1 to 63 of a-z)", "no file v:/x", "--mode: x (expected: y)", ""
        }) {
            assertThat(said(message)).isEqualTo(message);
        }
    }
}
