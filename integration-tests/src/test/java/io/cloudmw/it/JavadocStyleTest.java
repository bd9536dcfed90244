package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks of the project's Javadoc: the first sentence of a type says what the type is. */
final class JavadocStyleTest {
    private static final Set<String> NOT_A_SUBJECT = Set.of(
            "how",
            "it",
            "of",
            "one",
            "what",
            "whatever",
            "when",
            "where",
            "whether",
            "which",
            "who",
            "whoever",
            "whose");

    /** A Javadoc comment, and the declaration of a type after it. */
    private static final Pattern TYPE = Pattern.compile(
            "/\\*\\*((?:(?!\\*/).)*+)\\*/\\s*+(?:@\\w+(?:\\((?:[^()]|\\([^)]*\\))*+\\))?\\s*+)*+"
                    + "(?:(?:public|protected|private|static|final|abstract|sealed|non-sealed|strictfp)\\s++)*+"
                    + "(?:class|interface|record|enum|@interface)\\s++(\\w+)",
            Pattern.DOTALL);

    private static final Pattern FIRST_WORD = Pattern.compile("^[\\s*]*([A-Za-z]+)");

    /** Returns the types of a source whose Javadoc begins with a word that names nothing. */
    private static List<String> offences(String source) {
        List<String> found = new ArrayList<>();
        Matcher type = TYPE.matcher(source);
        while (type.find()) {
            Matcher word = FIRST_WORD.matcher(type.group(1));
            if (word.find() && NOT_A_SUBJECT.contains(word.group(1).toLowerCase(Locale.ROOT))) {
                found.add(type.group(2));
            }
        }
        return found;
    }

    @Test
    void typeWhoseJavadocBeginsWithAPronounIsFound() {
        assertThat(
                        offences(
                                "/** What it is. */\n@Named(\"x(y)\")\npublic final class A {\n/**\n * Whether so.\n */\nenum B {}}"))
                .containsExactly("A", "B");
        assertThat(offences("/** A thing. */ class A { /** What it gives. */ int b() { return 0; } }"))
                .isEmpty();
    }

    @Test
    void javadocOfEveryTypeBeginsWithItsSubject() throws IOException {
        List<String> found = new ArrayList<>();
        List<Path> sources = SourceFiles.all();
        for (Path file : sources) {
            offences(Files.readString(file))
                    .forEach(type -> found.add(SourceFiles.ROOT.relativize(file) + ": " + type));
        }
        assertThat(sources).hasSizeGreaterThan(1000);
        assertThat(found).isEmpty();
    }
}
