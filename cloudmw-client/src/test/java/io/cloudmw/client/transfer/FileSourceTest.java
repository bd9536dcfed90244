package io.cloudmw.client.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.model.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileSourceTest {
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
        try (FileSource source = new FileSource(file())) {
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
    void aFileThatGrowsOrShrinksIsOneClearError() throws Exception {
        Path file = file();
        try (FileSource source = new FileSource(file)) {
            source.open();
            Files.write(file, new byte[] {5}, StandardOpenOption.APPEND);
            assertLocal(source::checkUnchanged, "5 bytes instead of 4");
            Files.write(file, new byte[] {5}, StandardOpenOption.TRUNCATE_EXISTING);
            assertLocal(
                    () -> source.part(new ByteRange(0, 4)).read(0, ByteBuffer.allocate(4)), "ends at 1 instead of 4");
        }
    }

    @Test
    void aFileThatIsWrittenToIsOneClearError() throws Exception {
        Path file = file();
        try (FileSource source = new FileSource(file)) {
            source.open();
            Files.setLastModifiedTime(file, FileTime.fromMillis(1));
            assertLocal(source::checkUnchanged, "was written to");
        }
    }

    @Test
    void whatIsNotAFileIsOneClearError() {
        assertLocal(() -> new FileSource(directory).open(), "is a directory");
        assertLocal(() -> new FileSource(directory.resolve("none")).open(), "no such file");
    }
}
