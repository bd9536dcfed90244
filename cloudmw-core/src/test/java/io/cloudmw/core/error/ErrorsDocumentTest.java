package io.cloudmw.core.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The comparison of {@code docs/errors.md} with the code. */
final class ErrorsDocumentTest {
    @Test
    void aPrintedFailureNamesItsCode() {
        assertThat(new CloudMwException(ErrorCode.NOT_FOUND, "no file v:/a"))
                .hasToString("io.cloudmw.core.error.CloudMwException: NOT_FOUND: no file v:/a");
    }

    @Test
    void theDocumentListsEveryCodeInOrderWithItsStatusAndVerdict() throws IOException {
        List<String> documented = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("..", "docs", "errors.md"))) {
            if (line.startsWith("| `")) {
                List<String> cells = Arrays.stream(line.split("\\|"))
                        .map(cell -> cell.strip().replace("`", ""))
                        .toList();
                assertThat(cells).as(line).hasSize(6);
                assertThat(cells.get(2)).as("meaning of " + cells.get(1)).isNotEmpty();
                assertThat(cells.get(5)).as("advice for " + cells.get(1)).isNotEmpty();
                documented.add(cells.get(1) + " " + cells.get(3) + " " + cells.get(4));
            }
        }
        List<String> coded = Arrays.stream(ErrorCode.values())
                .map(code -> code.name() + " " + code.grpcStatus() + " " + code.verdict())
                .toList();
        assertThat(documented).isEqualTo(coded);
    }
}
