package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The comparison of the packages in {@code docs/api.md} with {@link ArchitectureTest#API}. */
final class ApiDocumentTest {
    @Test
    void pageListsThePackagesOfTheApi() throws IOException {
        List<String> listed = Files.readAllLines(Path.of("../docs/api.md")).stream()
                .filter(line -> line.startsWith("| `io.cloudmw."))
                .map(line -> line.split("`", -1)[1])
                .toList();
        assertThat(listed).containsExactlyElementsOf(ArchitectureTest.API);
    }
}
