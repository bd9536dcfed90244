package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Checks of the README: its code is the code that tests run, and it is short. {@link DocsStyleTest} checks its links.
 */
final class ReadmeTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final String EMBEDDING = "src/test/java/io/cloudmw/it/Embedding.java";
    private static final String TESTING =
            "../cloudmw-helper/testkit/src/test/java/io/cloudmw/testkit/ClusterExampleTest.java";

    @Test
    void theSnippetsAreTheCodeThatTheTestsRun() throws IOException {
        for (String source : List.of(EMBEDDING, TESTING)) {
            String snippet = Files.readString(Path.of(source)).split("// README\n", -1)[1];
            String shown =
                    snippet.lines().map(line -> line.replaceFirst("^ {4}", "")).collect(Collectors.joining("\n"));

            assertThat(Files.readString(ROOT.resolve("README.md")))
                    .contains("```java\n" + shown.stripTrailing() + "\n```");
        }
    }

    @Test
    void theImportsAreThoseOfTheSnippet() throws IOException {
        String imports = Files.readString(Path.of(EMBEDDING))
                .lines()
                .filter(line -> line.startsWith("import "))
                .collect(Collectors.joining("\n"));

        assertThat(Files.readString(ROOT.resolve("README.md"))).contains("```java\n" + imports + "\n```");
    }

    @Test
    void readmeHasAtMost150Lines() throws IOException {
        assertThat(Files.readAllLines(ROOT.resolve("README.md"))).hasSizeLessThanOrEqualTo(150);
    }
}
