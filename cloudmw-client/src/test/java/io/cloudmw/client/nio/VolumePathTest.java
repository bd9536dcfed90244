package io.cloudmw.client.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.PatternSyntaxException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class VolumePathTest {
    private final FileSystem unix = FileSystems.getDefault();
    private final FileSystem volume = new VolumeFileSystemProvider()
            .newFileSystem(URI.create("cloudmw:///files/"), Map.of("coordinator", "127.0.0.1:1"));

    @AfterEach
    void close() throws Exception {
        volume.close();
    }

    private static String text(SplittableRandom random) {
        StringBuilder text = new StringBuilder(random.nextInt(3) == 0 ? "/" : "");
        int names = random.nextInt(5);
        for (int i = 0; i < names; i++) {
            text.append(List.of("a", "b", "..", ".", "a.b", "").get(random.nextInt(6)));
            text.append(i < names - 1 || random.nextInt(4) == 0 ? "/" : "");
        }
        return text.toString();
    }

    /** The result of an operation, or its exception. */
    private static String result(Function<Path, Object> operation, Path path) {
        try {
            return String.valueOf(operation.apply(path));
        } catch (IllegalArgumentException e) {
            return "refused";
        }
    }

    @Test
    void operationsOnOnePathHaveTheResultsOfAUnixPath() {
        List<Function<Path, Object>> operations = List.of(
                Path::toString,
                Path::isAbsolute,
                Path::getRoot,
                Path::getFileName,
                Path::getParent,
                Path::getNameCount,
                Path::normalize,
                path -> path.getName(0),
                path -> path.getName(path.getNameCount() - 1),
                path -> path.subpath(0, path.getNameCount()),
                path -> path.subpath(1, path.getNameCount()),
                path -> {
                    List<String> names = new ArrayList<>();
                    path.forEach(name -> names.add(name.toString()));
                    return names;
                });
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 2000; i++) {
            String text = text(random);
            for (int j = 0; j < operations.size(); j++) {
                assertThat(result(operations.get(j), volume.getPath(text)))
                        .as("operation %d of \"%s\"", j, text)
                        .isEqualTo(result(operations.get(j), unix.getPath(text)));
            }
        }
    }

    @Test
    void operationsOnTwoPathsHaveTheResultsOfUnixPaths() {
        List<BiFunction<Path, Path, Object>> operations = List.of(
                Path::resolve,
                Path::resolveSibling,
                Path::relativize,
                Path::startsWith,
                Path::endsWith,
                Path::equals,
                (one, other) -> Integer.signum(one.compareTo(other)));
        SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < 4000; i++) {
            String one = text(random);
            String other = text(random);
            for (int j = 0; j < operations.size(); j++) {
                BiFunction<Path, Path, Object> operation = operations.get(j);
                assertThat(result(path -> operation.apply(path, volume.getPath(other)), volume.getPath(one)))
                        .as("operation %d of \"%s\" and \"%s\"", j, one, other)
                        .isEqualTo(result(path -> operation.apply(path, unix.getPath(other)), unix.getPath(one)));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*.java",
                "**.java",
                "*",
                "**",
                "a/*",
                "a/**/b",
                "?",
                "[ab].?",
                "[!a]*",
                "{a,b}*",
                "{a*,*.b}/?",
                "a\\*b",
                "[a-c]",
                "a[.]b",
                "{a,}b",
                "^$+()|",
                "a.b"
            })
    void globMatchesWhatTheDefaultFileSystemMatches(String glob) {
        List<String> names = List.of(
                "a",
                "b",
                "c",
                "d",
                "a.b",
                "a*b",
                "x.java",
                "a/x.java",
                "a/b",
                "a/c/b",
                "b/b",
                "]",
                "-",
                "ab",
                "a/b/c",
                "^$+()|",
                "aab",
                "");
        for (String name : names) {
            assertThat(volume.getPathMatcher("glob:" + glob).matches(volume.getPath(name)))
                    .as("%s of \"%s\"", glob, name)
                    .isEqualTo(unix.getPathMatcher("glob:" + glob).matches(unix.getPath(name)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"[a", "{a", "{a,{b}}", "a\\", "[a/b]"})
    void malformedGlobIsRefused(String glob) {
        assertThatThrownBy(() -> volume.getPathMatcher("glob:" + glob)).isInstanceOf(PatternSyntaxException.class);
    }

    @Test
    void pathsOfOtherFileSystemsAndControlCharactersAreRefused() {
        assertThatThrownBy(() -> volume.getPath("/a").resolve(unix.getPath("b")))
                .isInstanceOf(ProviderMismatchException.class);
        assertThat(volume.getPath("/a").startsWith(unix.getPath("/a"))).isFalse();
        assertThatThrownBy(() -> volume.getPath("a\nb")).isInstanceOf(InvalidPathException.class);
        assertThatThrownBy(() -> volume.getPathMatcher("sql:%")).isInstanceOf(UnsupportedOperationException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "/a b/c%d, cloudmw:///files/a%20b/c%25d",
        "/, cloudmw:///files/",
        "x, cloudmw:///files/x",
    })
    void uriNamesTheVolumeAndThePath(String path, String uri) {
        assertThat(volume.getPath(path).toUri()).hasToString(uri);
    }

    @ParameterizedTest
    @CsvSource({
        "cloudmw://h:1/files/a/b, cloudmw://files@h:1/a/b",
        "'cloudmw://h:1,i:2/files/a', 'cloudmw://files@h:1,i:2/a'",
        "cloudmw:///files/, cloudmw://files@",
    })
    void volumeBeforeTheCoordinatorsNamesTheSame(String uri, String other) {
        assertThat(VolumeUri.of(URI.create(other))).isEqualTo(VolumeUri.of(URI.create(uri)));
        assertThat(VolumeUri.path(URI.create(other))).isEqualTo(VolumeUri.path(URI.create(uri)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cloudmw:/",
                "cloudmw://host:1",
                "cloudmw:///Bad_Name/x",
                "cloudmw:///files/x?q",
                "cloudmw:x",
                "cloudmw://Bad@h:1/x"
            })
    void malformedUriIsRefused(String uri) {
        assertThatThrownBy(() -> VolumeUri.of(URI.create(uri)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cloudmw://host:port");
    }
}
