package io.cloudmw.client.write;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FilePutSourceTest {
    @TempDir
    private Path directory;

    private Path file() throws IOException {
        return Files.write(directory.resolve("source"), new byte[] {1, 2, 3, 4});
    }

    private static void assertLocal(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        CloudMwException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LOCAL_IO))
                .hasMessageContaining(message);
    }

    @Test
    void partsCanBeReadAgain() throws Exception {
        try (FilePutSource source = new FilePutSource(file())) {
            assertThat(source.open()).hasValue(4);
            PutSource.Part part = source.part(new ByteRange(1, 3));
            for (int i = 0; i < 2; i++) {
                ByteBuffer read = ByteBuffer.allocate(2);
                part.read(1, read);
                assertThat(read.array()).containsExactly(3, 4);
            }
            source.checkUnchanged();
        }
    }

    @Test
    void growingOrShrinkingFileFailsWithOneClearError() throws Exception {
        Path file = file();
        try (FilePutSource source = new FilePutSource(file)) {
            source.open();
            Files.write(file, new byte[] {5}, StandardOpenOption.APPEND);
            assertLocal(source::checkUnchanged, "5 bytes instead of 4");
            Files.write(file, new byte[] {5}, StandardOpenOption.TRUNCATE_EXISTING);
            assertLocal(
                    () -> source.part(new ByteRange(0, 4)).read(0, ByteBuffer.allocate(4)), "ends at 1 instead of 4");
        }
    }

    @Test
    void fileWrittenMeanwhileFailsWithOneClearError() throws Exception {
        Path file = file();
        try (FilePutSource source = new FilePutSource(file)) {
            source.open();
            Files.setLastModifiedTime(file, FileTime.fromMillis(1));
            assertLocal(source::checkUnchanged, "was written to");
        }
    }

    private Path replacement(int content, FileTime time) throws IOException {
        Path next = Files.write(directory.resolve("next"), new byte[] {0, 0, 0, (byte) content});
        return Files.setLastModifiedTime(next, time);
    }

    @Test
    void fileReplacedByOneOfSameSizeAndTimeFailsWithOneClearError() throws Exception {
        Path file = file();
        try (FilePutSource source = new FilePutSource(file)) {
            source.open();
            Files.move(replacement(5, Files.getLastModifiedTime(file)), file, StandardCopyOption.REPLACE_EXISTING);
            assertLocal(source::checkUnchanged, "another file was put in its place");
        }
    }

    /** A file is replaced again and again; its time shows which one was opened. */
    @Test
    void identityIsOfTheFileThatWasOpened() throws Exception {
        Path file = file();
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> replacing = CompletableFuture.runAsync(() -> {
            for (int i = 0; !over.get(); i = (i + 1) % 100) {
                try {
                    Files.move(replacement(i, FileTime.from(i, SECONDS)), file, StandardCopyOption.ATOMIC_MOVE);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
        await().until(() -> Files.getLastModifiedTime(file).to(SECONDS) < 100);
        int opened = 0;
        for (int i = 0; i < 3000; i++) {
            try (FilePutSource source = new FilePutSource(file)) {
                source.open();
                opened++;
                ByteBuffer read = ByteBuffer.allocate(4);
                source.read(0, read);
                assertThat(source.identity().orElseThrow()).contains(" " + FileTime.from(read.get(3), SECONDS) + " ");
            } catch (CloudMwException e) {
                assertThat(e).hasMessageContaining("replacing it");
            }
        }
        over.set(true);
        replacing.get();
        assertThat(opened).isPositive();
    }

    @Test
    void sourceThatIsNoFileFailsWithOneClearError() {
        assertLocal(() -> new FilePutSource(directory).open(), "is a directory");
        assertLocal(() -> new FilePutSource(directory.resolve("none")).open(), "no such file");
    }
}
