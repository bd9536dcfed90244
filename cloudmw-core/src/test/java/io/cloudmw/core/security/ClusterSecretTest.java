package io.cloudmw.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClusterSecretTest {
    @TempDir
    private Path directory;

    @Test
    void aMissingFileIsMadeForItsOwnerOnlyAndReadAgain() throws Exception {
        Path file = directory.resolve("secret");
        byte[] first = ClusterSecret.readOrCreate(file).sign(new byte[1], 1);
        assertThat(ClusterSecret.readOrCreate(file).sign(new byte[1], 1)).isEqualTo(first);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        try (var files = Files.list(directory)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void fileThatOthersCanReadIsRefused() throws Exception {
        Path file = written("open", "x".repeat(32));
        for (String allowed : List.of("rw-r-----", "r--------")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(allowed));
            ClusterSecret unused = ClusterSecret.read(file);
        }
        for (String refused : List.of("rw-r--r--", "rw-rw----", "rw-----w-")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(refused));
            assertThatThrownBy(() -> ClusterSecret.read(file))
                    .isInstanceOf(CloudMwException.class)
                    .hasMessageContaining("other users can read or change it")
                    .hasMessageContaining("chmod 600 " + file);
        }
    }

    @Test
    void secretFileInAMissingDirectoryIsNotCreated() {
        Path file = directory.resolve("mistyped/secret");
        assertThatThrownBy(() -> ClusterSecret.readOrCreate(file))
                .isInstanceOf(CloudMwException.class)
                .hasMessageContaining("there is no directory " + file.getParent());
        assertThat(file.getParent()).doesNotExist();
    }

    @Test
    void concurrentCreatorsAllUseTheSameSecret() throws Exception {
        Path file = directory.resolve("secret");
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Callable<byte[]>> makers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                makers.add(() -> ClusterSecret.readOrCreate(file).sign(new byte[1], 1));
            }
            List<Future<byte[]>> signatures = threads.invokeAll(makers);
            byte[] expected = ClusterSecret.read(file).sign(new byte[1], 1);
            for (Future<byte[]> signature : signatures) {
                assertThat(signature.get()).isEqualTo(expected);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void trailingWhiteSpaceDoesNotCount() throws Exception {
        Path plain = written("plain", "x".repeat(32));
        Path newline = written("newline", "x".repeat(32) + "\r\n");
        assertThat(ClusterSecret.read(newline).sign(new byte[1], 1))
                .isEqualTo(ClusterSecret.read(plain).sign(new byte[1], 1));
    }

    @Test
    void aShortSecretIsRefusedWithoutBeingPrinted() throws Exception {
        Path file = written("short", "hunter2");
        assertThatThrownBy(() -> ClusterSecret.read(file))
                .isInstanceOf(CloudMwException.class)
                .hasMessageContaining("7 bytes")
                .hasMessageContaining("32")
                .hasMessageNotContaining("hunter2");
    }

    private ClusterSecret secret(String... lines) throws Exception {
        return ClusterSecret.read(written("secret", String.join("\n", lines) + "\n"));
    }

    private Path written(String name, String text) throws Exception {
        Path file = directory.resolve(name);
        SecretFiles.replace("secret file", file, text.getBytes(StandardCharsets.UTF_8));
        return file;
    }

    /** The steps of a rotation are: the old key, old and new, new and old, the new key. Neighbours accept each other. */
    @Test
    void firstOfTwoKeysSignsAndBothAreAccepted() throws Exception {
        String before = "a".repeat(32);
        String after = "b".repeat(64);
        List<ClusterSecret> steps =
                List.of(secret(before), secret(before, after), secret(after, "", before), secret(after));
        for (int signer = 0; signer < steps.size(); signer++) {
            byte[] signature = steps.get(signer).sign(new byte[9], 8);
            for (int verifier = 0; verifier < steps.size(); verifier++) {
                assertThat(steps.get(verifier).verifies(new byte[9], 8, signature))
                        .as("signed in step %s, verified in step %s", signer, verifier)
                        .isEqualTo(signer <= 1 ? verifier <= 2 : verifier >= 1);
            }
        }
        assertThat(steps.get(1).sign(new byte[9], 8)).isEqualTo(steps.get(0).sign(new byte[9], 8));
        assertThat(steps.get(2).sign(new byte[9], 8)).isEqualTo(steps.get(3).sign(new byte[9], 8));
        assertThat(steps.get(2).verifies(new byte[9], 8, new byte[32])).isFalse();
    }

    @Test
    void fileWithoutAKeyOrWithThreeKeysOrAShortOneIsRefused() {
        String key = "a".repeat(32);
        assertThatThrownBy(() -> secret("", " ")).hasMessageContaining("0 lines with a key (expected: 1..2");
        assertThatThrownBy(() -> secret(key, key, key)).hasMessageContaining("3 lines with a key (expected: 1..2");
        assertThatThrownBy(() -> secret(key, "hunter2"))
                .hasMessageContaining("7 bytes")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void aMissingFileIsNamed() {
        Path file = directory.resolve("absent");
        assertThatThrownBy(() -> ClusterSecret.read(file))
                .isInstanceOf(CloudMwException.class)
                .hasMessageContaining(file.toString());
    }
}
