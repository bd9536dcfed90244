package io.cloudmw.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class MistakesTest {
    private static String said(String message) {
        Map<String, Mistakes.Given> given = Map.of(
                "write-quorum", new Mistakes.Given("--write-quorum", Optional.of("3")),
                "chunk-size", new Mistakes.Given("--chunk-size", Optional.empty()));
        return Mistakes.inWordsOf(name -> Optional.ofNullable(given.get(name)), message);
    }

    @Test
    void whatWasGivenIsNamedAsItWasWritten() {
        assertThat(said("writeQuorum: 3 (expected: 1..2)")).isEqualTo("--write-quorum: 3 (expected: 1..2)");
        assertThat(said("chunk size: PT1S (expected: like 64MiB)"))
                .isEqualTo("--chunk-size: PT1S (expected: like 64MiB)");
        assertThat(said("write quorum: \"x: y\" (expected: one (or two))"))
                .isEqualTo("--write-quorum: \"3\" (expected: one (or two))");
    }

    @Test
    void whatIsAboutNothingThatWasGivenStaysAsItIs() {
        for (String message : new String[] {
            "volume: \"s@one\" (expected: 1 to 63 of a-z)", "no file v:/x", "--mode: x (expected: y)", ""
        }) {
            assertThat(said(message)).isEqualTo(message);
        }
    }
}
