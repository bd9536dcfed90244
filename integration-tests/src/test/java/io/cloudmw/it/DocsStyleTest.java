package io.cloudmw.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks of the documents: lengths of lines, sentences and table cells, links, and names of tests. */
final class DocsStyleTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final int LONGEST_LINE = 120;
    private static final int MOST_WORDS = 40;
    private static final int LONGEST_CELL = 300;

    private static final Pattern LIST_ITEM = Pattern.compile("^ *([-*]|\\d+\\.) +");
    private static final Pattern TEST_NAME = Pattern.compile("`([A-Z]\\w*(?:Test|IT|Contract)(?:\\.\\w+)*)`");
    private static final Pattern CLASS_NAME = Pattern.compile("`([A-Z]\\w+)`");
    private static final Pattern LINK = Pattern.compile("\\[([^\\]]*)\\]\\(([^)#:]*)[^)]*\\)");

    @Test
    void proseLinesHaveAtMost120Columns() throws IOException {
        assertThat(complaints((prose, report) -> {
                    for (int i = 0; i < prose.lines().size(); i++) {
                        String line = prose.lines().get(i);
                        if (line.length() > LONGEST_LINE) {
                            report.accept(prose.line() + i, line.length() + " columns: " + line);
                        }
                    }
                }))
                .isEmpty();
    }

    @Test
    void sentencesHaveAtMost40Words() throws IOException {
        assertThat(complaints((prose, report) -> {
                    for (String sentence : prose.sentences()) {
                        int words = sentence.split("\\s+", -1).length;
                        if (words > MOST_WORDS) {
                            report.accept(prose.line(), words + " words: " + sentence);
                        }
                    }
                }))
                .isEmpty();
    }

    @Test
    void tableCellsHaveAtMost300Characters() throws IOException {
        List<String> complaints = new ArrayList<>();
        for (Path file : documents()) {
            Document document = Document.read(file);
            for (int i = 0; i < document.lines().size(); i++) {
                if (document.kinds().get(i) == Kind.TABLE) {
                    for (String cell : document.lines().get(i).split("(?<!\\\\)\\|", -1)) {
                        if (cell.strip().length() > LONGEST_CELL) {
                            complaints.add(place(file, i + 1) + cell.strip().length() + " characters: " + cell.strip());
                        }
                    }
                }
            }
        }
        assertThat(complaints).isEmpty();
    }

    @Test
    void linksToFilesLeadToFiles() throws IOException {
        assertThat(Files.readString(ROOT.resolve("README.md"))).containsPattern(LINK);
        List<String> complaints = new ArrayList<>();
        for (Path file : documents()) {
            Matcher links = LINK.matcher(Files.readString(file));
            while (links.find()) {
                Path target = file.resolveSibling(links.group(2)).normalize();
                if (!links.group(0).contains("://") && !links.group(2).isEmpty() && !Files.exists(target)) {
                    complaints.add(ROOT.relativize(file) + ": " + links.group(0));
                }
            }
        }
        assertThat(complaints).isEmpty();
    }

    @Test
    void sentencesAreFoundAcrossLines() {
        Prose item = new Prose(7, List.of("- One `code span here` counts once. Two", "  [three](four.md)? Five"));
        Prose numbers = new Prose(8, List.of("From 276 to 281. Six."));

        assertThat(item.sentences()).containsExactly("One C counts once.", "Two three?", "Five");
        assertThat(numbers.sentences()).containsExactly("From 276 to 281.", "Six.");
    }

    /** The semantics page names test classes and methods, the paper map classes: all of them exist. */
    @Test
    void namedClassesAndTestsExist() throws IOException {
        Map<String, String> sources = sources();
        List<String> complaints = new ArrayList<>();
        Matcher tests = TEST_NAME.matcher(Files.readString(ROOT.resolve("docs/semantics.md")));
        while (tests.find()) {
            List<String> parts = List.of(tests.group(1).split("\\.", -1));
            String source = sources.get(parts.get(0));
            if (source == null || !parts.stream().allMatch(source::contains)) {
                complaints.add("docs/semantics.md: " + tests.group(1));
            }
        }
        Matcher classes = CLASS_NAME.matcher(Files.readString(ROOT.resolve("docs/paper-map.md")));
        while (classes.find()) {
            if (!sources.containsKey(classes.group(1))) {
                complaints.add("docs/paper-map.md: " + classes.group(1));
            }
        }
        assertThat(complaints).isEmpty();
    }

    @Test
    void theIndexOfDecisionsHasThemAll() throws IOException {
        String index = Files.readString(ROOT.resolve("docs/adr/README.md"));
        try (Stream<Path> records = Files.list(ROOT.resolve("docs/adr"))) {
            assertThat(records.map(record -> record.getFileName().toString())
                            .filter(name -> name.matches("\\d.*"))
                            .toList())
                    .isNotEmpty()
                    .allSatisfy(name -> assertThat(index).contains("(" + name + ")"));
        }
    }

    /** The text of each Java file, by the name of its class; classes of one name share an entry. */
    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new HashMap<>();
        for (Path file : SourceFiles.all()) {
            String name = file.getFileName().toString().replace(".java", "");
            sources.merge(name, Files.readString(file), String::concat);
        }
        return sources;
    }

    private static String place(Path file, int line) {
        return ROOT.relativize(file) + ":" + line + ": ";
    }

    private static List<String> complaints(BiConsumer<Prose, BiConsumer<Integer, String>> check) throws IOException {
        List<String> complaints = new ArrayList<>();
        for (Path file : documents()) {
            for (Prose prose : Document.read(file).prose()) {
                check.accept(prose, (line, text) -> complaints.add(place(file, line) + text));
            }
        }
        return complaints;
    }

    private static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>();
        for (String name : List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md")) {
            documents.add(ROOT.resolve(name));
        }
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(documents::add);
        }
        return documents;
    }

    private enum Kind {
        CODE,
        TABLE,
        HEADING,
        BLANK,
        PROSE
    }

    /** The lines of a file, each with its kind. */
    private record Document(List<String> lines, List<Kind> kinds) {
        static Document read(Path file) throws IOException {
            List<String> lines = Files.readAllLines(file);
            List<Kind> kinds = new ArrayList<>();
            boolean code = false;
            for (String line : lines) {
                String text = line.strip();
                boolean fence = text.startsWith("```");
                kinds.add(code || fence ? Kind.CODE : kind(text));
                code ^= fence;
            }
            return new Document(lines, kinds);
        }

        private static Kind kind(String text) {
            if (text.isEmpty()) {
                return Kind.BLANK;
            }
            return text.startsWith("|") ? Kind.TABLE : text.startsWith("#") ? Kind.HEADING : Kind.PROSE;
        }

        /** Paragraphs and list items. */
        List<Prose> prose() {
            List<Prose> prose = new ArrayList<>();
            Predicate<Integer> continues = i -> i < lines.size()
                    && kinds.get(i) == Kind.PROSE
                    && !LIST_ITEM.matcher(lines.get(i)).lookingAt();
            for (int i = 0; i < lines.size(); i++) {
                if (kinds.get(i) == Kind.PROSE) {
                    int end = i + 1;
                    while (continues.test(end)) {
                        end++;
                    }
                    prose.add(new Prose(i + 1, lines.subList(i, end)));
                    i = end - 1;
                }
            }
            return prose;
        }
    }

    /** A paragraph or list item, with the number of its first line. */
    private record Prose(int line, List<String> lines) {
        /** Sentences, in which a code span is one word and a link is its text. */
        List<String> sentences() {
            String text = LIST_ITEM.matcher(String.join(" ", lines)).replaceFirst("");
            text = text.replaceAll("(`+).+?\\1", "C").replaceAll("[*_]{2}", "");
            text = LINK.matcher(text).replaceAll("$1").replaceAll("\\s+", " ");
            return List.of(text.split("(?<=[.!?])\\)? ", -1));
        }
    }
}
