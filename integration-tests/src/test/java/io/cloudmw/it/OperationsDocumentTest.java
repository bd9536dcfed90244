package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The comparison of {@code docs/operations.md} with the scripts and tests that do its procedures. */
final class OperationsDocumentTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern DONE_BY = Pattern.compile("(?s)\\*\\*Done by\\*\\*(.*?)(?:\\n\\n|\\z)");
    private static final Pattern SCRIPT = Pattern.compile("`(integration-tests/[a-z/-]+\\.sh)`");
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+(?:IT|Test))`");

    /** A procedure: its heading, and the text below it. */
    private record Procedure(String heading, String text) {}

    private static List<Procedure> procedures() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/operations.md"));
        return Arrays.stream(page.split("(?m)^## ", -1))
                .skip(1)
                .map(section -> new Procedure(
                        section.substring(0, section.indexOf('\n')), section.substring(section.indexOf('\n') + 1)))
                .toList();
    }

    private static List<String> named(Procedure procedure, Pattern names) {
        return DONE_BY.matcher(procedure.text())
                .results()
                .flatMap(paragraph -> names.matcher(paragraph.group(1)).results())
                .map(name -> name.group(1))
                .toList();
    }

    @Test
    void everyProcedureIsDoneByAScriptThatNamesItAndThatCiRuns() throws IOException {
        String ci = Files.readString(ROOT.resolve(".ci/run"));
        assertThat(procedures())
                .extracting(Procedure::heading)
                .contains(
                        "Rolling replacement",
                        "A dead disk",
                        "A lost bucket",
                        "A lost coordinator",
                        "Restore from backup",
                        "Rotation of secrets",
                        "A new authority",
                        "A full disk",
                        "Growing a volume");
        for (Procedure procedure : procedures()) {
            List<String> scripts = named(procedure, SCRIPT);
            assertThat(scripts).as(procedure.heading()).isNotEmpty();
            assertThat(scripts).as(procedure.heading()).allSatisfy(script -> {
                assertThat(ROOT.resolve(script)).isExecutable();
                assertThat(ci.lines()).anyMatch(line -> line.matches("step(_before \\d+)? " + Pattern.quote(script)));
            });
            // The scripts look up the blocks by their headings.
            assertThat(scripts)
                    .as("scripts that name: " + procedure.heading())
                    .anySatisfy(script ->
                            assertThat(ROOT.resolve(script)).content().contains("\"" + procedure.heading() + "\""));
        }
    }

    @Test
    void namedTestsExist() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("integration-tests/src/test/java"))) {
            List<String> tests = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java"))
                    .map(name -> name.substring(0, name.length() - ".java".length()))
                    .toList();
            for (Procedure procedure : procedures()) {
                assertThat(tests).as(procedure.heading()).containsAll(named(procedure, TEST));
            }
        }
    }
}
