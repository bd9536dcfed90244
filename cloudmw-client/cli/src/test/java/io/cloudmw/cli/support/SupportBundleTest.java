package io.cloudmw.cli.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SupportBundleTest {
    @TempDir
    private Path directory;

    private SupportBundle begin(boolean replace) throws CloudMwException {
        return SupportBundle.begin(
                directory.resolve("bundle.zip"), replace, SecretMask.of(Map.of(), List.of("planted-secret")));
    }

    private String part(String name) throws IOException {
        try (ZipFile zip = new ZipFile(directory.resolve("bundle.zip").toFile())) {
            return new String(zip.getInputStream(zip.getEntry(name)).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void missingPartsAreListedWithTheReason() throws Exception {
        try (SupportBundle bundle = begin(false)) {
            assertThat(bundle.add("a.txt", () -> "with planted-secret")).isTrue();
            assertThat(bundle.add("b.txt", () -> {
                        throw new IOException("no planted-secret here");
                    }))
                    .isFalse();
            bundle.complete();
            assertThat(bundle.parts()).containsExactly("a.txt", "contents.txt");
        }
        assertThat(part("a.txt")).isEqualTo("with <redacted>");
        assertThat(part("contents.txt")).contains("  a.txt 15\n").contains("  b.txt: no <redacted> here\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("bundle.zip"))))
                .isEqualTo("rw-------");
    }

    @Test
    void longPartKeepsItsEnd() throws Exception {
        try (SupportBundle bundle = begin(false)) {
            bundle.add("log", () -> "x".repeat(SupportBundle.MAX_PART_BYTES) + "end");
            bundle.complete();
        }
        assertThat(part("log")).hasSize(SupportBundle.MAX_PART_BYTES).endsWith("xend");
    }

    @Test
    void partIsCollectedOnce() throws Exception {
        try (SupportBundle bundle = begin(false)) {
            assertThat(bundle.add("a", () -> "first")).isTrue();
            assertThat(bundle.add("a", () -> "second")).isTrue();
            bundle.complete();
        }
        assertThat(part("a")).isEqualTo("first");
    }

    @Test
    void cutFileBeginsWithALine() throws Exception {
        Path log = directory.resolve("log");
        Files.writeString(log, "password=" + "\u20ac".repeat(SupportBundle.MAX_PART_BYTES / 3) + "\nlast\n");
        assertThat(LocalSources.file(log)).startsWith("[the last ").endsWith("]\nlast\n");
    }

    @Test
    void existingFileIsReplacedOnlyByForce() throws Exception {
        Files.writeString(directory.resolve("bundle.zip"), "other");
        assertThatThrownBy(() -> begin(false))
                .isInstanceOfSatisfying(
                        CloudMwException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.ALREADY_EXISTS));
        try (SupportBundle bundle = begin(true)) {
            bundle.complete();
        }
        assertThat(part("contents.txt")).contains("Nothing is missing.");
    }

    @Test
    void incompleteBundleLeavesNothing() throws Exception {
        try (SupportBundle bundle = begin(false)) {
            bundle.add("a", () -> "text");
        }
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }
}
