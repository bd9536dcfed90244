package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The comparison of {@code docs/security.md} with the tests that it names. */
final class SecurityDocumentTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+(?:IT|Test))`");

    @Test
    void everyClaimNamesTestsThatExist() throws IOException {
        List<String> claims = Files.readAllLines(ROOT.resolve("docs/security.md")).stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| from "))
                .toList();
        assertThat(claims).isNotEmpty();
        Set<String> tests = tests();
        for (String claim : claims) {
            List<String> named = TEST.matcher(claim.substring(claim.lastIndexOf("| ", claim.length() - 2)))
                    .results()
                    .map(name -> name.group(1))
                    .toList();
            assertThat(named).as(claim).isNotEmpty();
            assertThat(tests).as(claim).containsAll(named);
        }
    }

    private static Set<String> tests() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT, 12)) {
            return files.filter(file -> file.toString().contains("src/test/java"))
                    .map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java"))
                    .map(name -> name.substring(0, name.length() - ".java".length()))
                    .collect(Collectors.toSet());
        }
    }
}
