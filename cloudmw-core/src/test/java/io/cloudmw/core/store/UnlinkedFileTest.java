package io.cloudmw.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class UnlinkedFileTest {
    @TempDir
    private Path directory;

    @Test
    void theFileKeepsBytesAndLeavesNoNameBehind() throws Exception {
        try (FileChannel file = UnlinkedFile.open(directory.resolve("room"))) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            ByteBuffer back = ByteBuffer.allocate(3);
            assertThat(file.read(back, 0)).isEqualTo(3);
        }
        try (var left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void existingFilesAreNotTouched() throws Exception {
        Path precious = Files.writeString(directory.resolve("precious"), "precious");
        assertThatThrownBy(() -> UnlinkedFile.open(precious)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(precious).hasContent("precious");
    }

    @Test
    void failedCreationLeavesNothing() {
        assertThatThrownBy(() -> UnlinkedFile.open(directory.resolve("missing/room")))
                .isInstanceOf(IOException.class);
    }
}
